import type { StoredRow } from '../integrity/leaf/leafEntry.ts';
import { sleep } from '../lib/sleep.ts';
import { whenAborted } from '../lib/whenAborted.ts';
import { lineOf } from './lineOf.ts';
import { SinkFailed, type SinkFormat, type SinkProgress, type SinkStart, type SinkTarget } from './sink.ts';
import type { SinkLog } from './sinkLog.ts';

/** Where the progress of a sink is kept. */
export interface ProgressMark {
  read(): SinkProgress | undefined;
  /** Durable when it returns. */
  write(progress: SinkProgress): void;
}

export interface SinkFollowerOptions {
  readonly log: Pick<SinkLog, 'after' | 'end' | 'hashAt' | 'origin'>;
  readonly target: SinkTarget;
  readonly mark: ProgressMark;
  readonly format: SinkFormat;
  readonly start: SinkStart;
  readonly now: () => number;
  readonly onProgress: (progress: SinkProgress) => void;
  /** Called with why events are not taken, once per attempt, and with undefined when they are again. */
  readonly onFailure: (failure: { readonly message: string; readonly remedy: string } | undefined) => void;
  /** Called when what was delivered is of another log: this one is delivered from its beginning. */
  readonly onOtherLog: (position: number) => void;
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
}

/** At most so many events and bytes at once: little is repeated after a kill, and bodies stay below usual limits. */
const MAX_EVENTS = 500;
const MAX_BYTES = 1_000_000;
const NOTHING: SinkProgress = { position: 0, hash: null, deliveredAt: null };

/**
 * Delivers the log to one sink: every event at least once, in order, after a restart from where it was. After a kill, at most the
 * last batch is repeated; events have ids by which a receiver can tell.
 */
export class SinkFollower {
  readonly #options: SinkFollowerOptions;
  #progress: SinkProgress;
  #maxEvents = MAX_EVENTS;
  /** Events of the last attempt. */
  #attempted = 0;
  #hasFailed = false;
  #wake = new AbortController();
  #retry = new AbortController();

  constructor(options: SinkFollowerOptions) {
    this.#options = options;
    this.#progress = this.#begin();
    options.onProgress(this.#progress);
  }

  get position(): number {
    return this.#progress.position;
  }

  /** Says that the log has more events. A sink that fails is not asked more often for that. */
  notify(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** Repeats a failed attempt at once. */
  retryNow(): void {
    this.#retry.abort();
    this.#retry = new AbortController();
  }

  /** Delivers until the signal aborts, also what is added meanwhile. */
  async run(signal: AbortSignal): Promise<void> {
    const { firstPauseMs = 1_000, maxPauseMs = 60_000, onFailure } = this.#options;
    for (let pauseMs = firstPauseMs; !signal.aborted; ) {
      const woken = this.#wake.signal;
      try {
        const isDone = await this.#deliverNext(signal);
        pauseMs = firstPauseMs;
        this.#succeed();
        if (isDone) await whenAborted(AbortSignal.any([signal, woken]));
      } catch (error) {
        if (signal.aborted) return;
        if (this.#splits(error)) continue;
        this.#hasFailed = true;
        const { message, remedy = 'svc tries again by itself.' } = error as Partial<SinkFailed> & Error;
        onFailure({ message, remedy });
        await sleep(pauseMs, AbortSignal.any([signal, this.#retry.signal]));
        pauseMs = Math.min(2 * pauseMs, maxPauseMs);
      }
    }
  }

  #begin(): SinkProgress {
    const { log, mark, start, onOtherLog } = this.#options;
    const known = mark.read();
    if (!known) {
      const position = start === 'beginning' ? 0 : start === 'now' ? log.end() : start;
      return this.#keep({ ...NOTHING, position, hash: log.hashAt(position) ?? null });
    }
    const isOther =
      log.end() < known.position || (known.hash !== null && isOtherHash(log.hashAt(known.position), known));
    if (!isOther) return known;
    onOtherLog(known.position);
    return this.#keep(NOTHING);
  }

  /** @returns whether everything is delivered */
  async #deliverNext(signal: AbortSignal): Promise<boolean> {
    const { log, target, format, now } = this.#options;
    const rows = log.after(this.#progress.position, this.#maxEvents);
    const last = rows.at(-1);
    if (!last) return true;
    const origin = log.origin();
    for (const batch of batchesOf(rows.map((row) => ({ row, line: lineOf[format](row, origin) })))) {
      this.#attempted = batch.length;
      await target.deliver(
        batch.map(({ line }) => line),
        signal,
      );
      const { row } = batch.at(-1) as Line;
      const { hash } = JSON.parse(row.metadata) as { readonly hash?: string };
      this.#keep({ position: row.position, hash: hash ?? null, deliveredAt: now() });
      this.#succeed();
    }
    this.#maxEvents = Math.min(MAX_EVENTS, 2 * this.#maxEvents);
    return false;
  }

  #keep(progress: SinkProgress): SinkProgress {
    this.#options.mark.write(progress);
    this.#progress = progress;
    this.#options.onProgress(progress);
    return progress;
  }

  /** Whether to try again with fewer events. */
  #splits(error: unknown): boolean {
    if (!(error instanceof SinkFailed) || !error.isTooLarge || this.#attempted === 1) return false;
    this.#maxEvents = Math.ceil(this.#attempted / 2);
    return true;
  }

  #succeed(): void {
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    this.#options.onFailure(undefined);
  }
}

interface Line {
  readonly row: StoredRow;
  readonly line: string;
}

function* batchesOf(lines: readonly Line[]): Generator<readonly Line[]> {
  let batch: Line[] = [];
  let bytes = 0;
  for (const line of lines) {
    const length = Buffer.byteLength(line.line);
    if (batch.length > 0 && bytes + length > MAX_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(line);
    bytes += length;
  }
  if (batch.length > 0) yield batch;
}

/** The payload of an archived event is gone, and with it its hash. */
const isOtherHash = (hash: string | undefined, known: SinkProgress): boolean =>
  hash !== undefined && hash !== known.hash;
