import type { AccountLink } from '../../domain/accountLink/state.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Authorization } from '../../provider/signIn/authorization.ts';
import type { DeviceCodes } from '../../provider/signIn/deviceCodes.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { createCallbackListener } from './callbackListener.ts';
import { type CodeExchange, createCodeExchange, systemCause } from './codeExchange.ts';
import { createLinkCompletion, type LinkCompletionOptions } from './linkCompletion.ts';
import { createLinkMonitor } from './linkMonitor.ts';
import { callbackResultOf } from './linkOutcome.ts';
import { createStartLink, type StartLink } from './startLink.ts';

export interface AccountLinksOptions extends LinkCompletionOptions {
  readonly node: string;
  readonly authorization: Authorization;
  readonly deviceCodes: DeviceCodes;
  /** Address of the callback listener; with port 0 the operating system picks a free port. */
  readonly callback: { readonly host: string; readonly port: number };
  /** How long a browser sign-in stays open. */
  readonly lifetimeMs?: number;
  /** How much a `slow_down` response lengthens the polling interval. */
  readonly slowDownMs?: number;
}

/** Links accounts by signing in at the provider (docs/decisions/0050-oauth-linking.md). */
export interface AccountLinks {
  readonly startLink: StartLink;
  readonly receiveCallback: CodeExchange['fromBrowser'];
  /** @throws Refusal `oauth_flow_not_found`, or `conflict` while a code is being exchanged */
  cancelLink(linkId: string, cause: Cause): Promise<AccountLink>;
  /** Resumes the links that were open when the process stopped. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createAccountLinks(options: AccountLinksOptions): AccountLinks {
  const { hot, commands, vault, now, report, node, deviceCodes, callback, slowDownMs } = options;
  const completion = createLinkCompletion(options);
  const codeExchange = createCodeExchange({ ...options, completion });
  const listener = createCallbackListener({ ...callback, onCallback: handleCallback });
  const monitor = createLinkMonitor({
    hot,
    node,
    vault,
    listener,
    deviceCodes,
    now,
    report,
    onExpiry: expire,
    onDeviceEnd: codeExchange.fromDevice,
    ...(slowDownMs !== undefined && { slowDownMs }),
  });

  hot.onFolded(({ type, data }) => {
    if (type.startsWith('AccountLink') || ('linkId' in data && data.linkId !== undefined)) monitor.reconcile();
  });

  async function handleCallback(params: URLSearchParams) {
    try {
      const link = await codeExchange.fromBrowser(params, 'callback');
      return link && callbackResultOf(link, hot.state, vault);
    } catch (error) {
      report(error);
      return UNAVAILABLE;
    }
  }

  async function expire({ id: linkId }: AccountLink): Promise<void> {
    const cause = systemCause('the sign-in expired', linkId);
    await commands.handle(subjects.accountLink, linkId, { type: 'ExpireLink', linkId }, cause);
  }

  return {
    startLink: createStartLink({ ...options, whileListening: monitor.whileListening }),
    receiveCallback: codeExchange.fromBrowser,
    async cancelLink(linkId, cause) {
      const { state } = await commands.handle(subjects.accountLink, linkId, { type: 'CancelLink', linkId }, cause);
      return state ?? refuse('oauth_flow_not_found', { flowId: linkId });
    },
    async start() {
      for (const link of hot.state.links.values()) {
        if (link.node !== node || link.progress.kind !== 'exchanging') continue;
        await completion.fail(
          link,
          'interrupted',
          systemCause('the service stopped during the code exchange', link.id),
        );
      }
      monitor.reconcile();
    },
    async stop() {
      completion.stop();
      await monitor.stop();
      await codeExchange.waitUntilSettled();
    },
  };
}

const UNAVAILABLE = {
  status: 503,
  code: 'log_unavailable',
  title: 'Try again later',
  message:
    'This sign-in cannot be recorded right now because the event log is unavailable. Reload this page in a minute.',
} as const;
