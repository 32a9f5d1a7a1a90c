import { EventEmitter } from 'node:events';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { MessagePort, Transferable, Worker, WorkerOptions } from 'node:worker_threads';
import { ENDED, type HostedRun } from './threadHost.ts';

// Setup file of the unit, int and system projects: a worker thread whose program has ended runs the next one. A start costs 60 to
// 120 ms of CPU, and the first two start 900. Programs, messages and files are the real ones, on a thread of their own. A thread that fails
// or is terminated ends, and the next run gets a new one.

/** Programs that close what they open when they stop. */
const KEPT = /\/src\/(eventLog\/sqlite\/writer|readModels\/sqlite\/readModelsWorker|integrity\/tree\/treeWorker)\.ts$/;

/** Idle threads of a program; few tests have more at a time. */
const MAX_IDLE = 3;

const HOST = new URL('./threadHost.ts', import.meta.url);
const threads: typeof import('node:worker_threads') = createRequire(import.meta.url)('node:worker_threads');
const { Worker: NodeWorker, MessageChannel } = threads;

/** By program, because priority and resource limits belong to a thread. */
const idle = new Map<string, Worker[]>();

/** One run of a program, to the service a worker thread. */
class HostedWorker extends EventEmitter {
  readonly #host: Worker;
  readonly #port: MessagePort;
  #isRunning = true;

  constructor(program: string, { workerData, ...options }: WorkerOptions) {
    super();
    this.#host = idle.get(program)?.pop() ?? new NodeWorker(HOST, options);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message) => this.emit('message', message));
    this.#handleEnd(program);
    // vitest ends the process: nothing here keeps it alive.
    this.#host.unref();
    port1.unref();
    const run: HostedRun = { program, workerData, port: port2 };
    this.#host.postMessage(run, [port2]);
  }

  postMessage(message: unknown, transferred?: readonly Transferable[]): void {
    this.#port.postMessage(message, transferred);
  }

  ref(): void {}

  unref(): void {}

  async terminate(): Promise<void> {
    if (this.#isRunning) await this.#host.terminate();
  }

  #handleEnd(program: string): void {
    const host = this.#host;
    const end = (code: number) => {
      this.#isRunning = false;
      host.off('error', onError).off('exit', end).off('message', onMessage);
      this.emit('exit', code);
    };
    const onError = (error: Error) => this.emit('error', error);
    const closed = new Promise((resolve) => this.#port.once('close', resolve));
    const onMessage = async (message: unknown) => {
      if (message !== ENDED) return;
      // What the program sent last arrives before that, on the other port.
      await closed;
      if (!this.#isRunning) return;
      end(0);
      keep(program, host);
    };
    host.on('error', onError).on('exit', end).on('message', onMessage);
  }
}

function keep(program: string, host: Worker): void {
  const others = idle.get(program) ?? [];
  if (others.length < MAX_IDLE) idle.set(program, [...others, host]);
  else void host.terminate();
}

Object.assign(threads, {
  Worker: new Proxy(NodeWorker, {
    construct: (target, [program, options]: [string | URL, WorkerOptions | undefined]) =>
      KEPT.test(String(program)) ? new HostedWorker(String(program), options ?? {}) : new target(program, options),
  }),
});
syncBuiltinESMExports();
