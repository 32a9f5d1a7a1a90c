import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { ClientRequest } from '../../http/client/client.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { ProxyError } from '../errors/proxyError.ts';

export interface ApiKeyOptions {
  readonly hot: Pick<HotState, 'settings' | 'apiKeys' | 'keyIdByHash'>;
  readonly now: () => Instant;
}

/**
 * Who is calling. While keys are not required, whatever is sent is ignored, not checked (design.md section 5).
 * @returns the client's key, or null when keys are not required
 * @throws ProxyError `invalid_api_key`
 */
export const createApiKeyCheck =
  ({ hot, now }: ApiKeyOptions) =>
  (request: ClientRequest): ApiKey | null => {
    if (!hot.settings.apiKeyAuthEnabled) return null;
    const digest = digestOf(request);
    if (digest === undefined) throw new ProxyError('invalid_api_key');
    // Looking up the digest leaks nothing by its timing that would help to guess a key.
    const keyId = hot.keyIdByHash.get(digest);
    const key = keyId && hot.apiKeys.get(keyId);
    if (!key?.isActive) throw new ProxyError('invalid_api_key', { problem: 'invalid API key' });
    if (key.expiresAt !== null && key.expiresAt <= now()) {
      throw new ProxyError('invalid_api_key', { problem: 'this API key has expired' });
    }
    return key;
  };

/** What each connection said last, and no longer than it lasts: a client says the same with every request. */
const said = new WeakMap<Socket, { readonly authorization: string; readonly digest: string | undefined }>();

/** @returns the digest of the key; undefined where none was sent */
function digestOf({ headers: { authorization }, socket }: ClientRequest): string | undefined {
  if (authorization === undefined) return undefined;
  const before = said.get(socket);
  if (before?.authorization === authorization) return before.digest;
  const secret = bearerOf(authorization);
  const digest = secret === undefined ? undefined : hash('sha256', secret);
  said.set(socket, { authorization, digest });
  return digest;
}

function bearerOf(header: string): string | undefined {
  if (header.length < 8 || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return header.slice(7).trim() || undefined;
}
