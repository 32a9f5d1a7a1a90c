import { setTimeout as delay } from 'node:timers/promises';
import { type AccountLink, isOpen } from '../../domain/accountLink/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { DeviceCodes, DevicePollResult, DeviceSecrets } from '../../provider/signIn/deviceCodes.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';
import type { CallbackListener, ListenResult } from './callbackListener.ts';

/** A result that ends the polling of a device code. */
export type FinalPollResult = Exclude<DevicePollResult, { kind: 'pending' | 'slowDown' | 'unreachable' }>;

export interface LinkMonitorOptions {
  readonly hot: HotRunner;
  readonly node: string;
  readonly vault: Vault;
  readonly listener: CallbackListener;
  readonly deviceCodes: Pick<DeviceCodes, 'poll'>;
  readonly now: () => Instant;
  readonly onExpiry: (link: AccountLink) => Promise<void>;
  readonly onDeviceEnd: (link: AccountLink, end: FinalPollResult) => Promise<void>;
  readonly report: (error: unknown) => void;
  /** How much each `slow_down` response lengthens the polling interval (RFC 8628 section 3.5). */
  readonly slowDownMs?: number;
}

export interface LinkMonitor {
  /** Opens the callback listener for `work`; afterwards it stays open while a browser sign-in is. */
  whileListening<Result>(work: (listening: ListenResult) => Promise<Result>): Promise<Result>;
  /** Brings listener, polling, expiry timer and data keys in line with the links in the hot state. */
  reconcile(): void;
  stop(): Promise<void>;
}

/** Pause after an expiry that could not be recorded. */
const RETRY_MS = 5_000;
const MAX_INTERVAL_MS = 60_000;
/** Node's timers overflow after 24.8 days, so longer ones are set in steps. */
const MAX_TIMER_MS = 86_400_000;

/** Name of the data key that seals the device code and user code of a link. */
export const linkKeyOf = (linkId: string) => `accountLink-${linkId}`;

/**
 * Creates the monitor that listens for callbacks, polls device codes and expires links. It derives its tasks from the hot
 * state, so a restart resumes open links, and tasks of links that ended on another node are dropped.
 */
export function createLinkMonitor(options: LinkMonitorOptions): LinkMonitor {
  const { hot, node, vault, listener, deviceCodes, now, onExpiry, onDeviceEnd, report, slowDownMs = 5_000 } = options;
  const polling = new Map<string, { readonly controller: AbortController; readonly ended: Promise<void> }>();
  let pendingStarts = 0;
  let expiry: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function poll({ id, device, target }: AccountLink, signal: AbortSignal): Promise<FinalPollResult | undefined> {
    if (!device) return undefined;
    const secrets = JSON.parse(vault.open(device.secrets)) as DeviceSecrets;
    let { intervalMs } = device;
    let isReported = false;
    for (;;) {
      await delay(intervalMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return undefined;
      const response = await deviceCodes.poll(secrets, target, signal);
      if (signal.aborted) return undefined;
      switch (response.kind) {
        case 'pending':
          break;
        case 'slowDown':
          intervalMs = Math.min(Math.max(intervalMs + slowDownMs, response.retryAfterMs ?? 0), MAX_INTERVAL_MS);
          break;
        case 'unreachable':
          intervalMs = Math.min(2 * intervalMs, MAX_INTERVAL_MS);
          if (!isReported) {
            const problem = `Couldn't poll the device code of sign-in ${id} (${response.code})`;
            report(new Error(`${problem}. Retrying until it expires.`));
          }
          isReported = true;
          break;
        default:
          return response;
      }
    }
  }

  function startPolling(link: AccountLink): void {
    const controller = new AbortController();
    const ended = poll(link, controller.signal)
      .then((end) => end && onDeviceEnd(link, end))
      .catch(report)
      .then(() => void polling.delete(link.id));
    polling.set(link.id, { controller, ended });
  }

  function scheduleExpiry(open: readonly AccountLink[]): void {
    clearTimeout(expiry);
    const pending = open.filter(({ progress }) => progress.kind === 'pending');
    if (pending.length === 0) return;
    const next = pending.reduce((a, b) => (b.expiresAt < a.expiresAt ? b : a));
    const inMs = Math.min(Math.max(0, next.expiresAt - now()), MAX_TIMER_MS);
    expiry = setTimeout(() => {
      if (now() >= next.expiresAt) void onExpiry(next).catch(reportAndWait).then(reconcile);
      else reconcile();
    }, inMs).unref();
  }

  async function reportAndWait(error: unknown): Promise<void> {
    report(error);
    await delay(RETRY_MS, undefined, { ref: false });
  }

  function reconcile(): void {
    if (isStopped) return;
    const links = [...hot.state.links.values()];
    const open = links.filter(isOpen);
    const ofThisNode = open.filter((link) => link.node === node);
    const byBrowser = ofThisNode.find(({ browser }) => browser !== null);
    if (byBrowser) void listener.open(callbackPortOf(byBrowser));
    else if (pendingStarts === 0) void listener.close();
    const byDevice = ofThisNode.filter(({ device, progress }) => device !== null && progress.kind === 'pending');
    for (const link of byDevice) if (!polling.has(link.id)) startPolling(link);
    for (const [id, { controller }] of polling) if (!byDevice.some((link) => link.id === id)) controller.abort();
    for (const link of links) if (link.device && !isOpen(link)) void vault.destroy(linkKeyOf(link.id)).catch(report);
    scheduleExpiry(open);
  }

  return {
    async whileListening(work) {
      pendingStarts++;
      try {
        return await work(await listener.open());
      } finally {
        pendingStarts--;
        reconcile();
      }
    },
    reconcile,
    async stop() {
      isStopped = true;
      clearTimeout(expiry);
      const ends = [...polling.values()].map(({ controller, ended }) => {
        controller.abort();
        return ended;
      });
      await Promise.all([listener.close(), ...ends]);
    },
  };
}

/** The port in the link's redirect URI; it differs from the configured one when that was 0. */
const callbackPortOf = ({ browser }: AccountLink): number | undefined =>
  browser === null ? undefined : Number(new URL(browser.redirectUri).port) || undefined;
