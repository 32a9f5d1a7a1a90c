import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { SimulatedAccount } from './account.ts';
import type { ResponseScript } from './responseScript.ts';

export const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';

/** Somebody said yes: what a code stands for until it is exchanged, once. */
interface Grant {
  readonly account: SimulatedAccount;
  readonly redirectUri: string;
  /** base64url(SHA-256(verifier)). */
  readonly challenge: string;
  readonly expiresAt: number;
  isSpent: boolean;
}

export interface Device {
  readonly deviceAuthId: string;
  readonly userCode: string;
  readonly expiresAt: number;
  /** What the operator did with the code; undefined while nobody has entered it. */
  answer: { readonly account: SimulatedAccount } | 'denied' | undefined;
}

/** How the provider behaves when somebody signs in; change it as you like. */
export interface SignInScript {
  /** As the provider spells it: text. */
  interval: string | number;
  expiresInSeconds: number;
  /** Gives the end of a device code as a time instead of a number of seconds. */
  saysExpiresAt: boolean;
  /** Answers the next requests for a device code, before the usual answer counts again. */
  readonly nextUserCodes: ResponseScript[];
  /** The same for polls of a device code. */
  readonly nextPolls: ResponseScript[];
  /** The same for exchanges of a code, which is spent all the same. */
  readonly nextExchanges: ResponseScript[];
}

const CODE_LIFETIME_MS = 60_000;

/** The authorization server: codes by browser, with PKCE, and by device. */
export function createAuthorizationServer({ now }: { now: () => number }) {
  const grants = new Map<string, Grant>();
  const devices = new Map<string, Device>();
  const script: SignInScript = {
    interval: '5',
    expiresInSeconds: 900,
    saysExpiresAt: false,
    nextUserCodes: [],
    nextPolls: [],
    nextExchanges: [],
  };

  function issue(account: SimulatedAccount, redirectUri: string, challenge: string): string {
    const code = `ac_${randomBytes(24).toString('base64url')}`;
    grants.set(code, { account, redirectUri, challenge, expiresAt: now() + CODE_LIFETIME_MS, isSpent: false });
    return code;
  }

  const deviceOf = (userCode: string) => [...devices.values()].find((device) => device.userCode === userCode);

  return {
    script,
    issue,
    deviceOf,

    /** The account that a code stands for; it is spent from now on. Undefined when anything about it is wrong. */
    redeem({ code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string }) {
      const grant = grants.get(code);
      if (!grant || grant.isSpent || grant.expiresAt <= now()) return undefined;
      grant.isSpent = true;
      return grant.redirectUri === redirectUri && grant.challenge === challengeOf(verifier) ? grant.account : undefined;
    },

    newDevice(): Device {
      const letters = randomBytes(6).toString('hex').toUpperCase();
      const device: Device = {
        deviceAuthId: `deviceauth_${randomUUID()}`,
        userCode: `${letters.slice(0, 4)}-${letters.slice(4, 9)}`,
        expiresAt: now() + script.expiresInSeconds * 1_000,
        answer: undefined,
      };
      devices.set(device.deviceAuthId, device);
      return device;
    },

    deviceAsking(deviceAuthId: unknown, userCode: unknown): Device | undefined {
      const device = devices.get(String(deviceAuthId));
      return device && device.userCode === userCode && device.expiresAt > now() ? device : undefined;
    },

    /** Done with: its code is given once. */
    forget: ({ deviceAuthId }: Device) => devices.delete(deviceAuthId),

    /** Enters a device code, as somebody who is signed in as this account. */
    approve(userCode: string, account: SimulatedAccount): void {
      const device = deviceOf(userCode);
      if (!device) throw new Error(`nobody asked for the device code ${userCode}`);
      device.answer = { account };
    },

    deny(userCode: string): void {
      const device = deviceOf(userCode);
      if (!device) throw new Error(`nobody asked for the device code ${userCode}`);
      device.answer = 'denied';
    },
  };
}

export type AuthorizationServer = ReturnType<typeof createAuthorizationServer>;

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
