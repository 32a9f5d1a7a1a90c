import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { SimulatedAccount } from './account.ts';
import type { ResponseScript } from './responseScript.ts';

export const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';

/** A user has granted access: what the authorization code can be exchanged for, once. */
interface Grant {
  readonly account: SimulatedAccount;
  readonly redirectUri: string;
  /** base64url(SHA-256(verifier)). */
  readonly challenge: string;
  readonly expiresAt: number;
  isUsed: boolean;
}

export interface Device {
  readonly deviceAuthId: string;
  readonly userCode: string;
  readonly expiresAt: number;
  /** The user's decision; undefined until the code was entered. */
  decision: { readonly account: SimulatedAccount } | 'denied' | undefined;
}

/** How the provider behaves during a sign-in; tests change it. */
export interface SignInScript {
  /** A string, as sent by the real provider. */
  interval: string | number;
  expiresInSeconds: number;
  /** Sends the expiry of a device code as a time instead of a number of seconds. */
  sendsExpiresAt: boolean;
  /** The address under which clients know the provider, if not its own. */
  publicUrl?: string;
  /** Scripts for the next requests for a device code, before the default. */
  readonly nextUserCodes: ResponseScript[];
  /** The same for polls of a device code. */
  readonly nextPolls: ResponseScript[];
  /** The same for exchanges of a code, which is used up nevertheless. */
  readonly nextExchanges: ResponseScript[];
}

const CODE_LIFETIME_MS = 60_000;

/** The authorization server: browser sign-in with PKCE, and device sign-in. */
export function createAuthorizationServer({ now }: { now: () => number }) {
  const grants = new Map<string, Grant>();
  const devices = new Map<string, Device>();
  const script: SignInScript = {
    interval: '5',
    expiresInSeconds: 900,
    sendsExpiresAt: false,
    nextUserCodes: [],
    nextPolls: [],
    nextExchanges: [],
  };

  function issue(account: SimulatedAccount, redirectUri: string, challenge: string): string {
    const code = `ac_${randomBytes(24).toString('base64url')}`;
    grants.set(code, { account, redirectUri, challenge, expiresAt: now() + CODE_LIFETIME_MS, isUsed: false });
    return code;
  }

  const deviceOf = (userCode: string) => [...devices.values()].find((device) => device.userCode === userCode);

  return {
    script,
    issue,
    deviceOf,

    /** Uses up a code. @returns its account, undefined when the code, redirect URI or verifier is wrong */
    redeem({ code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string }) {
      const grant = grants.get(code);
      if (!grant || grant.isUsed || grant.expiresAt <= now()) return undefined;
      grant.isUsed = true;
      return grant.redirectUri === redirectUri && grant.challenge === challengeOf(verifier) ? grant.account : undefined;
    },

    newDevice(): Device {
      const letters = randomBytes(6).toString('hex').toUpperCase();
      const device: Device = {
        deviceAuthId: `deviceauth_${randomUUID()}`,
        userCode: `${letters.slice(0, 4)}-${letters.slice(4, 9)}`,
        expiresAt: now() + script.expiresInSeconds * 1_000,
        decision: undefined,
      };
      devices.set(device.deviceAuthId, device);
      return device;
    },

    pendingDevice(deviceAuthId: unknown, userCode: unknown): Device | undefined {
      const device = devices.get(String(deviceAuthId));
      return device && device.userCode === userCode && device.expiresAt > now() ? device : undefined;
    },

    /** Called when the device got its code. */
    forget: ({ deviceAuthId }: Device) => devices.delete(deviceAuthId),

    /** Enters a device code as the user of this account. */
    approve(userCode: string, account: SimulatedAccount): void {
      const device = deviceOf(userCode);
      if (!device) throw new Error(`no device waits for the code ${userCode}`);
      device.decision = { account };
    },

    deny(userCode: string): void {
      const device = deviceOf(userCode);
      if (!device) throw new Error(`no device waits for the code ${userCode}`);
      device.decision = 'denied';
    },
  };
}

export type AuthorizationServer = ReturnType<typeof createAuthorizationServer>;

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
