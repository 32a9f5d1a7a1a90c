import { isIPv6 } from 'node:net';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { SignInMethod } from '../../domain/session/events.ts';
import type { Management } from '../app.ts';
import type { ManagementContext } from '../http/context.ts';
import { Throttle } from './throttle.ts';

/** Somebody says that they know something. */
export interface Guess<Proof> {
  /** What they claim to know: each has a throttle of its own. */
  readonly of: string;
  readonly method: SignInMethod;
  /** @returns undefined when they do not */
  readonly check: () => Promise<Proof | undefined> | Proof | undefined;
  readonly otherwise: readonly [ErrorCode, Readonly<Record<string, unknown>>?];
}

/** @throws Refusal `otherwise`, or `rate_limit_exceeded` after 8 wrong guesses from one address within 60 s */
export type Prove = <Proof>(ctx: ManagementContext, guess: Guess<Proof>) => Promise<Proof>;

/**
 * Guesses from one address are looked at one after the other: sent all at once, they are no more than 8 either, and
 * right ones do not get in each other's way.
 */
export function createProve({ now, inTurn, signIns }: Pick<Management, 'now' | 'inTurn' | 'signIns'>): Prove {
  const throttle = new Throttle(now);
  return (ctx, { of, method, check, otherwise }) => {
    const { address } = ctx.state.client;
    const key = `${of} ${neighbourhoodOf(address)}`;
    return inTurn(`guess of ${key}`, async () => {
      try {
        throttle.admit(key);
      } catch (error) {
        signIns.throttled(address);
        throw error;
      }
      const proof = await check();
      if (proof !== undefined) {
        throttle.succeeded(key);
        return proof;
      }
      throttle.failed(key);
      await signIns.failed(method, address, ctx.state.cause);
      return refuse(...otherwise);
    });
  };
}

/** Whoever has one IPv6 address has 2^64 of them. */
function neighbourhoodOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array<string>(missing).fill('0')].slice(0, 4).join(':');
}
