import type { Faults } from '../../lib/faults.ts';
import { keyFromFile } from '../../vault/masterKey.ts';

export interface WatchMasterKeyOptions {
  /** `master.key`, which svc has read. */
  readonly path: string;
  readonly faults: Faults;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 10_000;
const CODE = 'master_key_not_kept';

/**
 * Compares the file of the master key with the key that svc goes on with: a start without it opens no token. svc does not write
 * the file again, because a key that was taken away may have been meant to leave the disk.
 */
export function watchMasterKey({ path, faults, intervalMs = INTERVAL_MS }: WatchMasterKeyOptions): { stop(): void } {
  const key = keyFromFile(path, { mayCreate: false });

  function isKept(): boolean {
    try {
      return keyFromFile(path, { mayCreate: false }).equals(key);
    } catch {
      return false;
    }
  }

  const timer = setInterval(() => {
    if (isKept()) {
      faults.clear(CODE);
      return;
    }
    faults.raise({
      code: CODE,
      cause:
        `${path} was deleted, changed or made unreadable while svc runs. svc goes on with the key that it has read, ` +
        'but its next start will be refused, and without the key every account must sign in again.',
      remedy: `Put the file back from a backup, with mode 600, before svc stops; this ends within ${INTERVAL_MS / 1_000} s then.`,
    });
  }, intervalMs).unref();
  return { stop: () => clearInterval(timer) };
}
