import type { ApiKeyId } from '../core/brands.ts';
import type { ApiKey } from './state.ts';

const NOWHERE: readonly string[] = [];

/**
 * The regions in which the next attempt of a request may be served, by its key as it is at the time of the choice.
 * @param keyId null: sent without a key
 * @returns undefined: every region. Empty: none, because the key was deleted while its request was open
 */
export function regionsOf(
  { apiKeys }: { readonly apiKeys: ReadonlyMap<ApiKeyId, ApiKey> },
  keyId: ApiKeyId | null,
): readonly string[] | undefined {
  if (keyId === null) return undefined;
  const key = apiKeys.get(keyId);
  return key ? key.regions : NOWHERE;
}
