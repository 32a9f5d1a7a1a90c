import { hash } from 'node:crypto';
import type { Faults } from '../lib/faults.ts';
import { type Post, shownUrl } from '../lib/outgoing/post.ts';
import { startThread, type Thread } from '../lib/threads/startThread.ts';
import { whenAborted } from '../lib/whenAborted.ts';
import { SinkFailed, type SinkSettings, type SinkStatus } from './sink.ts';
import type { SinkThread } from './sinkProtocol.ts';
import { createUrlTarget, type PostLines } from './urlTarget.ts';

export interface KeepSinksOptions {
  readonly settings: readonly SinkSettings[];
  /** The file of the event log, or of its mirror. */
  readonly logPath: string;
  /** Returns the path of a file in the data folder. */
  readonly file: (name: string) => string;
  readonly post: Post;
  /** Sent to a URL as `Authorization`. */
  readonly authorization: string | undefined;
  /** Runs the work on one node of those that share the log. */
  readonly lead: (work: (term: { readonly signal: AbortSignal }) => Promise<void>) => { stop(): Promise<void> };
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  readonly now: () => number;
}

export interface Sinks {
  readonly status: readonly SinkStatus[];
  /** Begins to deliver. */
  start(): void;
  /** Says that the log has grown to a position. */
  notify(position: number): void;
  /** Whether every fail-closed sink takes events. */
  readonly isTaking: boolean;
  /**
   * Undefined while nothing has to wait. While a fail-closed sink takes no events: resolves when it does again, with true, or with
   * false after the time.
   */
  whenTaking(timeoutMs: number): Promise<boolean> | undefined;
  /** Delivers up to the position for at most 2 s, and stops. */
  stop(position: number | undefined): Promise<void>;
}

const WORKER = new URL('./sinkWorker.ts', import.meta.url);
/** Events that follow one another within this time are delivered together. */
const GATHER_MS = 100;
const STOP_MS = 2_000;
const RESTART_MS = 5_000;
export const SINK_FAULT = 'sink_not_delivered';
const OTHER_LOG = 'sink_of_another_log';

interface Kept {
  readonly id: string;
  readonly settings: SinkSettings;
  readonly target: string;
  readonly postLines: PostLines | undefined;
  position: number;
  deliveredAt: number | null;
  failure: string | null;
}

