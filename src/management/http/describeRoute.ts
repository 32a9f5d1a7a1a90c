import type { Router } from '@koa/router';
import type Koa from 'koa';
import type { Endpoint, PlacedEndpoint } from '../../http/openApi/endpoint.ts';
import type { ManagementMiddleware, ManagementState } from './context.ts';
import { createQueryReader } from './query.ts';

/**
 * Attaches the OpenAPI description of a route, and reads its query, of which it refuses what `query` does not declare. Passed to the router between path and handler:
 *
 *     .get('/', describeRoute({ summary: 'List allowed addresses', response: Allowlist }), (ctx) => ...)
 *     .post('/', describeRoute({ summary: '...', body: AllowIp, response: Entry, errors: ['ip_exists'] }), async (ctx) => ...)
 *
 * Schemas of responses are `z.object`; `.meta({ id })` names the type in generated clients. `openApi.int.test.ts` fails
 * for a route without a description and for a response that does not match it, so add a call of each new route there.
 */
export function describeRoute(endpoint: Endpoint): ManagementMiddleware {
  const readQuery = createQueryReader(endpoint.query);
  const middleware: ManagementMiddleware = (ctx, next) => {
    // Probes add parameters of their own to `/health`.
    if (ctx.path.startsWith('/api/')) ctx.state.query = readQuery(ctx.querystring);
    return next();
  };
  return Object.assign(middleware, { endpoint });
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
