/** Streams beside the history: what they hold has no position and no hash (design.md section 3). */
export const LEASES = 'lease-';
export const VAULT = 'vault-';

export const isVaultStream = (stream: string): boolean => stream.startsWith(VAULT);

/** Whether an event of `$all` is part of the history. The store's own events start with `$`, as do its streams. */
export const isHistory = (stream: string, type: string): boolean =>
  !stream.startsWith('$') && !type.startsWith('$') && !stream.startsWith(LEASES) && !isVaultStream(stream);
