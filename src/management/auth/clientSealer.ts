import type { Sealed } from '../../domain/core/brands.ts';
import type { Vault } from '../../vault/vault.ts';

/** Where a client is and what it uses, as the events that it causes record it. */
export interface SealedClient {
  readonly address: Sealed;
  /** Finds the events of an address without revealing it. */
  readonly addressDigest: string;
  readonly userAgent: Sealed | null;
}

/** The subject of the data keys for the clients of the built-in administrator: destroying them forgets where each write came from. */
export const ADMINISTRATOR = 'operator-administrator';

const DIGEST_CHARACTERS = 16;
/** Clients choose their user agents. */
const MAX_CACHED_CLIENTS = 1_000;

/** @returns a short keyed digest of an address, for the filter of the history */
export const addressDigest = (vault: Pick<Vault, 'digest'>, address: string): string =>
  vault.digest('address', address).slice(0, DIGEST_CHARACTERS);

/**
 * @returns a function that seals address and user agent under the administrator's data key, which it creates with the first write.
 * It seals each client once, because an operator makes many changes from one place. It rejects when the vault cannot create a key
 */
export function createClientSealer(vault: Vault): (address: string, userAgent: string | null) => Promise<SealedClient> {
  const sealed = new Map<string, SealedClient>();
  let creating: Promise<string> | undefined;

  function currentKey(): string | Promise<string> {
    const known = vault.currentKeyOf(ADMINISTRATOR);
    if (known !== undefined) return known;
    creating ??= vault.createKey(ADMINISTRATOR).finally(() => {
      creating = undefined;
    });
    return creating;
  }

  return async (address, userAgent) => {
    const keyId = await currentKey();
    const name = JSON.stringify([keyId, address, userAgent]);
    const cached = sealed.get(name);
    if (cached) return cached;
    const client = {
      address: vault.seal(keyId, address),
      addressDigest: addressDigest(vault, address),
      userAgent: userAgent === null ? null : vault.seal(keyId, userAgent),
    };
    if (sealed.size >= MAX_CACHED_CLIENTS) sealed.clear();
    sealed.set(name, client);
    return client;
  };
}
