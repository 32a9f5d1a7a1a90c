import type { BegunLink, CodeWay } from '../../domain/accountLink/events.ts';
import { type AccountLink, isOpen } from '../../domain/accountLink/state.ts';
import { type AccountId, instant } from '../../domain/brands.ts';
import { refuse } from '../../domain/refusal.ts';
import { within } from '../../log/within.ts';
import type { Cause } from '../../projecting/commandHandler.ts';
import { subjects } from '../../projecting/subjects.ts';
import type { Authorization } from '../../provider/signIn/authorization.ts';
import type { DeviceCodes, DeviceSecrets } from '../../provider/signIn/deviceCodes.ts';
import { CALLBACK_PATH } from '../../provider/signIn/registration.ts';
import type { TokenAnswer } from '../../provider/tokenAnswer.ts';
import { createCallbackListener } from './callbackListener.ts';
import { createLinkCompletion, type LinkCompletionOptions } from './linkCompletion.ts';
import { resultOf } from './linkResult.ts';
import { createLinkWatch, type DeviceEnd, keySubjectOf } from './linkWatch.ts';

export interface AccountLinksOptions extends LinkCompletionOptions {
  readonly node: string;
  readonly authorization: Authorization;
  readonly deviceCodes: DeviceCodes;
  /** Where browsers come back to; port 0 takes a free one. */
  readonly callback: { readonly host: string; readonly port: number };
  /** How long a sign-in by browser may take. */
  readonly lifetimeMs?: number;
  readonly slowDownMs?: number;
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

export interface Received {
  /** Who brought it; without it, the provider's redirect did. */
  readonly cause?: Cause;
  /** The only link that it may belong to. */
  readonly linkId?: string | undefined;
}

/** Links accounts by signing in at the provider (design.md section 5, "OAuth linking"). */
export interface AccountLinks {
  /** @throws Refusal `account_not_found` | `rate_limit_exceeded` | `device_auth_unavailable` | `device_auth_failed` */
  begin(request: LinkRequest, cause: Cause): Promise<BegunSignIn>;
  /**
   * Takes what the provider sent the browser back with, and waits for what becomes of it. The same one again is told the
   * same. @returns undefined when it belongs to no sign-in that is known; that changes nothing
   */
  receive(callback: URLSearchParams, by: 'callback' | 'paste', from?: Received): Promise<AccountLink | undefined>;
  /** @throws Refusal `oauth_flow_not_found`, or `conflict` while a code is being exchanged */
  cancel(linkId: string, cause: Cause): Promise<AccountLink>;
  /** Goes on with what the last run left open. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const LIFETIME_MS = 15 * 60_000;
/** Operators sign in one at a time; more than this is a script gone wrong. */
const MOST_OPEN = 8;
/** How long a caller waits for an end that the log does not take. */
const PATIENCE_MS = 15_000;

export function createAccountLinks(options: AccountLinksOptions): AccountLinks {
  const { hot, handle, vault, inTurn, now, newId, report, node, authorization, deviceCodes, callback } = options;
  const { lifetimeMs = LIFETIME_MS, slowDownMs } = options;
  const completion = createLinkCompletion(options);
  /** Codes that are being exchanged, each until its end is in the log. */
  const underWay = new Map<string, Promise<void>>();
  const listener = createCallbackListener({ ...callback, onCallback: answerBrowser });
  const watch = createLinkWatch({
    ...{ hot, node, vault, listener, deviceCodes, now, report },
    onExpiry: async ({ id }) => {
      await handle(
        subjects.accountLink,
        id,
        { type: 'ExpireLink', linkId: id },
        because('nobody signed in in time', id),
      );
    },
    onDeviceEnd,
    ...(slowDownMs !== undefined && { slowDownMs }),
  });

  hot.onFolded(({ type, data }) => {
    if (type.startsWith('AccountLink') || ('linkId' in data && data.linkId !== undefined)) watch.reconcile();
  });

  async function answerBrowser(params: URLSearchParams) {
    try {
      const link = await receive(params, 'callback');
      return link && resultOf(link, hot.state, vault);
    } catch (error) {
      report(error);
      return UNAVAILABLE;
    }
  }

  async function receive(
    params: URLSearchParams,
    by: 'callback' | 'paste',
    { cause, linkId }: Received = {},
  ): Promise<AccountLink | undefined> {
    const state = params.get('state');
    const link = [...hot.state.links.values()].find(
      ({ id, browser }) => browser && authorization.stateOf(id) === state,
    );
    if (!link?.browser || (linkId !== undefined && link.id !== linkId)) return undefined;
    const answer = authorization.read(params, link.id);
    if (answer.kind === 'foreign') return undefined;
    const why = cause ?? because('the provider sent a browser back', link.id);
    if (answer.kind === 'refused') {
      await handle(subjects.accountLink, link.id, { type: 'FailLink', linkId: link.id, code: answer.code }, why);
    } else {
      const { redirectUri } = link.browser;
      const grant = { code: answer.code, verifier: authorization.verifierOf(link.id), redirectUri };
      await exchange(link, by, why, () => authorization.exchange(grant));
    }
    return hot.state.links.get(link.id);
  }

  /** Spends what a sign-in brought, if this is the first that it brings, and waits for the end, whoever began it. */
  async function exchange(
    link: AccountLink,
    by: CodeWay,
    cause: Cause,
    spend: () => Promise<TokenAnswer>,
  ): Promise<void> {
    await inTurn(`receiving-${link.id}`, async () => {
      const { events } = await handle(
        subjects.accountLink,
        link.id,
        { type: 'ReceiveCode', linkId: link.id, by },
        cause,
      );
      if (events[0]?.type !== 'AccountLinkCodeReceived') return;
      const end = spend()
        .then((answer) => completion.complete(link, answer, cause))
        .catch(report)
        .finally(() => underWay.delete(link.id));
      underWay.set(link.id, end);
    });
    const end = underWay.get(link.id);
    if (end) await within(PATIENCE_MS, end);
  }

  async function onDeviceEnd(link: AccountLink, end: DeviceEnd): Promise<void> {
    const cause = because('a device code was answered', link.id);
    if (end.kind === 'failed') return completion.fail(link, end.code, cause);
    const spend = async (): Promise<TokenAnswer> => {
      if (end.kind === 'tokens') return end;
      const { code, verifier } = end;
      return authorization.exchange({ code, verifier, redirectUri: deviceCodes.redirectUri });
    };
    // The provider gives a device's code once, so it cannot come again as a browser can.
    await completion.firmly(link, () => exchange(link, 'device', cause, spend));
  }

  const begin = async (linkId: string, link: Omit<BegunLink, 'linkId'>, cause: Cause): Promise<AccountLink> => {
    const { state } = await handle(subjects.accountLink, linkId, { type: 'BeginLink', linkId, link }, cause);
    return state ?? refuse('oauth_flow_not_found', { flowId: linkId });
  };

  const byBrowser = (linkId: string, { target, onDuplicate }: LinkRequest, cause: Cause): Promise<BegunSignIn> =>
    watch.whileListening(async ({ port, problem }) => {
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

  return {
    async begin(request, cause) {
      const { method, target } = request;
      const linkId = cause.write?.resourceId ?? newId();
      const known = hot.state.links.get(linkId);
      if (!known) {
        if (target !== null && !hot.state.accounts.has(target)) refuse('account_not_found', { accountId: target });
        const open = [...hot.state.links.values()].filter(isOpen).length;
        if (open >= MOST_OPEN) refuse('rate_limit_exceeded', { problem: tooMany(open) });
      } else if (known.device) return shown(await begin(linkId, { ...known, accountId: known.target }, cause));
      return method === 'browser' ? byBrowser(linkId, request, cause) : byDevice(linkId, request, cause);
    },
    receive,
    async cancel(linkId, cause) {
      const { state } = await handle(subjects.accountLink, linkId, { type: 'CancelLink', linkId }, cause);
      return state ?? refuse('oauth_flow_not_found', { flowId: linkId });
    },
    async start() {
      for (const link of hot.state.links.values()) {
        if (link.node !== node || link.progress.kind !== 'exchanging') continue;
        await completion.fail(link, 'interrupted', because('the last run ended in the middle of it', link.id));
      }
      watch.reconcile();
    },
    async stop() {
      completion.stop();
      await watch.stop();
      await Promise.all(underWay.values());
    },
  };
}

const tooMany = (open: number) =>
  `${open} sign-ins are under way; finish one, or cancel it with POST /api/oauth/cancel`;

const UNAVAILABLE = {
  status: 503,
  code: 'log_unavailable',
  title: 'Not now',
  message: 'This sign-in cannot be written down at the moment. Nothing is lost: load this page again in a while.',
} as const;

const because = (reason: string, linkId: string): Cause => ({
  actor: { kind: 'system', reason },
  correlationId: linkId,
});
