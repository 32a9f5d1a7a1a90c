/** Streams beside the history: what they hold has no position and no hash (design.md section 3). */
export const LEASE_STREAMS = 'lease-';
export const VAULT_STREAMS = 'vault-';

export const isVaultStream = (stream: string): boolean => stream.startsWith(VAULT_STREAMS);
/** Whether a stream stands beside the history: such events are neither counted nor hashed. */
export const isSideStream = (stream: string): boolean => stream.startsWith(LEASE_STREAMS) || isVaultStream(stream);
