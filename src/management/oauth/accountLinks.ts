import type { AccountLink } from '../../domain/accountLink/state.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Authorization } from '../../provider/signIn/authorization.ts';
import type { DeviceCodes } from '../../provider/signIn/deviceCodes.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { createCallbackListener } from './callbackListener.ts';
import { type CodeReception, createCodeReception } from './codeExchange.ts';
import { createLinkCompletion, type LinkCompletionOptions } from './completeLink.ts';
import { createLinkWatch } from './linkMonitor.ts';
import { resultOf } from './linkOutcome.ts';
import { type BeginLink, createLinkBeginning } from './startLink.ts';
import { linkCause } from './systemCause.ts';

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

/** Links accounts by signing in at the provider (design.md section 5, "OAuth linking"). */
export interface AccountLinks {
  readonly begin: BeginLink;
  readonly receive: CodeReception['fromBrowser'];
  /** @throws Refusal `oauth_flow_not_found`, or `conflict` while a code is being exchanged */
  cancel(linkId: string, cause: Cause): Promise<AccountLink>;
  /** Goes on with what the last run left open. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createAccountLinks(options: AccountLinksOptions): AccountLinks {
  const { hot, handle, vault, now, report, node, deviceCodes, callback, slowDownMs } = options;
  const completion = createLinkCompletion(options);
  const reception = createCodeReception({ ...options, completion });
  const listener = createCallbackListener({ ...callback, onCallback: answerBrowser });
  const watch = createLinkWatch({
    ...{ hot, node, vault, listener, deviceCodes, now, report },
    onExpiry: expire,
    onDeviceEnd: reception.fromDevice,
    ...(slowDownMs !== undefined && { slowDownMs }),
  });

  hot.onFolded(({ type, data }) => {
    if (type.startsWith('AccountLink') || ('linkId' in data && data.linkId !== undefined)) watch.reconcile();
  });

  async function answerBrowser(params: URLSearchParams) {
    try {
      const link = await reception.fromBrowser(params, 'callback');
      return link && resultOf(link, hot.state, vault);
    } catch (error) {
      report(error);
      return UNAVAILABLE;
    }
  }

  async function expire({ id: linkId }: AccountLink): Promise<void> {
    const cause = linkCause('nobody signed in in time', linkId);
    await handle(subjects.accountLink, linkId, { type: 'ExpireLink', linkId }, cause);
  }

  return {
    begin: createLinkBeginning({ ...options, whileListening: watch.whileListening }),
    receive: reception.fromBrowser,
    async cancel(linkId, cause) {
      const { state } = await handle(subjects.accountLink, linkId, { type: 'CancelLink', linkId }, cause);
      return state ?? refuse('oauth_flow_not_found', { flowId: linkId });
    },
    async start() {
      for (const link of hot.state.links.values()) {
        if (link.node !== node || link.progress.kind !== 'exchanging') continue;
        await completion.fail(link, 'interrupted', linkCause('the last run ended in the middle of it', link.id));
      }
      watch.reconcile();
    },
    async stop() {
      completion.stop();
      await watch.stop();
      await reception.settled();
    },
  };
}

const UNAVAILABLE = {
  status: 503,
  code: 'log_unavailable',
  title: 'Not now',
  message: 'This sign-in cannot be written down at the moment. Nothing is lost: load this page again in a while.',
} as const;
