import type { DialectName } from './dialects.ts';

/** A path of the proxy that this build answers. */
export interface ProxyRoute {
  readonly method: 'POST';
  readonly dialect: DialectName;
  /** As the log names it, with aliases resolved. */
  readonly path: string;
  /** Below the provider's base. */
  readonly upstream: string;
}

/** By path. What each takes and answers stands in `endpoints.ts`. */
export const proxyRoutes: ReadonlyMap<string, ProxyRoute> = new Map(
  (
    [
      ['svc', '/backend-api/svc/responses', '/codex/responses'],
      ['v1', '/v1/responses', '/codex/responses'],
      ['chat', '/v1/chat/completions', '/codex/responses'],
      ['svcCompact', '/backend-api/svc/responses/compact', '/codex/responses/compact'],
      ['v1Compact', '/v1/responses/compact', '/codex/responses/compact'],
    ] as const
  ).map(([dialect, path, upstream]) => [path, { method: 'POST', dialect, path, upstream }]),
);

/** @returns whether a path belongs to the proxy surface, known or not (specification, "What the service does" 2) */
export const isProxyPath = (path: string): boolean =>
  path.startsWith('/v1/') || path === '/v1' || path.startsWith('/backend-api/') || path === '/backend-api';

/** Finds the route of a path; a trailing slash makes no difference, and `codex` may stand for `svc`. */
export function createRouteLookup(options: { hasAliases: boolean }): (path: string) => ProxyRoute | undefined {
  return (path) => {
    const found = proxyRoutes.get(path);
    if (found) return found;
    const bare = path.endsWith('/') ? path.slice(0, -1) : path;
    const name = options.hasAliases ? bare.replace(/^\/backend-api\/codex\//, '/backend-api/svc/') : bare;
    return proxyRoutes.get(name);
  };
}
