import { isIPv6 } from 'node:net';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { SignInMethod } from '../../domain/session/events.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { ManagementContext } from '../http/context.ts';
import type { SignInRecorder } from './signInRecorder.ts';
import { Throttle } from './throttle.ts';

/** One attempt to prove knowledge of a password, code or token. */
export interface CredentialAttempt<Proof> {
  /** Names the credential; each one is throttled separately. */
  readonly credential: string;
  readonly method: SignInMethod;
  /** @returns undefined when the credential is wrong */
  readonly verify: () => Promise<Proof | undefined> | Proof | undefined;
  /** The error for a wrong credential. */
  readonly refusal: readonly [ErrorCode, Readonly<Record<string, unknown>>?];
}

/** @throws Refusal `attempt.refusal`, or `rate_limit_exceeded` after 8 wrong attempts from one address within 60 s */
export type CheckCredential = <Proof>(ctx: ManagementContext, attempt: CredentialAttempt<Proof>) => Promise<Proof>;

interface CredentialCheckOptions extends Pick<Capabilities, 'commands' | 'now'> {
  readonly signIns: SignInRecorder;
}

/**
 * Creates a check that serializes the attempts of one address. Parallel attempts can therefore neither exceed the throttle
 * nor cause each other's correct credentials to be refused.
 */
export function createCredentialCheck({ commands, now, signIns }: CredentialCheckOptions): CheckCredential {
  const throttle = new Throttle(now);
  return (ctx, { credential, method, verify, refusal }) => {
    const { address } = ctx.state.client;
    const key = `${credential} ${networkOf(address)}`;
    return commands.mutex(`credential check: ${key}`, async () => {
      try {
        throttle.admit(key);
      } catch (error) {
        signIns.throttled(address);
        throw error;
      }
      const proof = await verify();
      if (proof !== undefined) {
        throttle.clearFailures(key);
        return proof;
      }
      throttle.recordFailure(key);
      await signIns.recordFailure(method, address, ctx.state.cause);
      return refuse(...refusal);
    });
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
