/** How the clients of a conversation route write requests and read responses; see `dialects.ts`. */
export type DialectName = 'svc' | 'v1' | 'chat' | 'svcCompact' | 'v1Compact';

/** A path that the proxy serves. */
export type ProxyRoute = ConversationRoute | TranscriptionRoute | ReadOnlyRoute;

/** A route whose requests are sent to a model of the provider. */
export interface ConversationRoute {
  readonly kind: 'conversation';
  readonly method: 'POST';
  readonly dialect: DialectName;
  /** With aliases resolved; recorded in the log. */
  readonly path: string;
  /** Below the provider's base path. */
  readonly upstreamPath: string;
}

/** A route that transcribes audio. */
export interface TranscriptionRoute {
  readonly kind: 'transcription';
  readonly method: 'POST';
  readonly path: string;
  readonly upstreamPath: string;
  /** Whether the form needs a `model` field. */
  readonly mustNameModel: boolean;
}

/** A route whose responses come from memory. */
export interface ReadOnlyRoute {
  readonly kind: 'models' | 'model' | 'usage';
  readonly method: 'GET';
  readonly path: string;
}

const conversation = (dialect: DialectName, path: string, upstreamPath: string): ConversationRoute => ({
  kind: 'conversation',
  method: 'POST',
  dialect,
  path,
  upstreamPath,
});
const transcription = (path: string, { mustNameModel }: { mustNameModel: boolean }): TranscriptionRoute => ({
  kind: 'transcription',
  method: 'POST',
  path,
  upstreamPath: '/transcribe',
  mustNameModel,
});
const readOnly = (kind: ReadOnlyRoute['kind'], path: string): ReadOnlyRoute => ({ kind, method: 'GET', path });

const MODEL: ReadOnlyRoute = readOnly('model', '/v1/models/{id}');

/** By path. `proxySurface.ts` documents the request and response of each. */
export const proxyRoutes: ReadonlyMap<string, ProxyRoute> = new Map(
  [
    conversation('svc', '/backend-api/svc/responses', '/codex/responses'),
    conversation('v1', '/v1/responses', '/codex/responses'),
    conversation('chat', '/v1/chat/completions', '/codex/responses'),
    conversation('svcCompact', '/backend-api/svc/responses/compact', '/codex/responses/compact'),
    conversation('v1Compact', '/v1/responses/compact', '/codex/responses/compact'),
    transcription('/backend-api/transcribe', { mustNameModel: false }),
    transcription('/v1/audio/transcriptions', { mustNameModel: true }),
    readOnly('models', '/backend-api/svc/models'),
    readOnly('models', '/v1/models'),
    MODEL,
    readOnly('usage', '/api/svc/usage'),
  ].map((route) => [route.path, route]),
);

/** Routes without allowlist and API key (docs/decisions/0045-optional-keys-and-public-paths.md). */
export const isPublic = (route: ProxyRoute | undefined): boolean => route?.kind === 'usage';

/** @returns a test whether a path belongs to the proxy, even if it has no route (docs/decisions/0051-unknown-paths.md) */
export function createIsProxyPath(aliases: Aliases): (path: string) => boolean {
  const routeOf = createRouteLookup(aliases);
  const hasPrefix = (path: string) => path.startsWith('/v1/') || path.startsWith('/backend-api/');
  return (path) => hasPrefix(path) || path === '/v1' || path === '/backend-api' || isPublic(routeOf(path));
}

/** @returns a test whether a path has a conversation route */
export function createIsModelPath(aliases: Aliases): (path: string) => boolean {
  const routeOf = createRouteLookup(aliases);
  return (path) => routeOf(path)?.kind === 'conversation';
}

/** Whether alternative paths are served. */
export interface Aliases {
  /**
   * Serves `codex` paths like `svc` paths, and the usage where Codex polls it
   * (docs/clients.md#codex-polls-a-fixed-usage-path).
   */
  readonly hasAliases: boolean;
}

const USAGE_ALIASES: ReadonlySet<string> = new Set(['/api/codex/usage', '/backend-api/wham/usage']);

/** @returns a function that finds the route of a path, with or without a trailing slash */
export function createRouteLookup({ hasAliases }: Aliases): (path: string) => ProxyRoute | undefined {
  return (path) => {
    const found = proxyRoutes.get(path);
    if (found) return found;
    const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
    if (modelIdIn(trimmed) !== undefined) return MODEL;
    return proxyRoutes.get(hasAliases ? withoutAlias(trimmed) : trimmed);
  };
}

const withoutAlias = (path: string): string =>
  USAGE_ALIASES.has(path) ? '/api/svc/usage' : path.replace(/^\/backend-api\/codex\//, '/backend-api/svc/');

/** The id in a path of the `model` route; undefined for every other path. */
export function modelIdIn(path: string): string | undefined {
  const [, id] = /^\/v1\/models\/([^/]+)\/?$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined;
  }
}
