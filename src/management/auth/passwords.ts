import * as scryptKdf from 'scrypt-kdf';
import { refuse } from '../../domain/core/refusal.ts';
import { createSemaphore } from '../../lib/semaphore.ts';

// Its types promise named exports, its code has one default export (scrypt-kdf 4.0.0).
const { kdf, verify } = (scryptKdf as unknown as { default: typeof scryptKdf }).default;

/**
 * Hashes passwords and compares them, beside the main loop.
 * @throws Refusal `rate_limit_exceeded` when too many wait, wherever they come from
 */
export interface Passwords {
  /** @returns what scrypt-kdf makes of it, in base64: parameters, salt and derived key */
  hash(password: string): Promise<string>;
  matches(password: string, hash: string): Promise<boolean>;
}

/**
 * The threads that derive keys are those that decompress requests: guesses may not take all of them, nor 32 MiB each
 * without bound.
 */
const MAX_CONCURRENT = 2;
/** About 5 s of work: whoever comes later is better told to come back than kept waiting. */
const MAX_WAITING = 100;
const COME_BACK = { problem: 'too many passwords are being checked; try again in 5 s', retryAfterSeconds: 5 };

/** @param logN binary logarithm of the cost; 15 takes about 100 ms and 32 MiB (scrypt-kdf, "Recommended parameter values") */
export function createPasswords({ logN = 15 }: { logN?: number } = {}): Passwords {
  const inSlot = createSemaphore(MAX_CONCURRENT);
  let present = 0;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (present >= MAX_CONCURRENT + MAX_WAITING) refuse('rate_limit_exceeded', COME_BACK);
    present++;
    try {
      return await inSlot(work);
    } finally {
      present--;
    }
  }

  return {
    hash: (password) => inTurn(async () => Buffer.from(await kdf(normal(password), { logN })).toString('base64')),
    matches: (password, hash) => inTurn(() => verify(Buffer.from(hash, 'base64'), normal(password))),
  };
}

/** Keyboards differ in how they compose letters; it is one password all the same. */
const normal = (password: string) => password.normalize('NFC');
