import { position } from '../../../domain/core/brands.ts';
import { fromErrorData } from '../../../lib/threads/errors.ts';
import { startThread } from '../../../lib/threads/startThread.ts';
import type { Drainer, DrainListener } from '../../outbox/drainer.ts';
import type { DrainThread, DrainThreadSettings } from './drainProtocol.ts';

export interface DrainThreadOptions extends DrainListener, Omit<DrainThreadSettings, 'after'> {}

const WORKER = new URL('./drainWorker.ts', import.meta.url);
const RESTART_MS = 1_000;
/** As long as the drainer's pause between appends: waking its thread more often would only cost CPU. */
const WAKE_INTERVAL_MS = 20;
/** Time to close the connection after draining. */
const STOP_GRACE_MS = 2_000;

/** Starts a drainer in a thread of its own, with a connection of its own. A thread that dies is replaced. */
export function startDrainThread({ path, settings, mirrorPath, onDrained, report }: DrainThreadOptions): Drainer {
  let after = position(0);
  let blockedReason: string | undefined;
  let wakeTimer: NodeJS.Timeout | undefined;
  let isWakeDue = false;

  const thread = startThread<DrainThread>(WORKER, {
    name: 'outbox drainer',
    options: () => ({ path, settings, mirrorPath, after }),
    keepsProcessAlive: false,
    restart: { afterMs: RESTART_MS },
    onEnd: (error) =>
      error && report(new Error(`the thread that drains the outbox ended: ${error.message}. Restarting it.`)),
    reports: {
      drained(drained) {
        after = drained.position;
        onDrained(drained);
      },
      blocked(error) {
        blockedReason = error.message;
        report(fromErrorData(error));
      },
      unblocked(message) {
        blockedReason = undefined;
        report(message);
      },
    },
  });

  function wake(): void {
    isWakeDue = wakeTimer !== undefined;
    if (isWakeDue) return;
    thread.notify('wake');
    wakeTimer = setTimeout(() => {
      wakeTimer = undefined;
      if (isWakeDue) wake();
    }, WAKE_INTERVAL_MS).unref();
  }

  return {
    wake,
    get blockedReason() {
      return blockedReason;
    },
    stop(timeoutMs) {
      clearTimeout(wakeTimer);
      return thread.stop({ timeoutMs, graceMs: STOP_GRACE_MS });
    },
  };
}
