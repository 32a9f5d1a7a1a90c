import { withTimeout } from '../withTimeout.ts';

/** What a job knows of its process. */
export interface JobControl {
  /** Aborted when the job is cancelled or the process stops; the job then ends soon, at best by rejecting. */
  readonly signal: AbortSignal;
  /**
   * Shows how far the job is; cheap enough for every batch of work.
   * @param done units that are done, for example events
   * @param of units in total; undefined while it is not known
   * @param step what the job does at the moment, in a few words
   */
  onProgress(done: number, of: number | undefined, step: string): void;
}

export type JobState = 'running' | 'done' | 'failed' | 'cancelled';

/** A job as it is at one moment. Times are milliseconds since 1970. */
export interface Job<Actor = unknown> {
  readonly id: string;
  /** What the job does: `verify`, `evidence`, `archive`. */
  readonly kind: string;
  readonly state: JobState;
  readonly actor: Actor;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly progress: { readonly done: number; readonly of: number | undefined; readonly step: string };
  /** What the job returned, as plain JSON; undefined unless it is done. */
  readonly result: Readonly<Record<string, unknown>> | undefined;
  /** Why it failed, in a sentence for the operator. */
  readonly error: string | undefined;
}

export interface JobStart<Actor> {
  readonly kind: string;
  readonly actor: Actor;
  /** @returns the result, as plain JSON. @throws with a message for the operator */
  readonly run: (control: JobControl) => Promise<Readonly<Record<string, unknown>>>;
}

export interface JobRunnerOptions {
  readonly newId: () => string;
  readonly now: () => number;
  /** Called with the error of a job that failed. */
  readonly report: (error: unknown) => void;
  /** Maximum number of ended jobs that are remembered; default 20. */
  readonly maxHistory?: number;
}

/** A job runs already; a process runs one at a time. */
export class JobRunning extends Error {
  override readonly name = 'JobRunning';
  readonly job: Job;

  constructor(job: Job) {
    super(`Job ${job.id} (${job.kind}) is running. Wait for its end or cancel it.`);
    this.job = job;
  }
}

/** The process stops and begins no more jobs. */
export class JobsStopped extends Error {
  override readonly name = 'JobsStopped';
  constructor() {
    super('The service is stopping.');
  }
}

const MAX_HISTORY = 20;
/** A job that does not heed its signal must not hold up the stop of the service. */
const STOP_TIMEOUT_MS = 2_000;
const MAX_ERROR_LENGTH = 1_000;

interface Running<Actor> {
  readonly cancelling: AbortController;
  job: Job<Actor>;
  ended: Promise<void>;
}

/**
 * Runs long work of this process, one job at a time, and remembers the last ones in memory. The work itself belongs in a thread of
 * low priority: this class only says that it runs, how far it is, and how it ended.
 */
export class JobRunner<Actor = unknown> {
  readonly #options: JobRunnerOptions;
  readonly #ended: Job<Actor>[] = [];
  #running: Running<Actor> | undefined;
  #isStopped = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** The running job. */
  get current(): Job<Actor> | undefined {
    return this.#running?.job;
  }

  /** The running job and the remembered ones, latest first. */
  get all(): readonly Job<Actor>[] {
    return this.#running ? [this.#running.job, ...this.#ended] : [...this.#ended];
  }

  /** The last job of a kind that ended, as far as it is remembered. */
  last(kind: string): Job<Actor> | undefined {
    return this.#ended.find((job) => job.kind === kind);
  }

  find(id: string): Job<Actor> | undefined {
    return this.all.find((job) => job.id === id);
  }

  /** @throws JobRunning | JobsStopped */
  start({ kind, actor, run }: JobStart<Actor>): Job<Actor> {
    if (this.#isStopped) throw new JobsStopped();
    if (this.#running) throw new JobRunning(this.#running.job);
    const { newId, now } = this.#options;
    const job: Job<Actor> = {
      id: newId(),
      kind,
      state: 'running',
      actor,
      startedAt: now(),
      endedAt: undefined,
      progress: { done: 0, of: undefined, step: 'starting' },
      result: undefined,
      error: undefined,
    };
    const running: Running<Actor> = { cancelling: new AbortController(), job, ended: Promise.resolve() };
    this.#running = running;
    running.ended = this.#run(running, run);
    return job;
  }

  /**
   * Cancels a job; one that has ended stays as it is.
   * @returns the job, which still runs if it does not heed its signal within `waitMs`; undefined when no such job is known
   */
  async cancel(id: string, waitMs: number): Promise<Job<Actor> | undefined> {
    const running = this.#running;
    if (running?.job.id === id) {
      running.cancelling.abort();
      await withTimeout(waitMs, running.ended);
    }
    return this.find(id);
  }

  /** Cancels the running job and begins no more. Waits 2 s at most. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const running = this.#running;
    if (running) await this.cancel(running.job.id, STOP_TIMEOUT_MS);
  }

  async #run(running: Running<Actor>, run: JobStart<Actor>['run']): Promise<void> {
    const { signal } = running.cancelling;
    const onProgress: JobControl['onProgress'] = (done, of, step) => {
      running.job = { ...running.job, progress: { done, of, step } };
    };
    try {
      const result = await run({ signal, onProgress });
      this.#end(running, { state: 'done', result });
    } catch (error) {
      if (signal.aborted) return this.#end(running, { state: 'cancelled' });
      this.#options.report(error);
      this.#end(running, { state: 'failed', error: sentenceOf(error) });
    }
  }

  #end(running: Running<Actor>, outcome: Pick<Job, 'state'> & Partial<Pick<Job, 'result' | 'error'>>): void {
    const { now, maxHistory = MAX_HISTORY } = this.#options;
    this.#ended.unshift({ ...running.job, ...outcome, endedAt: now() });
    this.#ended.length = Math.min(this.#ended.length, maxHistory);
    this.#running = undefined;
  }
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}...` : text;
}
