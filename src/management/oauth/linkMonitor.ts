import { setTimeout as delay } from 'node:timers/promises';
import { type AccountLink, isOpen } from '../../domain/accountLink/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { DeviceAnswer, DeviceCodes, DeviceSecrets } from '../../provider/signIn/deviceCodes.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';
import type { CallbackListener, Listening } from './callbackListener.ts';

/** What ends a device's waiting. */
export type DeviceEnd = Exclude<DeviceAnswer, { kind: 'pending' | 'slowDown' | 'unreachable' }>;

export interface LinkWatchOptions {
  readonly hot: HotRunner;
  readonly node: string;
  readonly vault: Vault;
  readonly listener: CallbackListener;
  readonly deviceCodes: Pick<DeviceCodes, 'poll'>;
  readonly now: () => Instant;
  readonly onExpiry: (link: AccountLink) => Promise<void>;
  readonly onDeviceEnd: (link: AccountLink, end: DeviceEnd) => Promise<void>;
  readonly report: (error: unknown) => void;
  /** What a provider that asks for patience gets more of with each time (RFC 8628 section 3.5). */
  readonly slowDownMs?: number;
}

export interface LinkWatch {
  /** Listens for browsers while `work` runs; afterwards as long as a sign-in by browser is open. */
  whileListening<Result>(work: (listening: Listening) => Promise<Result>): Promise<Result>;
  /** Brings what is watched in line with the fold: listener, polling, expiry, keys of what has ended. */
  reconcile(): void;
  stop(): Promise<void>;
}

/** What the log did not take is offered to it again after so long. */
const RETRY_MS = 5_000;
const MAX_INTERVAL_MS = 60_000;
/** A timer that would overflow is set again when it ends. */
const MAX_TIMER_MS = 86_400_000;

/** Name of the data key of what the provider gave for a device. */
export const keySubjectOf = (linkId: string) => `accountLink-${linkId}`;

/**
 * Waits for the operators who sign in. What there is to wait for stands in the fold, so a restart goes on where the last
 * run ended, and nothing is waited for that has ended elsewhere.
 */
export function createLinkWatch(options: LinkWatchOptions): LinkWatch {
  const { hot, node, vault, listener, deviceCodes, now, onExpiry, onDeviceEnd, report, slowDownMs = 5_000 } = options;
  const polling = new Map<string, { readonly give: AbortController; readonly ended: Promise<void> }>();
  let holds = 0;
  let expiry: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function poll({ id, device }: AccountLink, signal: AbortSignal): Promise<DeviceEnd | undefined> {
    if (!device) return undefined;
    const secrets = JSON.parse(vault.open(device.secrets)) as DeviceSecrets;
    let { intervalMs } = device;
    let isTold = false;
    for (;;) {
      await delay(intervalMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return undefined;
      const answer = await deviceCodes.poll(secrets, signal);
      if (signal.aborted) return undefined;
      switch (answer.kind) {
        case 'pending':
          break;
        case 'slowDown':
          intervalMs = Math.min(Math.max(intervalMs + slowDownMs, answer.retryAfterMs ?? 0), MAX_INTERVAL_MS);
          break;
        case 'unreachable':
          intervalMs = Math.min(2 * intervalMs, MAX_INTERVAL_MS);
          if (!isTold) report(new Error(`sign-in ${id}: the provider cannot be asked for it (${answer.code})`));
          isTold = true;
          break;
        default:
          return answer;
      }
    }
  }

  function beginPolling(link: AccountLink): void {
    const give = new AbortController();
    const ended = poll(link, give.signal)
      .then((end) => end && onDeviceEnd(link, end))
      .catch(report)
      .then(() => void polling.delete(link.id));
    polling.set(link.id, { give, ended });
  }

  function expireNext(open: readonly AccountLink[]): void {
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
    const mine = open.filter((link) => link.node === node);
    const waiting = mine.find(({ browser }) => browser !== null);
    if (waiting) void listener.open(portOf(waiting));
    else if (holds === 0) void listener.close();
    const devices = mine.filter(({ device, progress }) => device !== null && progress.kind === 'pending');
    for (const link of devices) if (!polling.has(link.id)) beginPolling(link);
    for (const [id, { give }] of polling) if (!devices.some((link) => link.id === id)) give.abort();
    for (const link of links) if (link.device && !isOpen(link)) void vault.destroy(keySubjectOf(link.id)).catch(report);
    expireNext(open);
  }

  return {
    async whileListening(work) {
      holds++;
      try {
        return await work(await listener.open());
      } finally {
        holds--;
        reconcile();
      }
    },
    reconcile,
    async stop() {
      isStopped = true;
      clearTimeout(expiry);
      const ends = [...polling.values()].map(({ give, ended }) => {
        give.abort();
        return ended;
      });
      await Promise.all([listener.close(), ...ends]);
    },
  };
}

/** Where the provider sends the browser: the port may have been any free one when the sign-in began. */
const portOf = ({ browser }: AccountLink): number | undefined =>
  browser === null ? undefined : Number(new URL(browser.redirectUri).port) || undefined;
