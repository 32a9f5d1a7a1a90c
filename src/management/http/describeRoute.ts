import type { Router } from '@koa/router';
import type Koa from 'koa';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { Refusal, refuse } from '../../domain/core/refusal.ts';
import type { Endpoint, PastOfRoute, PlacedEndpoint, RoleSet } from '../../http/openApi/endpoint.ts';
import { hasRoleIn } from '../people/principal.ts';
import { atQuery } from './atQuery.ts';
import type { AnyContext, DescribedRead, DescribedWrite, ManagementMiddleware, ManagementState } from './context.ts';
import { createQueryReader } from './query.ts';

type Declared = Omit<Endpoint, 'roles' | 'at'> & { readonly roles: RoleSet };

/**
 * Attaches the OpenAPI description of a route, and reads its query, of which it refuses what `query` does not declare. Passed to the router between path and handler:
 *
 *     .get('/', describeRoute({ roles: READERS, at: 'past', summary: 'List allowed addresses', response: Allowlist }), (ctx) => ...)
 *     .post('/', describeRoute({ roles: OPERATORS, summary: '...', body: AllowIp, response: Entry, errors: ['ip_exists'] }), async (ctx) => ...)
 *
 * A GET with `at: 'past'` takes `?at=`, which its handler reads through `views`; any other refuses it with the declared reason.
 * A write with `isIrreversible` asks for a fresh sign-in, or the scope of a token, before its first event is appended.
 * Schemas of responses are `z.object`; `.meta({ id })` names the type in generated clients. `openApi.int.test.ts` fails
 * for a route without a description and for a response that does not match it, so add a call of each new route there.
 */
export function describeRoute(endpoint: Declared & { readonly at: PastOfRoute }): DescribedRead;
export function describeRoute(endpoint: Declared & { readonly at?: never }): DescribedWrite;
export function describeRoute(declared: Declared & { readonly at?: PastOfRoute }): ManagementMiddleware {
  const { at } = declared;
  const endpoint = at === 'past' ? { ...declared, query: { ...declared.query, ...atQuery } } : declared;
  const reasons = new Map(typeof at === 'object' ? [['at', `has no past: ${at.none}`]] : []);
  const readQuery = createQueryReader(endpoint.query, reasons, declared.isQueryOpen);
  const middleware: ManagementMiddleware = async (ctx, next) => {
    try {
      // Before anything else of the request is looked at, so that a refusal reveals nothing.
      requireRole(ctx, declared.roles);
      ctx.state.readIdempotencyKey?.();
      if (declared.isIrreversible) {
        const authorize = ctx.state.authorizeIrreversible;
        ctx.state.cause = { ...ctx.state.cause, authorize };
      }
      // A length that depends on a secret and on what the client sent tells the secret (BREACH). Those that are shown once, such as new
      // keys, tokens and invitations, are responses to writes.
      ctx.state.isCompressible = at !== undefined && !declared.carriesSecret;
      // Probes add parameters of their own to `/health`.
      ctx.state.query = readQuery(ctx.path.startsWith('/api/') || ctx.query.at !== undefined ? ctx.querystring : '');
      // Awaited, so that what a handler denies is recorded as well.
      return await next();
    } catch (error) {
      if (error instanceof Refusal && DENIALS.has(error.code)) await ctx.state.recordDenied(actionOf(ctx));
      throw error;
    }
  };
  return Object.assign(middleware, { endpoint });
}

/** What a person may not do: `ActionDenied` records it. */
const DENIALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['insufficient_permissions', 'scope_required']);

function actionOf(ctx: AnyContext): string {
  const { _matchedRoute: route } = ctx as { readonly _matchedRoute?: unknown };
  return `${ctx.method} ${String(route ?? ctx.path)}`;
}

/**
 * The one place that enforces roles. Routes that need no sign-in have no principal and admit everyone.
 * @throws Refusal `insufficient_permissions`
 */
function requireRole({ state: { principal } }: AnyContext, roles: RoleSet): void {
  if (!principal || hasRoleIn(principal, roles)) return;
  const own = principal.roles.join(' and ');
  refuse('insufficient_permissions', { problem: `this needs the role ${roles.join(' or ')}, and you have ${own}` });
}

/** Lists the routes of an application, those with a description and those without one. */
export function endpointsOf(app: Koa<ManagementState>): {
  endpoints: PlacedEndpoint[];
  undocumented: { method: string; path: string }[];
} {
  const endpoints: PlacedEndpoint[] = [];
  const undocumented: { method: string; path: string }[] = [];
  for (const middleware of app.middleware as readonly { router?: Router<ManagementState> }[]) {
    for (const { methods, path, stack } of middleware.router?.stack ?? []) {
      const endpoint = (stack as readonly { endpoint?: Endpoint }[]).find((step) => step.endpoint)?.endpoint;
      for (const name of methods.filter((method) => method !== 'HEAD')) {
        const place = { method: name.toLowerCase(), path: openApiPath(String(path)) };
        if (endpoint) endpoints.push({ ...endpoint, ...place, tag: tagOf(place.path) });
        else undocumented.push(place);
      }
    }
  }
  return { endpoints, undocumented };
}

/** `/api/api-keys/:id` as `/api/api-keys/{id}`; a wildcard is a parameter, too. */
const openApiPath = (path: string) => path.replace(/[:*](\w+)/g, '{$1}').replace(/(?<=.)\/$/, '');
const tagOf = (path: string) => /^\/api\/([^/.]+)/.exec(path)?.[1] ?? 'health';
