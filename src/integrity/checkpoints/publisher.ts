import type { Faults } from '../../lib/faults.ts';
import { sleep } from '../../lib/sleep.ts';
import { whenAborted } from '../../lib/whenAborted.ts';
import type { PublishingTarget } from './checkpoints.ts';
import type { NoteRecord } from './noteRecord.ts';
import type { NoteStore, TargetProgress } from './noteStore.ts';
import { PublishFailed, type Target } from './target.ts';

export interface PublisherOptions {
  readonly target: Target;
  readonly store: NoteStore;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits for cosignatures that are about to come. */
  readonly beforeEach?: ((record: NoteRecord) => Promise<void>) | undefined;
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
}

export const TARGET_FAULT = 'checkpoint_not_published';

/** Publishes the notes of a store to one target: in order, each at least once, after a restart from where it was. */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #target: Target;
  #failure: string | null = null;
  #wake = new AbortController();
  #onFailure = (): void => undefined;
  #published: (() => void)[] = [];
  /** What is being published: a target that does not respond gets nothing else meanwhile. */
  #attempt: Promise<unknown> = Promise.resolve();

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#target = options.target;
  }

  get status(): PublishingTarget {
    const { kind, target, id } = this.#target;
    const { size, publishedAt } = this.#options.store.progressOf(id) ?? { size: 0, publishedAt: null };
    return { kind, target, size, publishedAt, failure: this.#failure };
  }

  get isFailing(): boolean {
    return this.#failure !== null;
  }

  /** Called when there are notes to publish, or when a failed attempt is to be repeated at once. */
  notify(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** Publishes until the signal aborts; also a target that does not respond holds up nothing then. */
  async run(signal: AbortSignal): Promise<void> {
    const { firstPauseMs = 1_000, maxPauseMs = 60_000 } = this.#options;
    const ended = whenAborted(signal);
    await Promise.race([this.#attempt, ended]);
    for (let pauseMs = firstPauseMs; !signal.aborted; ) {
      const waking = this.#wake.signal;
      const late = setTimeout(() => this.#fail(NO_RESPONSE), LATE_MS).unref();
      const attempt = this.#publishNext(signal).finally(() => clearTimeout(late));
      this.#attempt = attempt.catch(() => undefined);
      try {
        const isDone = await Promise.race([attempt, ended]);
        pauseMs = firstPauseMs;
        if (isDone) await Promise.race([whenAborted(waking), ended]);
      } catch (error) {
        if (signal.aborted) return;
        this.#fail(error as Error);
        await sleep(pauseMs, AbortSignal.any([signal, waking]));
        pauseMs = Math.min(2 * pauseMs, maxPauseMs);
      }
    }
  }

  /** Resolves when the target has the note with this number, or when an attempt that began after this call has failed. */
  async flush(seq: number, signal: AbortSignal): Promise<void> {
    // One that is under way may fail for an earlier reason.
    await Promise.race([this.#attempt, whenAborted(signal)]);
    const failed = new AbortController();
    this.#onFailure = () => failed.abort();
    this.notify();
    await this.reached(seq, AbortSignal.any([signal, failed.signal]));
  }

  /** Resolves when the target has the note with this number. */
  async reached(seq: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#progress().seq < seq) {
      await new Promise<void>((resolve) => {
        this.#published.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  #progress(): TargetProgress {
    const { store } = this.#options;
    return store.progressOf(this.#target.id) ?? { seq: this.#target.begin(store.last()), size: 0, publishedAt: null };
  }

  /** @returns whether everything is published */
  async #publishNext(signal: AbortSignal): Promise<boolean> {
    const { store, now, beforeEach } = this.#options;
    let progress = this.#progress();
    const [before] = progress.seq > 0 ? store.after(progress.seq - 1, 1) : [];
    if (before && (await this.#target.hasLost?.(before)))
      progress = { seq: 0, size: 0, publishedAt: progress.publishedAt };
    const [record] = store.after(progress.seq, 1);
    if (record) {
      await beforeEach?.(record);
      await this.#target.publish(record, store.noteOf(record), signal);
      const size = record.kind === 'checkpoint' ? record.size : progress.size;
      store.published(this.#target.id, { seq: record.seq, size, publishedAt: now() });
    }
    this.#succeed();
    return !record;
  }

  #succeed(): void {
    this.#failure = null;
    const { kind, target } = this.#target;
    this.#options.faults.clear(TARGET_FAULT, `${kind} ${target}`);
    for (const resolve of this.#published.splice(0)) resolve();
  }

  #fail(error: Error): void {
    this.#failure = error.message;
    this.#onFailure();
    const { kind, target } = this.#target;
    const remedy = error instanceof PublishFailed ? error.remedy : 'svc tries again by itself.';
    this.#options.faults.raise({
      code: TARGET_FAULT,
      subject: `${kind} ${target}`,
      cause: `Checkpoints are not published to the ${NAMES[kind]}: ${error.message}`,
      remedy: `${remedy} What was missed is published when it is back.`,
    });
  }
}

const LATE_MS = 15_000;
const NO_RESPONSE = new PublishFailed(
  `there is no response within ${LATE_MS / 1_000} s.`,
  'Check its disk or network.',
);

const NAMES = { folder: 'folder', http: 'endpoint', witness: 'witness' } as const;