/** Delivers the log to its sinks in a thread of its own, so that a sink that fails or is slow holds nothing up. */
export function keepSinks(options: KeepSinksOptions): Sinks {
  const { settings, logPath, file, faults, now } = options;
  const sinks = new Map(settings.map((given) => [idOf(given), keptOf(given, options)]));
  let thread: Thread<SinkThread> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let waiting: (() => void)[] = [];
  const leading = new Set<string>();
  const tasks: { stop(): Promise<void> }[] = [];
  const stopping = new AbortController();

  const open = (): Thread<SinkThread> =>
    startThread<SinkThread>(WORKER, {
      name: 'sinks',
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
      restart: { afterMs: RESTART_MS },
      options: () => ({
        logPath,
        sinks: [...sinks.values()].map(({ id, settings: given }) => ({
          id,
          settings: given,
          markPath: file(`sink-${id}.mark`),
        })),
      }),
      onReady() {
        for (const id of leading) thread?.notify('lead', { id, isHere: true });
      },
      onEnd(error) {
        if (!error) return;
        for (const sink of sinks.values()) fail(sink, error.message, 'svc tries again by itself.');
      },
      reports: {
        progress({ id, progress }) {
          const sink = sinks.get(id) as Kept;
          sink.position = progress.position;
          sink.deliveredAt = progress.deliveredAt;
        },
        failure({ id, failure }) {
          const sink = sinks.get(id) as Kept;
          if (failure) fail(sink, failure.message, failure.remedy);
          else succeed(sink);
        },
        otherLog({ id, position }) {
          const { target } = sinks.get(id) as Kept;
          faults.raise(
            {
              code: OTHER_LOG,
              subject: target,
              cause: `The log was delivered to ${target} up to position ${position}, and is another one now. It is delivered there from its beginning.`,
              remedy:
                'You need not do anything: events have the origin of their log and ids, by which the receiver tells them apart.',
            },
            { overAfterMs: 60_000, level: 'warn' },
          );
        },
      },
      answers: {
        async post({ id, lines }) {
          const { postLines } = sinks.get(id) as Kept;
          try {
            await postLines?.(lines, stopping.signal);
            return undefined;
          } catch (error) {
            if (!(error instanceof SinkFailed)) throw error;
            const { message, remedy, isTooLarge } = error;
            return { message, remedy, isTooLarge };
          }
        },
      },
    });

  function fail(sink: Kept, message: string, remedy: string): void {
    sink.failure = message;
    const waits = sink.settings.isFailClosed ? ' Model requests and changes wait meanwhile.' : '';
    faults.raise({
      code: SINK_FAULT,
      subject: sink.target,
      cause: `Events are not delivered to ${sink.target}: ${message}${waits}`,
      remedy: `${remedy} What was missed is delivered when it is back.`,
    });
  }

  function succeed(sink: Kept): void {
    sink.failure = null;
    faults.clear(SINK_FAULT, sink.target);
    if (isTaking()) for (const resolve of waiting.splice(0)) resolve();
  }

  const isTaking = (): boolean =>
    [...sinks.values()].every(({ settings: { isFailClosed }, failure }) => !isFailClosed || failure === null);

  function setLead(id: string, isHere: boolean): void {
    if (isHere) leading.add(id);
    else leading.delete(id);
    thread?.notify('lead', { id, isHere });
  }

  return {
    get status() {
      return [...sinks.values()].map(
        ({ settings: { kind, format, isFailClosed }, target, position, deliveredAt, failure }) => ({
          ...{ kind, target, format, isFailClosed, position, deliveredAt, failure },
        }),
      );
    },
    get isTaking() {
      return isTaking();
    },
    start() {
      if (sinks.size === 0) return;
      thread = open();
      for (const { id, settings: given } of sinks.values()) {
        // Each node has a file of its own; a URL gets each event from one node.
        if (given.kind === 'file') setLead(id, true);
        else
          tasks.push(
            options.lead(async ({ signal }) => {
              setLead(id, true);
              await whenAborted(signal);
              setLead(id, false);
            }),
          );
      }
    },
    notify() {
      if (!thread || timer) return;
      timer = setTimeout(() => {
        timer = undefined;
        thread?.notify('logAdvanced');
      }, GATHER_MS).unref();
    },
    whenTaking(timeoutMs) {
      if (isTaking()) return undefined;
      return new Promise((resolve) => {
        const late = setTimeout(() => {
          waiting = waiting.filter((other) => other !== taken);
          resolve(false);
        }, timeoutMs).unref();
        const taken = () => {
          clearTimeout(late);
          resolve(true);
        };
        waiting.push(taken);
      });
    },
    async stop(position) {
      clearTimeout(timer);
      if (!thread) return;
      const running = thread;
      const deadline = now() + STOP_MS;
      if (position !== undefined) {
        const delivered = [...leading].map((id) => running.request('reached', { id, position, timeoutMs: STOP_MS }));
        await Promise.allSettled(delivered);
      }
      stopping.abort();
      await Promise.all(tasks.map((task) => task.stop()));
      await running.stop({ timeoutMs: Math.max(0, deadline - now()), graceMs: 500 });
    },
  };
}

/** The same for the same place: another place has no progress yet. */
function idOf(settings: SinkSettings): string {
  const place = settings.kind === 'file' ? settings.path : settings.url;
  return `${settings.kind}-${hash('sha256', `${place} ${settings.format}`).slice(0, 16)}`;
}

function keptOf(settings: SinkSettings, { post, authorization }: KeepSinksOptions): Kept {
  const target = settings.kind === 'file' ? settings.path : shownUrl(new URL(settings.url));
  const { format } = settings;
  const postLines =
    settings.kind === 'url' ? createUrlTarget({ url: settings.url, format, authorization, post }) : undefined;
  return { id: idOf(settings), settings, target, postLines, position: 0, deliveredAt: null, failure: null };
}
