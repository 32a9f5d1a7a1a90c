import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { ProxyError } from '../errors/proxyError.ts';

export interface ApiKeyOptions {
  readonly hot: Pick<HotState, 'settings' | 'apiKeys' | 'keyIdByHash'>;
  readonly now: () => Instant;
}

/**
 * @returns a function that identifies a client by its API key. It returns null, and ignores keys, while none is required
 * (docs/decisions/0045-optional-keys-and-public-paths.md), and throws ProxyError `invalid_api_key`
 */
export function createApiKeyCheck(options: ApiKeyOptions): (request: ClientRequest) => ApiKey | null {
  const keyOf = createKeyLookup(options);
  const { hot } = options;
  return (request) => (hot.settings.apiKeyAuthEnabled ? keyOf(request) : null);
}

/** @returns a function that returns the API key that a request carries, and throws ProxyError `invalid_api_key` */
export const createKeyLookup =
  ({ hot, now }: ApiKeyOptions) =>
  (request: ClientRequest): ApiKey => {
    const digest = digestOf(request);
    if (digest === undefined) throw new ProxyError('invalid_api_key');
    // The timing of a lookup by digest reveals nothing that helps to guess a key.
    const keyId = hot.keyIdByHash.get(digest);
    const key = keyId && hot.apiKeys.get(keyId);
    if (!key?.isActive) throw new ProxyError('invalid_api_key', { problem: 'invalid API key' });
    if (key.expiresAt !== null && key.expiresAt <= now()) {
      throw new ProxyError('invalid_api_key', { problem: 'this API key has expired' });
    }
    return key;
  };

/**
 * Reads the key again, because it may have changed while the request body arrived.
 * @throws ProxyError `invalid_api_key` when it was revoked
 */
export function currentKey({ apiKeys }: Pick<HotState, 'apiKeys'>, key: ApiKey | null): ApiKey | null {
  if (!key) return null;
  const current = apiKeys.get(key.id);
  if (!current?.isActive || current.hash !== key.hash) throw new ProxyError('invalid_api_key');
  return current;
}

/** Whether a request carries something that should be an API key. */
export const carriesKey = ({ headers: { authorization } }: Pick<ClientRequest, 'headers'>): boolean =>
  authorization !== undefined && bearerOf(authorization) !== undefined;

/** The last key of each connection, because a client repeats it with every request. */
const lastKeys = new WeakMap<Socket, { readonly authorization: string; readonly digest: string | undefined }>();

/** @returns undefined when no key was sent */
function digestOf({ headers: { authorization }, socket }: ClientRequest): string | undefined {
  if (authorization === undefined) return undefined;
  const last = lastKeys.get(socket);
  if (last?.authorization === authorization) return last.digest;
  const secret = bearerOf(authorization);
  const digest = secret === undefined ? undefined : hash('sha256', secret);
  lastKeys.set(socket, { authorization, digest });
  return digest;
}

function bearerOf(header: string): string | undefined {
  if (header.length < 8 || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return header.slice(7).trim() || undefined;
}
