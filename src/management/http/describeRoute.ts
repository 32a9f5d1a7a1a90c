import type { Router } from '@koa/router';
import type Koa from 'koa';
import type { Endpoint, PlacedEndpoint } from '../../http/openApi/endpoint.ts';
import type { ManagementMiddleware, ManagementState } from './context.ts';

/**
 * Says what a route takes and answers; stands between the path and the handler, and `/api/openapi.json` shows it:
 *
 *     .get('/', documented({ summary: 'The allowlist', answer: FirewallAnswer }), (ctx) => ...)
 *     .post('/', documented({ summary: '...', body: AllowIp, answer: Entry, refuses: ['ip_exists'] }), async (ctx) => ...)
 *
 * Schemas of answers stand beside the function that makes them, as `z.object`, with `.meta({ id })` where a generated
 * client should have a name for the type. `openApi.int.test.ts` fails for a route without it and for an answer that
 * does not fit; give that test a call of your route.
 */
export const documented = (endpoint: Endpoint): ManagementMiddleware =>
  Object.assign(((_ctx, next) => next()) satisfies ManagementMiddleware, { endpoint });

/** Routes of an application that say what they are, and those that do not. */
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
        const place = { method: name.toLowerCase(), path: inBraces(String(path)) };
        if (endpoint) endpoints.push({ ...endpoint, ...place, tag: tagOf(place.path) });
        else undocumented.push(place);
      }
    }
  }
  return { endpoints, undocumented };
}

const inBraces = (path: string) => path.replace(/:(\w+)/g, '{$1}').replace(/(?<=.)\/$/, '');
const tagOf = (path: string) => /^\/api\/([^/.]+)/.exec(path)?.[1] ?? 'health';
