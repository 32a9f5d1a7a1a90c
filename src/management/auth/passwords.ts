import * as scryptKdf from 'scrypt-kdf';
import { refuse } from '../../domain/core/refusal.ts';
import { createSemaphore } from '../../lib/semaphore.ts';

// The types of scrypt-kdf 4.0.0 declare named exports, but the module has only a default export.
const { kdf, verify } = (scryptKdf as unknown as { default: typeof scryptKdf }).default;

/**
 * Hashes and compares passwords in libuv's thread pool.
 * @throws Refusal `rate_limit_exceeded` when too many calls are waiting, regardless of the client
 */
export interface Passwords {
  /** @returns the scrypt-kdf record (parameters, salt, derived key) in base64 */
  hash(password: string): Promise<string>;
  matches(password: string, hash: string): Promise<boolean>;
}

/** The thread pool also decompresses request bodies, and each derivation takes 32 MiB. */
const MAX_CONCURRENT = 2;
/** About 5 s of work. */
const MAX_WAITING = 100;
const TOO_MANY = { problem: 'too many passwords are being checked; try again in 5 s', retryAfterSeconds: 5 };

/** @param logN binary logarithm of the cost; 15 takes about 100 ms and 32 MiB (scrypt-kdf, "Recommended parameter values") */
export function createPasswords({ logN = 15 }: { logN?: number } = {}): Passwords {
  const semaphore = createSemaphore(MAX_CONCURRENT);
  let pending = 0;

  async function runLimited<Result>(work: () => Promise<Result>): Promise<Result> {
    if (pending >= MAX_CONCURRENT + MAX_WAITING) refuse('rate_limit_exceeded', TOO_MANY);
    pending++;
    try {
      return await semaphore(work);
    } finally {
      pending--;
    }
  }

  return {
    hash: (password) =>
      runLimited(async () => Buffer.from(await kdf(normalize(password), { logN })).toString('base64')),
    matches: (password, hash) => runLimited(() => verify(Buffer.from(hash, 'base64'), normalize(password))),
  };
}

/** Normalizes to NFC, because keyboards compose the same letter from different code points. */
const normalize = (password: string) => password.normalize('NFC');
