import type { Sealed } from '../../domain/core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { createKeyedMutex } from '../../lib/keyedMutex.ts';
import type { Vault } from '../../vault/vault.ts';
import { dataKeyOf } from '../people/directory.ts';

/** Where a client is and what it uses, as the events that it causes record it. */
export interface SealedClient {
  readonly address: Sealed;
  /** Finds the events of an address without revealing it. */
  readonly addressDigest: string;
  readonly userAgent: Sealed | null;
}

/** The subject of the data keys for the clients of the built-in administrator: destroying them forgets where each write came from. */
export const ADMINISTRATOR = dataKeyOf(BUILT_IN_ADMINISTRATOR);

const DIGEST_CHARACTERS = 16;
/** Clients choose their user agents. */
const MAX_CACHED_CLIENTS = 1_000;

/** @returns a short keyed digest of an address, for the filter of the history */
export const addressDigest = (vault: Pick<Vault, 'digest'>, address: string): string =>
  vault.digest('address', address).slice(0, DIGEST_CHARACTERS);

/** Seals what events record of a client under the data key of a person. It rejects when the vault cannot create a key. */
export type SealClient = (operatorId: string, address: string, userAgent: string | null) => Promise<SealedClient>;

/**
 * @returns a function that creates the data key of a person with their first write, and seals each client once, because people make
 * many changes from one place
 */
export function createClientSealer(vault: Vault): SealClient {
  const sealed = new Map<string, SealedClient>();
  const mutex = createKeyedMutex();

  const keyOf = async (subject: string): Promise<string> =>
    vault.currentKeyOf(subject) ??
    mutex(subject, async () => vault.currentKeyOf(subject) ?? (await vault.createKey(subject)));

  return async (operatorId, address, userAgent) => {
    const keyId = await keyOf(dataKeyOf(operatorId));
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
