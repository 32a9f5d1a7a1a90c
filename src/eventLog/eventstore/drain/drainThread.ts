import { startThread } from '../../../lib/threads/startThread.ts';
import type { Drainer } from '../../outbox/drainer.ts';
import type { DrainStart } from '../../outbox/outbox.ts';
import type { ReplicationTarget } from '../../replicationTarget.ts';
import type { DrainThread, DrainThreadSettings } from './drainProtocol.ts';

export interface DrainThreadOptions extends DrainStart, Omit<DrainThreadSettings, 'drained'> {
  readonly store: Pick<ReplicationTarget, 'countWritten'>;
}

const WORKER = new URL('./drainWorker.ts', import.meta.url);
/** None of its objects lives longer than an append; with the default, V8 collects their garbage late. */
const resourceLimits = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 };
const RESTART_MS = 1_000;
/** As long as the drainer's pause between appends: waking its thread more often would only cost CPU. */
const WAKE_INTERVAL_MS = 20;
/** Time to close the connection after draining. */
const STOP_GRACE_MS = 2_000;

/** Starts a drainer in a thread of its own, with a connection of its own. A thread that dies is replaced. */
export function startDrainThread(options: DrainThreadOptions): Drainer {
  const { path, settings, mirrorPath, store, onDrained, park, onTrouble, onRecovered, onHidden, onFailure } = options;
  const drained = new Map(options.drained);
  const streamsInTrouble = new Set<string | undefined>();
  let wakeTimer: NodeJS.Timeout | undefined;
  let isWakeDue = false;

  function recovered(stream: string | undefined): void {
    streamsInTrouble.delete(stream);
    onRecovered(stream);
  }

  const thread = startThread<DrainThread>(WORKER, {
    name: 'outbox drainer',
    resourceLimits,
    options: () => ({ path, settings, mirrorPath, drained }),
    keepsProcessAlive: false,
    restart: { afterMs: RESTART_MS },
    onEnd(error) {
      // The next thread finds out again which streams wait.
      for (const stream of streamsInTrouble) if (stream !== undefined) recovered(stream);
      if (error) onFailure(new Error(`the thread that drains it ended: ${error.message}`, { cause: error }));
    },
    reports: {
      drained(events) {
        drained.set(events.stream, events.revision);
        onDrained(events);
      },
      trouble(trouble) {
        streamsInTrouble.add(trouble.stream);
        onTrouble(trouble);
      },
      recovered,
      hidden: onHidden,
    },
    answers: { park, countWritten: ({ stream, ids }) => store.countWritten(stream, ids) },
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
    stop(timeoutMs) {
      clearTimeout(wakeTimer);
      return thread.stop({ timeoutMs, graceMs: STOP_GRACE_MS });
    },
  };
}
