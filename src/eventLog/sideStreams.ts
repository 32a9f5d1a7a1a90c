// Side streams are stored in EventStoreDB but are not part of the history: their events have no position and no hash
// (docs/decisions/0008-side-streams.md).

/** Prefixes of the names of side streams. */
export const LEASE_PREFIX = 'lease-';
/** Prefix of the leases by which nodes see each other (docs/decisions/0062-shared-limits.md). */
export const NODE_LEASE = 'node-';
export const VAULT_PREFIX = 'vault-';
/** Prefix of the stream of signed checkpoints. */
export const CHECKPOINT_PREFIX = 'checkpoint-';
/** Two months of one a minute: a node that was away longer knows the newer ones only. A scavenge removes the rest. */
export const MAX_CHECKPOINT_NOTES = 100_000;

/** Prefix of the streams of sealed segments (docs/decisions/0078-archives-in-eventstoredb.md). */
export const SEGMENT_PREFIX = 'segment-';

export const isVaultStream = (stream: string): boolean => stream.startsWith(VAULT_PREFIX);
export const isLease = (stream: string): boolean => stream.startsWith(LEASE_PREFIX);

export const isNodeLease = (stream: string): boolean => stream.startsWith(LEASE_PREFIX + NODE_LEASE);
export const isSideStream = (stream: string): boolean =>
  isLease(stream) || stream.startsWith(CHECKPOINT_PREFIX) || stream.startsWith(SEGMENT_PREFIX) || isVaultStream(stream);
