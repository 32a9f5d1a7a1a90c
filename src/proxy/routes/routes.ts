/** How the clients of a conversation route write requests and read responses; see `dialects.ts`. */
export type DialectName = 'svc' | 'v1' | 'chat' | 'svcCompact' | 'v1Compact';

/** A path that the proxy serves. */
export type ProxyRoute = ConversationRoute | TranscriptionRoute | ReadOnlyRoute | CodexStartRoute;

/** Who may use a route (docs/decisions/0045-optional-keys-and-public-paths.md). */
export type Access =
  /** Clients on the allowlist, with a key once keys are required. */
  | 'key'
  /** Clients on the allowlist, without a key. */
  | 'allowlist'
  /** Everyone. */
  | 'public';

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
  readonly access?: Access;
}

/**
 * A path below its `chatgpt_base_url` that Codex asks with its own sign-in before it sends a model request, and without
 * which it sends none (docs/clients.md#what-codex-asks-at-its-start).
 */
export interface CodexStartRoute {
  readonly kind: 'workspaces' | 'policies';
  readonly method: 'GET';
  readonly path: string;
  readonly access?: Access;
  /** Served with aliases only. */
  readonly isAlias?: boolean;
  /** Whether a workspace is bound to an HTTPS origin (docs/clients.md#codex-binds-a-workspace-to-an-https-origin). */
  readonly hasOrigin?: boolean;
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
const readOnly = (kind: ReadOnlyRoute['kind'], path: string, access: Access = 'key'): ReadOnlyRoute => ({
  kind,
  method: 'GET',
  path,
  access,
});

/**
 * What Codex asks at its start, for both values of its `chatgpt_base_url`. Below `/backend-api` it has no key to send, only the
 * token of its own sign-in; below `/backend-api/svc` every path needs a key.
 */
const codexStart: readonly CodexStartRoute[] = (
  [
    ['workspaces', '/accounts/check'],
    ['policies', '/config/bundle'],
    ['policies', '/config/requirements'],
  ] as const
).flatMap(([kind, path]) => [
  { kind, method: 'GET', path: `/backend-api/wham${path}`, access: 'allowlist', isAlias: true },
  { kind, method: 'GET', path: `/backend-api/svc/wham${path}`, access: 'key', hasOrigin: kind === 'workspaces' },
]);

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
    readOnly('usage', '/api/svc/usage', 'public'),
    readOnly('usage', '/backend-api/svc/wham/usage'),
    ...codexStart,
  ].map((route) => [route.path, route]),
);

/** Whether the requests of a route go to a model. */
export const isModelRoute = ({ kind }: ProxyRoute): boolean => kind === 'conversation' || kind === 'transcription';

const accessOf = (route: ProxyRoute): Access => ('access' in route && route.access) || 'key';

/** Routes without allowlist and API key (docs/decisions/0045-optional-keys-and-public-paths.md). */
export const isPublic = (route: ProxyRoute | undefined): boolean => route !== undefined && accessOf(route) === 'public';

/**
 * Whether a path needs an API key once keys are required. Paths of the provider that svc does not serve are 404 without one: a 401
 * makes Codex refresh the token of its own sign-in.
 */
export const needsKey = (path: string, route: ProxyRoute | undefined): boolean =>
  route ? accessOf(route) === 'key' : /^\/(v1|backend-api\/(svc|codex|transcribe))(\/|$)/.test(path);

/** @returns a test whether a path belongs to the proxy, even if it has no route (docs/decisions/0051-unknown-paths.md) */
export function createIsProxyPath(aliases: Aliases): (path: string) => boolean {
  const routeOf = createRouteLookup(aliases);
  const hasPrefix = (path: string) => path.startsWith('/v1/') || path.startsWith('/backend-api/');
  return (path) => hasPrefix(path) || path === '/v1' || path === '/backend-api' || routeOf(path) !== undefined;
}

/** @returns a test whether a path has a conversation route */
export function createIsModelPath(aliases: Aliases): (path: string) => boolean {
  const routeOf = createRouteLookup(aliases);
  return (path) => routeOf(path)?.kind === 'conversation';
}

/** @returns a test whether a path serves websockets, too */
export function createIsSocketPath(aliases: Aliases): (path: string) => boolean {
  const routeOf = createRouteLookup(aliases);
  return (path) => servesSockets(routeOf(path));
}

/** Whether requests to a route may come on a websocket. */
export const servesSockets = (route: ProxyRoute | undefined): route is ConversationRoute =>
  route?.kind === 'conversation' && (route.dialect === 'svc' || route.dialect === 'v1');

/** Whether alternative paths are served. */
export interface Aliases {
  /**
   * Serves `codex` paths like `svc` paths, and what Codex asks of its provider where it asks
   * (docs/clients.md#what-codex-asks-at-its-start).
   */
  readonly hasAliases: boolean;
}

/** @returns a function that finds the route of a path, with or without a trailing slash */
export function createRouteLookup({ hasAliases }: Aliases): (path: string) => ProxyRoute | undefined {
  const served = (route: ProxyRoute | undefined) =>
    route && 'isAlias' in route && route.isAlias && !hasAliases ? undefined : route;
  return (path) => {
    const found = proxyRoutes.get(path);
    if (found) return served(found);
    const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
    if (modelIdIn(trimmed) !== undefined) return MODEL;
    return served(proxyRoutes.get(hasAliases ? withoutAlias(trimmed) : trimmed));
  };
}

/** Codex asks below `/api/codex` when its `chatgpt_base_url` has no `/backend-api`. */
const START_ALIAS =
  /^\/(?:api\/codex|backend-api\/codex\/wham)\/(accounts\/check|config\/bundle|config\/requirements)$/;
const USAGE_ALIASES: ReadonlySet<string> = new Set([
  '/api/codex/usage',
  '/backend-api/wham/usage',
  '/backend-api/codex/wham/usage',
]);

function withoutAlias(path: string): string {
  if (USAGE_ALIASES.has(path)) return '/api/svc/usage';
  return path.replace(START_ALIAS, '/backend-api/wham/$1').replace(/^\/backend-api\/codex\//, '/backend-api/svc/');
}

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
