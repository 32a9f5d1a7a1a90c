// Side streams are stored in EventStoreDB but are not part of the history: their events have no position and no hash
// (docs/decisions/0008-side-streams.md).

/** Prefixes of the names of side streams. */
export const LEASE_PREFIX = 'lease-';
export const VAULT_PREFIX = 'vault-';

export const isVaultStream = (stream: string): boolean => stream.startsWith(VAULT_PREFIX);
export const isSideStream = (stream: string): boolean => stream.startsWith(LEASE_PREFIX) || isVaultStream(stream);
