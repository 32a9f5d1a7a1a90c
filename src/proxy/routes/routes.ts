/** How the clients of a conversation route write requests and read responses; see `dialects.ts`. */
export type DialectName = 'svc' | 'v1' | 'chat' | 'svcCompact' | 'v1Compact';

/** A path of the proxy that this build answers. */
export type ProxyRoute = ConversationRoute | TranscriptionRoute | ReadOnlyRoute;

/** A request that goes to a model by one of the accounts. */
export interface ConversationRoute {
  readonly kind: 'conversation';
  readonly method: 'POST';
  readonly dialect: DialectName;
  /** As the log names it, with aliases resolved. */
  readonly path: string;
  /** Below the provider's base. */
  readonly upstream: string;
}

/** Audio that becomes a transcript. */
export interface TranscriptionRoute {
  readonly kind: 'transcription';
  readonly method: 'POST';
  readonly path: string;
  readonly upstream: string;
  readonly mustNameModel: boolean;
}

/** Something that is answered from memory. */
export interface ReadOnlyRoute {
  readonly kind: 'models' | 'model' | 'usage';
  readonly method: 'GET';
  readonly path: string;
}

const conversation = (dialect: DialectName, path: string, upstream: string): ConversationRoute => ({
  kind: 'conversation',
  method: 'POST',
  dialect,
  path,
  upstream,
});
const transcription = (path: string, { mustNameModel }: { mustNameModel: boolean }): TranscriptionRoute => ({
  kind: 'transcription',
  method: 'POST',
  path,
  upstream: '/transcribe',
  mustNameModel,
});
const readOnly = (kind: ReadOnlyRoute['kind'], path: string): ReadOnlyRoute => ({ kind, method: 'GET', path });

const MODEL: ReadOnlyRoute = readOnly('model', '/v1/models/{id}');

/** By path. What each takes and answers stands in `endpoints.ts`. */
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

/** What needs neither a place on the allowlist nor a key (specification, "Proxy" 4 and "IP allowlist" 2). */
export const isPublic = (route: ProxyRoute | undefined): boolean => route?.kind === 'usage';

/** @returns whether a path belongs to the proxy surface, known or not (specification, "What the service does" 2) */
export function createIsProxyPath(aliases: Aliases): (path: string) => boolean {
  const routeOf = createRouteLookup(aliases);
  const belongs = (path: string) => path.startsWith('/v1/') || path.startsWith('/backend-api/');
  return (path) => belongs(path) || path === '/v1' || path === '/backend-api' || isPublic(routeOf(path));
}

/** @returns whether requests to a path go to a model */
export function createIsModelPath(aliases: Aliases): (path: string) => boolean {
  const routeOf = createRouteLookup(aliases);
  return (path) => routeOf(path)?.kind === 'conversation';
}

export interface Aliases {
  /** `codex` may stand for `svc`, and the usage is where Codex looks for it (clients.md section 0, row 21). */
  readonly hasAliases: boolean;
}

const USAGE_ALIASES: ReadonlySet<string> = new Set(['/api/codex/usage', '/backend-api/wham/usage']);

/** Finds the route of a path; a trailing slash makes no difference. */
export function createRouteLookup({ hasAliases }: Aliases): (path: string) => ProxyRoute | undefined {
  return (path) => {
    const found = proxyRoutes.get(path);
    if (found) return found;
    const bare = path.endsWith('/') ? path.slice(0, -1) : path;
    if (modelIdIn(bare) !== undefined) return MODEL;
    return proxyRoutes.get(hasAliases ? withoutAlias(bare) : bare);
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
