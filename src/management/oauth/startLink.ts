import type { LinkData } from '../../domain/accountLink/events.ts';
import { type AccountLink, isOpen } from '../../domain/accountLink/state.ts';
import { type AccountId, type Instant, instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { CALLBACK_PATH } from '../../provider/client/registration.ts';
import type { Authorization } from '../../provider/signIn/authorization.ts';
import type { DeviceCodes, DeviceSecrets } from '../../provider/signIn/deviceCodes.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Commands } from '../http/commands.ts';
import { type LinkMonitor, linkKeyOf } from './linkMonitor.ts';

export interface StartLinkOptions {
  readonly hot: HotRunner;
  readonly commands: Pick<Commands, 'handle'>;
  readonly vault: Vault;
  readonly now: () => Instant;
  readonly newId: () => string;
  readonly node: string;
  readonly authorization: Authorization;
  readonly deviceCodes: DeviceCodes;
  readonly whileListening: LinkMonitor['whileListening'];
  /** How long a browser sign-in stays open. */
  readonly lifetimeMs?: number;
}

export interface LinkRequest {
  readonly method: 'browser' | 'device';
  /** The account to sign in again; null to link any account. */
  readonly target: AccountId | null;
  readonly onDuplicate: LinkData['onDuplicate'];
}

/** What the operator needs to sign in. */
export interface StartedLink {
  readonly link: AccountLink;
  readonly authorizationUrl: string | null;
  readonly device: (DeviceSecrets & { readonly verificationUrl: string }) | null;
  /** Why this machine does not receive the callback; null when it does. */
  readonly callbackProblem: string | null;
}

/**
 * Starts a sign-in. A repeated write returns the sign-in that it started the first time.
 * @throws Refusal `account_not_found` | `rate_limit_exceeded` | `device_auth_unavailable` | `device_auth_failed`
 */
export type StartLink = (request: LinkRequest, cause: Cause) => Promise<StartedLink>;

const LIFETIME_MS = 15 * 60_000;
/** Operators sign in one at a time; more open sign-ins than this come from a broken script. */
const MAX_OPEN = 8;

/** Creates the function that starts sign-ins on this node. */
export function createStartLink(options: StartLinkOptions): StartLink {
  const { hot, commands, vault, now, newId, node, authorization, deviceCodes, whileListening } = options;
  const { lifetimeMs = LIFETIME_MS } = options;

  const recordStart = async (linkId: string, link: Omit<LinkData, 'linkId'>, cause: Cause): Promise<AccountLink> => {
    const { state } = await commands.handle(subjects.accountLink, linkId, { type: 'BeginLink', linkId, link }, cause);
    return state ?? refuse('oauth_flow_not_found', { flowId: linkId });
  };

  const startByBrowser = (linkId: string, { target, onDuplicate }: LinkRequest, cause: Cause): Promise<StartedLink> =>
    whileListening(async ({ port, problem }) => {
      const redirectUri = `http://127.0.0.1:${port}${CALLBACK_PATH}`;
      const expiresAt = instant(now() + lifetimeMs);
      const started = { browser: { redirectUri }, device: null, accountId: target, onDuplicate, expiresAt, node };
      const link = await recordStart(linkId, started, cause);
      const authorizationUrl = await authorization.urlOf(linkId, link.browser?.redirectUri ?? redirectUri);
      return { link, authorizationUrl, device: null, callbackProblem: problem ?? null };
    });

  async function startByDevice(
    linkId: string,
    { target, onDuplicate }: LinkRequest,
    cause: Cause,
  ): Promise<StartedLink> {
    const { secrets, intervalMs, lifetimeMs } = await deviceCodes.request(target);
    const expiresAt = instant(now() + lifetimeMs);
    const sealed = vault.seal(await vault.createKey(linkKeyOf(linkId)), JSON.stringify(secrets));
    const device = { secrets: sealed, intervalMs };
    const started = { browser: null, device, accountId: target, onDuplicate, expiresAt, node };
    try {
      return deviceLink(await recordStart(linkId, started, cause));
    } catch (error) {
      if (!hot.state.links.has(linkId)) await vault.destroy(linkKeyOf(linkId));
      throw error;
    }
  }

  /** A device sign-in with its codes; without them when it is no longer open, since their data key is destroyed. */
  function deviceLink(link: AccountLink): StartedLink {
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
      if (open >= MAX_OPEN) refuse('rate_limit_exceeded', { problem: tooManyOpen(open) });
    } else if (known.device) return deviceLink(await recordStart(linkId, { ...known, accountId: known.target }, cause));
    return method === 'browser' ? startByBrowser(linkId, request, cause) : startByDevice(linkId, request, cause);
  };
}

const tooManyOpen = (open: number) => `${open} sign-ins are open; finish one, or cancel it with POST /api/oauth/cancel`;
