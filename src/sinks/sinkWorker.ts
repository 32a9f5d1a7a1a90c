import { constants, setPriority } from 'node:os';
import { MarkFile, readMarkFile } from '../dataFolder/markFile.ts';
import { type Ask, serveThread } from '../lib/threads/serveThread.ts';
import { FileTarget } from './fileTarget.ts';
import { SinkFailed, type SinkProgress, type SinkTarget } from './sink.ts';
import { SinkFollower } from './sinkFollower.ts';
import { SinkLog } from './sinkLog.ts';
import type { SinkThread, SinkThreadOptions } from './sinkProtocol.ts';

// Program of the thread that follows the log for sinks.

const POLL_INTERVAL_MS = 5;
const MAX_PAUSE_MS = 60_000;
/** Requests wait for it, at most 30 s. */
const FAIL_CLOSED_PAUSE_MS = 5_000;

// Requests have priority. Only Linux applies this to the thread alone; elsewhere it would affect the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

await serveThread<SinkThread>(({ logPath, sinks }, report, ask) => {
  const log = new SinkLog(logPath);
  const followers = new Map<string, Following>();
  for (const { id, settings, markPath } of sinks) {
    const file = new MarkFile<SinkProgress>(markPath);
    const follower = new SinkFollower({
      log,
      target: targetOf(id, settings, ask),
      mark: {
        read() {
          const content = readMarkFile<SinkProgress>(markPath);
          return content.kind === 'mark' ? content.mark : undefined;
        },
        write: (progress) => file.noteNow(progress),
      },
      ...settings,
      maxPauseMs: settings.isFailClosed ? FAIL_CLOSED_PAUSE_MS : MAX_PAUSE_MS,
      now: Date.now,
      onProgress: (progress) => report('progress', { id, progress }),
      onFailure: (failure) => report('failure', { id, failure }),
      onOtherLog: (position) => report('otherLog', { id, position }),
    });
    followers.set(id, { follower, file, term: undefined, running: Promise.resolve() });
  }

  return {
    requests: {
      async reached({ id, position, timeoutMs }) {
        const following = followers.get(id);
        if (!following?.term) return 0;
        following.follower.notify();
        following.follower.retryNow();
        const deadline = performance.now() + timeoutMs;
        while (following.follower.position < position && performance.now() < deadline) {
          await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
        }
        return following.follower.position;
      },
    },
    notifications: {
      logAdvanced() {
        for (const { follower } of followers.values()) follower.notify();
      },
      lead({ id, isHere }) {
        const following = followers.get(id);
        if (!following || isHere === (following.term !== undefined)) return;
        following.term?.abort();
        following.term = isHere ? new AbortController() : undefined;
        const { term, follower, running } = following;
        if (term) following.running = running.then(() => follower.run(term.signal));
      },
    },
    async stop() {
      for (const { term } of followers.values()) term?.abort();
      await Promise.all([...followers.values()].map(({ running }) => running));
      for (const { file } of followers.values()) file.close();
      log.close();
    },
  };
});

interface Following {
  readonly follower: SinkFollower;
  readonly file: MarkFile<SinkProgress>;
  /** Aborted when this node stops delivering to the sink; undefined while it does not. */
  term: AbortController | undefined;
  running: Promise<void>;
}

function targetOf(
  id: string,
  settings: SinkThreadOptions['sinks'][number]['settings'],
  ask: Ask<SinkThread>,
): SinkTarget {
  if (settings.kind === 'file') return new FileTarget(settings.path, settings.rotation);
  return {
    async deliver(lines, signal) {
      const refused = await Promise.race([ask('post', { id, lines }), refusedByStop(signal)]);
      if (refused) throw new SinkFailed(refused.message, refused.remedy, refused);
    },
    close: () => undefined,
  };
}

/** A response that is still awaited holds up no stop: what it would have said is repeated. */
const refusedByStop = (signal: AbortSignal): Promise<{ message: string; remedy: string; isTooLarge: boolean }> =>
  new Promise((resolve) => {
    const stopped = () => resolve({ message: 'svc stops.', remedy: '', isTooLarge: false });
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true });
  });
