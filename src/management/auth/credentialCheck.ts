import { isIPv6 } from 'node:net';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { SignInMethod } from '../../domain/session/events.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { ManagementState } from '../http/context.ts';
import type { SignInRecorder } from './signInRecorder.ts';
import { MAX_FAILURES, Throttle } from './throttle.ts';

type WrongCredential = readonly [ErrorCode, Readonly<Record<string, unknown>>?];

/** One attempt to prove knowledge of a password, code or token. */
export interface CredentialAttempt<Proof> {
  /** Names the credential; each one is throttled separately. */
  readonly credential: string;
  readonly method: SignInMethod;
  /** @returns undefined when the credential is wrong */
  readonly verify: () => Promise<Proof | undefined> | Proof | undefined;
  /**
   * Whose credential it is, or the name that was given: throttled besides the address, so that many addresses together get no
   * further. An unknown name counts like a known one.
   */
  readonly account?: string;
  /** The operator in whose name it is tried. */
  readonly operatorId?: string | undefined;
  /** The error for a wrong credential, also as a function that is called once `verify` knows what is wrong. */
  readonly refusal: WrongCredential | (() => WrongCredential);
}

/** What an attempt needs of a request. */
export interface Attempting {
  readonly state: Pick<ManagementState, 'client' | 'cause'>;
}

/**
 * @throws Refusal `attempt.refusal`, or `rate_limit_exceeded` after 8 wrong attempts from one address, or 10 on one account,
 * within 60 s
 */
export type CheckCredential = <Proof>(ctx: Attempting, attempt: CredentialAttempt<Proof>) => Promise<Proof>;

interface CredentialCheckOptions extends Pick<Capabilities, 'commands' | 'now'> {
  readonly signIns: SignInRecorder;
}

/** More than one address is allowed: one address alone cannot lock out the owner of an account. */
const MAX_FAILURES_OF_ACCOUNT = MAX_FAILURES + 2;

/**
 * Creates a check that serializes the attempts of one address and on one account. Parallel attempts can therefore neither exceed the
 * throttle nor cause each other's correct credentials to be refused.
 */
export function createCredentialCheck({ commands, now, signIns }: CredentialCheckOptions): CheckCredential {
  const addresses = new Throttle(now);
  const accounts = new Throttle(now, MAX_FAILURES_OF_ACCOUNT);
  return ({ state: { client, cause } }, { credential, method, account, operatorId, verify, refusal }) => {
    const { address } = client;
    const limits = [[addresses, `${credential} ${networkOf(address)}`] as const];
    if (account !== undefined) limits.push([accounts, `${credential} of ${account}`]);

    async function check() {
      try {
        for (const [throttle, key] of limits) throttle.admit(key);
      } catch (error) {
        signIns.throttled(address, operatorId);
        throw error;
      }
      const proof = await verify();
      if (proof !== undefined) {
        for (const [throttle, key] of limits) throttle.clearFailures(key);
        return proof;
      }
      for (const [throttle, key] of limits) throttle.recordFailure(key);
      await signIns.recordFailure(method, address, cause, operatorId);
      return refuse(...(typeof refusal === 'function' ? refusal() : refusal));
    }
    const locked =
      (work: typeof check, [, key]: (typeof limits)[number]) =>
      () =>
        commands.mutex(`credential check: ${key}`, work);
    // The last one is taken first, by every attempt: accounts before addresses.
    return limits.reduce(locked, check)();
  };
}

/** The /64 network of an IPv6 address: a host can use any of the 2^64 addresses in it. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array<string>(missing).fill('0')].slice(0, 4).join(':');
}
