import type { BegunLink } from '../../domain/accountLink/events.ts';
import { type AccountLink, isOpen } from '../../domain/accountLink/state.ts';
import { type AccountId, type Instant, instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { CALLBACK_PATH } from '../../provider/client/registration.ts';
import type { Authorization } from '../../provider/signIn/authorization.ts';
import type { DeviceCodes, DeviceSecrets } from '../../provider/signIn/deviceCodes.ts';
import type { Cause, HandleCommand } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';
import { keySubjectOf, type LinkWatch } from './linkMonitor.ts';

export interface LinkBeginningOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly vault: Vault;
  readonly now: () => Instant;
  readonly newId: () => string;
  readonly node: string;
  readonly authorization: Authorization;
  readonly deviceCodes: DeviceCodes;
  readonly whileListening: LinkWatch['whileListening'];
  /** How long a sign-in by browser may take. */
  readonly lifetimeMs?: number;
}

export interface LinkRequest {
  readonly method: 'browser' | 'device';
  /** The account to be signed in anew; null to bring in whichever comes. */
  readonly target: AccountId | null;
  readonly onDuplicate: BegunLink['onDuplicate'];
}

/** What the operator needs to sign in. */
export interface BegunSignIn {
  readonly link: AccountLink;
  readonly authorizationUrl: string | null;
  readonly device: (DeviceSecrets & { readonly verificationUrl: string }) | null;
  readonly callbackProblem: string | null;
}

/** @throws Refusal `account_not_found` | `rate_limit_exceeded` | `device_auth_unavailable` | `device_auth_failed` */
export type BeginLink = (request: LinkRequest, cause: Cause) => Promise<BegunSignIn>;

const LIFETIME_MS = 15 * 60_000;
/** Operators sign in one at a time; more than this is a script gone wrong. */
const MAX_OPEN = 8;

/** Begins sign-ins, by browser and by device code; a write that is repeated gets the sign-in that it began. */
export function createLinkBeginning(options: LinkBeginningOptions): BeginLink {
  const { hot, handle, vault, now, newId, node, authorization, deviceCodes, whileListening } = options;
  const { lifetimeMs = LIFETIME_MS } = options;

  const begin = async (linkId: string, link: Omit<BegunLink, 'linkId'>, cause: Cause): Promise<AccountLink> => {
    const { state } = await handle(subjects.accountLink, linkId, { type: 'BeginLink', linkId, link }, cause);
    return state ?? refuse('oauth_flow_not_found', { flowId: linkId });
  };

  const byBrowser = (linkId: string, { target, onDuplicate }: LinkRequest, cause: Cause): Promise<BegunSignIn> =>
    whileListening(async ({ port, problem }) => {
      const redirectUri = `http://127.0.0.1:${port}${CALLBACK_PATH}`;
      const expiresAt = instant(now() + lifetimeMs);
      const begun = { browser: { redirectUri }, device: null, accountId: target, onDuplicate, expiresAt, node };
      const link = await begin(linkId, begun, cause);
      const authorizationUrl = await authorization.urlOf(linkId, link.browser?.redirectUri ?? redirectUri);
      return { link, authorizationUrl, device: null, callbackProblem: problem ?? null };
    });

  async function byDevice(linkId: string, { target, onDuplicate }: LinkRequest, cause: Cause): Promise<BegunSignIn> {
    const { secrets, intervalMs, lifetimeMs } = await deviceCodes.request();
    const expiresAt = instant(now() + lifetimeMs);
    const sealed = vault.seal(await vault.createKey(keySubjectOf(linkId)), JSON.stringify(secrets));
    const device = { secrets: sealed, intervalMs };
    const begun = { browser: null, device, accountId: target, onDuplicate, expiresAt, node };
    try {
      return shown(await begin(linkId, begun, cause));
    } catch (error) {
      if (!hot.state.links.has(linkId)) await vault.destroy(keySubjectOf(linkId));
      throw error;
    }
  }

  /** A sign-in by device as it was begun; what has ended shows its secrets no more. */
  function shown(link: AccountLink): BegunSignIn {
    const secrets = link.device && isOpen(link) ? (JSON.parse(vault.open(link.device.secrets)) as DeviceSecrets) : null;
    const device = secrets && { ...secrets, verificationUrl: deviceCodes.verificationUrl };
    return { link, authorizationUrl: null, device, callbackProblem: null };
  }

  return async (request, cause) => {
    const { method, target } = request;
    const linkId = cause.write?.resourceId ?? newId();
    const known = hot.state.links.get(linkId);
    if (!known) {
      if (target !== null && !hot.state.accounts.has(target)) refuse('account_not_found', { accountId: target });
      const open = [...hot.state.links.values()].filter(isOpen).length;
      if (open >= MAX_OPEN) refuse('rate_limit_exceeded', { problem: tooMany(open) });
    } else if (known.device) return shown(await begin(linkId, { ...known, accountId: known.target }, cause));
    return method === 'browser' ? byBrowser(linkId, request, cause) : byDevice(linkId, request, cause);
  };
}

const tooMany = (open: number) =>
  `${open} sign-ins are under way; finish one, or cancel it with POST /api/oauth/cancel`;
