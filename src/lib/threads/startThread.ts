import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { Channel, type Messages, type NotificationHandlers, type RequestHandlers } from './channel.ts';
import { ThreadEnded } from './errors.ts';
import { type ControlChannel, type OwnerEndpoint, START, STOP, type ThreadProtocol } from './threadProtocol.ts';

interface CommonSettings<Protocol extends ThreadProtocol> {
  /** Shown by debuggers and in the messages of `ThreadEnded`. */
  readonly name: string;
  /** Called after each start, once the thread accepts messages. */
  readonly onReady?: (ready: Protocol['ready']) => void;
  /** Called whenever the thread has ended, with the error that ended it if there was one; requests are rejected by then. */
  readonly onEnd?: (error: Error | undefined) => void;
  /**
   * What happens when the thread ends without having been stopped: nothing (when absent), a start with the next message, or
   * a start after a delay.
   */
  readonly restart?: 'with the next message' | { readonly afterMs: number };
  /** False: the process may end while the thread runs. */
  readonly keepsProcessAlive?: boolean;
  /** `maxYoungGenerationSizeMb`: default 48. */
  readonly resourceLimits?: ResourceLimits;
}

interface OptionsSetting<Options> {
  /** Returns the data that the thread is started with; called at each start. */
  readonly options: () => Options;
}

interface ReportsSetting<Reports extends Messages> {
  /** Handle the notifications of the thread. */
  readonly reports: NotificationHandlers<Reports>;
}

interface AnswersSetting<Questions extends Messages> {
  /** Handle the requests of the thread. */
  readonly answers: RequestHandlers<Questions>;
}

/** `options`, `reports` and `answers` are required if the protocol declares options, reports and questions. */
export type ThreadSettings<Protocol extends ThreadProtocol> = CommonSettings<Protocol> &
  (Protocol extends { readonly options: infer Options } ? OptionsSetting<Options> : unknown) &
  (Protocol extends { readonly reports: infer Reports extends Messages } ? ReportsSetting<Reports> : unknown) &
  (Protocol extends { readonly questions: infer Questions extends Messages } ? AnswersSetting<Questions> : unknown);

export interface StopOptions {
  /** Time for the thread to finish, passed on to it; no limit when absent. */
  readonly timeoutMs?: number;
  /** Time beyond that before it is terminated. */
  readonly graceMs?: number;
}

/** A worker thread, also across restarts. */
export interface Thread<Protocol extends ThreadProtocol> {
  /** Resolves when the first thread accepts messages. Rejects with the error of its start, or with `ThreadEnded`. */
  readonly ready: Promise<Protocol['ready']>;
  readonly isRunning: boolean;
  /** See `Channel`. Rejects with `ThreadEnded` while no thread runs. */
  readonly request: Channel<Protocol>['request'];
  /** Does nothing while no thread runs. */
  readonly notify: Channel<Protocol>['notify'];
  /** Asks the thread to finish; resolves when it has ended. It is not restarted. */
  stop(options?: StopOptions): Promise<void>;
  /** Ends the thread immediately. It is not restarted. */
  terminate(): Promise<void>;
}

/** One run of the thread. */
interface Run<Protocol extends ThreadProtocol> {
  readonly worker: Worker;
  readonly channel: Channel<Protocol, OwnerEndpoint<Protocol>>;
  readonly ready: Promise<Protocol['ready']>;
  readonly ended: Promise<void>;
}

/** What `--max-semi-space-size=16` comes to: two semi-spaces, and large objects. */
const DEFAULT_LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 48 };

/**
 * Clears the option of the command line, which would override the `resourceLimits` of each thread that starts. The main
 * thread keeps what it was started with.
 */
const clearSemiSpaceOption = (): void => setFlagsFromString('--max-semi-space-size=0');

/** Starts a worker thread. @param program a module that calls `serveThread` with the same protocol */
export function startThread<Protocol extends ThreadProtocol>(
  program: URL,
  settings: ThreadSettings<Protocol>,
): Thread<Protocol> {
  const { name, restart, onReady, onEnd } = settings;
  let current: Run<Protocol> | undefined;
  let restartTimer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let stopped: Promise<void> | undefined;

  function run(): Run<Protocol> {
    const { resourceLimits, keepsProcessAlive = true } = settings;
    const {
      options,
      reports = {},
      answers = {},
    } = settings as Partial<OptionsSetting<unknown> & ReportsSetting<Messages> & AnswersSetting<Messages>>;
    const workerData = options?.();
    clearSemiSpaceOption();
    const worker = new Worker(program, { name, workerData, resourceLimits: { ...DEFAULT_LIMITS, ...resourceLimits } });
    const channel: Run<Protocol>['channel'] = new Channel(worker);
    channel.receive(answers as never, reports as never);
    // After `receive`: listening to messages lets the worker keep the process alive again.
    if (!keepsProcessAlive) worker.unref();
    let cause: Error | undefined;
    worker.on('error', (error) => {
      cause = error as Error;
    });
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        if (current?.worker === worker) current = undefined;
        // While this thread was busy, the error of the start may have arrived just before: its handler runs first.
        queueMicrotask(() => {
          channel.close(endedError(name, cause));
          resolve();
          onEnd?.(cause);
          if (typeof restart === 'object' && !isStopped) restartTimer = setTimeout(start, restart.afterMs).unref();
        });
      });
    });
    const ready = (channel as unknown as ControlChannel).request(START) as Promise<Protocol['ready']>;
    ready.then(onReady, (error: Error) => {
      cause ??= error;
    });
    return { worker, channel, ready, ended };
  }

  function start(): Run<Protocol> {
    current = run();
    return current;
  }

  /** The thread to send a message to. */
  function running(): Run<Protocol> | undefined {
    if (!current && restart === 'with the next message' && !isStopped) start();
    return current;
  }

  function end(): void {
    isStopped = true;
    clearTimeout(restartTimer);
  }

  async function stop({ timeoutMs, graceMs = 0 }: StopOptions): Promise<void> {
    end();
    if (!current) return;
    const { worker, channel, ended } = current;
    (channel as unknown as ControlChannel).notify(STOP, timeoutMs);
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => void worker.terminate(), timeoutMs + graceMs);
    await ended;
    clearTimeout(timer);
  }

  const first = start();
  return {
    ready: first.ready,
    get isRunning() {
      return current !== undefined;
    },
    request: (...message) =>
      running()?.channel.request(...message) ?? Promise.reject(new ThreadEnded(`the ${name} thread is not running`)),
    notify: (...message) => running()?.channel.notify(...message),
    stop(options = {}) {
      stopped ??= stop(options);
      return stopped;
    },
    async terminate() {
      end();
      await current?.worker.terminate();
    },
  };
}

const endedError = (name: string, cause: Error | undefined): ThreadEnded =>
  cause
    ? new ThreadEnded(`the ${name} thread ended: ${cause.message}`, { cause })
    : new ThreadEnded(`the ${name} thread ended`);
