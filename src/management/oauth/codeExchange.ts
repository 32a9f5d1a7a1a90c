import type { CodeWay } from '../../domain/accountLink/events.ts';
import type { AccountLink } from '../../domain/accountLink/state.ts';
import type { KeyedMutex } from '../../lib/keyedMutex.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import type { TokenAnswer } from '../../provider/client/tokenResponse.ts';
import type { Authorization } from '../../provider/signIn/authorization.ts';
import type { DeviceCodes } from '../../provider/signIn/deviceCodes.ts';
import type { Cause, HandleCommand } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { LinkCompletion } from './completeLink.ts';
import type { DeviceEnd } from './linkMonitor.ts';
import { linkCause } from './systemCause.ts';

export interface CodeReceptionOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly inTurn: KeyedMutex;
  readonly authorization: Authorization;
  readonly deviceCodes: Pick<DeviceCodes, 'redirectUri'>;
  readonly completion: LinkCompletion;
  readonly report: (error: unknown) => void;
}

export interface Received {
  /** Who brought it; without it, the provider's redirect did. */
  readonly cause?: Cause;
  /** The only link that it may belong to. */
  readonly linkId?: string | undefined;
}

export interface CodeReception {
  /**
   * Takes what the provider sent the browser back with, and waits for what becomes of it. The same one again is told the
   * same. @returns undefined when it belongs to no sign-in that is known; that changes nothing
   */
  fromBrowser(callback: URLSearchParams, by: 'callback' | 'paste', from?: Received): Promise<AccountLink | undefined>;
  /** Takes what ended the waiting of a sign-in by device. */
  fromDevice(link: AccountLink, end: DeviceEnd): Promise<void>;
  /** Resolves when the end of every code that is being exchanged is in the log, or given up. */
  settled(): Promise<void>;
}

/** How long a client waits for an end that the log does not take. */
const PATIENCE_MS = 15_000;

/** Takes the codes that sign-ins bring, each once, and has the accounts behind them brought in. */
export function createCodeReception(options: CodeReceptionOptions): CodeReception {
  const { hot, handle, inTurn, authorization, deviceCodes, completion, report } = options;
  /** Codes that are being exchanged, each until its end is in the log. */
  const underWay = new Map<string, Promise<void>>();

  /** Spends what a sign-in brought, if this is the first that it brings, and waits for the end, whoever began it. */
  async function exchange(
    link: AccountLink,
    by: CodeWay,
    cause: Cause,
    spend: () => Promise<TokenAnswer>,
  ): Promise<void> {
    await inTurn(`receiving-${link.id}`, async () => {
      const command = { type: 'ReceiveCode', linkId: link.id, by } as const;
      const { events } = await handle(subjects.accountLink, link.id, command, cause);
      if (events[0]?.type !== 'AccountLinkCodeReceived') return;
      const end = spend()
        .then((answer) => completion.complete(link, answer, cause))
        .catch(report)
        .finally(() => underWay.delete(link.id));
      underWay.set(link.id, end);
    });
    const end = underWay.get(link.id);
    if (end) await withTimeout(PATIENCE_MS, end);
  }

  return {
    async fromBrowser(callback, by, { cause, linkId } = {}) {
      const state = callback.get('state');
      const link = [...hot.state.links.values()].find(
        ({ id, browser }) => browser && authorization.stateOf(id) === state,
      );
      if (!link?.browser || (linkId !== undefined && link.id !== linkId)) return undefined;
      const answer = authorization.read(callback, link.id);
      if (answer.kind === 'foreign') return undefined;
      const why = cause ?? linkCause('the provider sent a browser back', link.id);
      if (answer.kind === 'refused') {
        await handle(subjects.accountLink, link.id, { type: 'FailLink', linkId: link.id, code: answer.code }, why);
      } else {
        const { redirectUri } = link.browser;
        const grant = { code: answer.code, verifier: authorization.verifierOf(link.id), redirectUri };
        await exchange(link, by, why, () => authorization.exchange(grant));
      }
      return hot.state.links.get(link.id);
    },
    async fromDevice(link, end) {
      const cause = linkCause('a device code was answered', link.id);
      if (end.kind === 'failed') return completion.fail(link, end.code, cause);
      const spend = async (): Promise<TokenAnswer> => {
        if (end.kind === 'tokens') return end;
        const { code, verifier } = end;
        return authorization.exchange({ code, verifier, redirectUri: deviceCodes.redirectUri });
      };
      // The provider gives a device's code once, so it cannot come again as a browser can.
      await completion.firmly(link, () => exchange(link, 'device', cause, spend));
    },
    async settled() {
      await Promise.all(underWay.values());
    },
  };
}
