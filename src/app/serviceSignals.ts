import type { StopReason } from '../domain/audit/events.ts';
import type { Print } from '../lib/log/line.ts';

/** What signals end. */
export interface StoppableService {
  /** Lets open requests finish, then closes everything. Safe to call twice. */
  stop(reason: StopReason): Promise<void>;
  /** Ends the open requests that `stop` waits for. */
  endOpenRequests(): void;
}

export interface RunningService {
  readonly service: StoppableService;
  /** Called once, when the service has stopped. */
  readonly onStopped: (error?: Error) => void;
}

/**
 * Under npm one Ctrl-C, or one SIGTERM to the process group, arrives twice within this time: directly and forwarded by npm. Only
 * what arrives later is a second signal.
 */
const REPEATED_SIGNAL_MS = 500;

/** By default SIGHUP and SIGUSR2 end a process, and SIGUSR1 opens Node's debugger. */
const WITHOUT_EFFECT = {
  SIGHUP: 'SIGHUP has no effect: svc reads its settings only when it starts. Stop it with SIGTERM.',
  SIGUSR1: 'SIGUSR1 has no effect: it opens no debugger. Start Node with --inspect to debug svc. Stop it with SIGTERM.',
  SIGUSR2: 'SIGUSR2 has no effect. Stop svc with SIGTERM.',
} as const;

/**
 * What the signals of the operator do to `svc serve`. SIGTERM and SIGINT stop it in order and with exit code 0, at first with
 * time for open requests, from a second one on without; a third one ends the process in the middle of that. No other signal
 * that a process can handle ends it (docs/decisions/0032-drain.md).
 */
class ServiceSignals {
  #running: RunningService | undefined;
  #print: Print = (message) => process.stdout.write(`${message}\n`);
  #isListening = false;
  #isStopped = false;
  /** Number of SIGTERM and SIGINT, repetitions excluded, and when the last one arrived. */
  #count = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Called first of all, because until then a signal does what it does by default. Safe to call twice. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#stop(signal));
    for (const [signal, message] of Object.entries(WITHOUT_EFFECT)) {
      process.on(signal, () => this.#print(message, { level: 'warn', code: 'signal_without_effect', subject: signal }));
    }
  }

  /** Called when the output of the service is open: what signals print goes there. */
  printTo(print: Print): void {
    this.#print = print;
  }

  /** Called once the service runs. Before that a signal ends the process: no request was accepted, and nothing needs an end. */
  attach(running: RunningService): void {
    this.#running = running;
  }

  #stop(signal: NodeJS.Signals): void {
    if (!this.#running) process.exit(0);
    const now = performance.now();
    if (this.#isStopped || now - this.#lastAt < REPEATED_SIGNAL_MS) return;
    this.#lastAt = now;
    this.#count += 1;
    const { service, onStopped } = this.#running;
    if (this.#count === 1) {
      this.#print(`${signal}: finishing open requests, send it again to end them now`);
      const stopped = (error?: Error) => {
        this.#isStopped = true;
        onStopped(error);
      };
      service.stop({ reason: 'signal', detail: signal }).then(() => stopped(), stopped);
    } else if (this.#count === 2) {
      this.#print(`${signal}: ending open requests now, send it again to end svc without waiting for anything`);
      service.endOpenRequests();
    } else {
      this.#print(`${signal}: ending at once`);
      process.exit(130);
    }
  }
}

/** Of this process. */
export const serviceSignals = new ServiceSignals();
