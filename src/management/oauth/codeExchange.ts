import type { CodeSource } from '../../domain/accountLink/events.ts';
import type { AccountLink } from '../../domain/accountLink/state.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import type { TokenResponse } from '../../provider/client/tokenResponse.ts';
import type { Authorization } from '../../provider/signIn/authorization.ts';
import type { DeviceCodes } from '../../provider/signIn/deviceCodes.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Commands } from '../http/commands.ts';
import type { LinkCompletion } from './linkCompletion.ts';
import type { FinalPollResult } from './linkMonitor.ts';

export interface CodeExchangeOptions {
  readonly hot: HotRunner;
  readonly commands: Pick<Commands, 'handle' | 'mutex'>;
  readonly authorization: Authorization;
  readonly deviceCodes: Pick<DeviceCodes, 'redirectUri'>;
  readonly completion: LinkCompletion;
  readonly report: (error: unknown) => void;
}

export interface CallbackSource {
  /** Identifies the client that pasted the callback; absent when the provider redirected a browser. */
  readonly cause?: Cause;
  /** The only link that the callback is accepted for. */
  readonly linkId?: string | undefined;
}

export interface CodeExchange {
  /**
   * Handles the parameters of a callback and waits for the outcome. Repeating the same callback returns the same outcome.
   * @returns undefined when it belongs to no known link; nothing changes then
   */
  fromBrowser(
    callback: URLSearchParams,
    by: 'callback' | 'paste',
    source?: CallbackSource,
  ): Promise<AccountLink | undefined>;
  /** Handles the result that ended the polling of a device code. */
  fromDevice(link: AccountLink, end: FinalPollResult): Promise<void>;
  /** Resolves when no exchange is running; each has recorded its outcome or given up. */
  waitUntilSettled(): Promise<void>;
}

/** The cause of a change to a link that no client requested. */
export const systemCause = (reason: string, linkId: string): Cause => ({
  actor: { kind: 'system', reason },
  correlationId: linkId,
});

/** How long a client waits while the log does not accept the outcome. */
const OUTCOME_TIMEOUT_MS = 15_000;

/** Exchanges the code of each sign-in once, and hands the tokens to `LinkCompletion`. */
export function createCodeExchange(options: CodeExchangeOptions): CodeExchange {
  const { hot, commands, authorization, deviceCodes, completion, report } = options;
  /** Running exchanges by link id. */
  const running = new Map<string, Promise<void>>();

  /** Calls `redeem` unless a code of this link was received before, then waits for the outcome in either case. */
  async function exchange(
    link: AccountLink,
    by: CodeSource,
    cause: Cause,
    redeem: () => Promise<TokenResponse>,
  ): Promise<void> {
    await commands.mutex(`receiving-${link.id}`, async () => {
      const command = { type: 'ReceiveCode', linkId: link.id, by } as const;
      const { events } = await commands.handle(subjects.accountLink, link.id, command, cause);
      if (events[0]?.type !== 'AccountLinkCodeReceived') return;
      const outcome = redeem()
        .then((response) => completion.complete(link, response, cause))
        .catch(report)
        .finally(() => running.delete(link.id));
      running.set(link.id, outcome);
    });
    const outcome = running.get(link.id);
    if (outcome) await withTimeout(OUTCOME_TIMEOUT_MS, outcome);
  }

  return {
    async fromBrowser(callback, by, { cause: clientCause, linkId } = {}) {
      const state = callback.get('state');
      const link = [...hot.state.links.values()].find(
        ({ id, browser }) => browser && authorization.stateOf(id) === state,
      );
      if (!link?.browser || (linkId !== undefined && link.id !== linkId)) return undefined;
      const result = authorization.read(callback, link.id);
      if (result.kind === 'foreign') return undefined;
      const cause = clientCause ?? systemCause('the provider redirected a browser back', link.id);
      if (result.kind === 'refused') {
        const command = { type: 'FailLink', linkId: link.id, code: result.code } as const;
        await commands.handle(subjects.accountLink, link.id, command, cause);
      } else {
        const { redirectUri } = link.browser;
        const grant = {
          code: result.code,
          verifier: authorization.verifierOf(link.id),
          redirectUri,
          accountId: link.target,
        };
        await exchange(link, by, cause, () => authorization.exchange(grant));
      }
      return hot.state.links.get(link.id);
    },
    async fromDevice(link, end) {
      const cause = systemCause('the device code was confirmed', link.id);
      if (end.kind === 'failed') return completion.fail(link, end.code, cause);
      const redeem = async (): Promise<TokenResponse> => {
        if (end.kind === 'tokens') return end;
        const { code, verifier } = end;
        return authorization.exchange({
          code,
          verifier,
          redirectUri: deviceCodes.redirectUri,
          accountId: link.target,
        });
      };
      // The provider returns the code of a device once; unlike a browser, nothing delivers it a second time.
      await completion.repeatUntilRecorded(link, () => exchange(link, 'device', cause, redeem));
    },
    async waitUntilSettled() {
      await Promise.all(running.values());
    },
  };
}
