import type { Position } from '../../domain/core/brands.ts';
import { startThread, type Thread } from '../../lib/threads/startThread.ts';
import type { PackedPage } from './packPage.ts';
import { type LazyPage, PageUnpacker, type TextPool } from './unpackPage.ts';

/** The messages between a fold and the thread that reads pages for it. */
export interface PageThreadProtocol {
  /** Path of the log. */
  options: string;
  requests: {
    /** Reads the events after `after` up to and including `upTo`. */
    read(range: readonly [after: Position, upTo: Position]): PackedPage;
  };
}

const WORKER = new URL('./pageWorker.ts', import.meta.url);
/** Enough that the thread does not wait while this one reads or folds a page. */
const MAX_REQUESTED = 2;
/** None of its objects lives longer than a page. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

/** A thread that reads pages of the log for a fold on this thread. */
export class PageThread {
  readonly #thread: Thread<PageThreadProtocol>;
  readonly #unpacker: PageUnpacker;
  readonly #pages = new Map<Position, LazyPage>();
  #requested = 0;
  #isReady = false;
  #onProgress = () => {};

  /** @param path the log's file @param texts of the fold */
  constructor(path: string, texts: TextPool) {
    this.#unpacker = new PageUnpacker(texts);
    this.#thread = startThread<PageThreadProtocol>(WORKER, {
      name: 'page reader',
      options: () => path,
      resourceLimits,
      onReady: () => {
        this.#isReady = true;
        this.#onProgress();
      },
      // With or without an error: the fold reads the remaining pages itself, and reports what it cannot read.
      onEnd: () => this.#onProgress(),
    });
  }

  /** Whether the thread can start another read now or soon. */
  get hasCapacity(): boolean {
    return this.#isReady && this.#thread.isRunning && this.#requested < MAX_REQUESTED;
  }

  /** Whether the thread has ended: pages that are still missing will not arrive. */
  get hasEnded(): boolean {
    return !this.#thread.isRunning;
  }

  request(after: Position, upTo: Position): void {
    this.#requested += 1;
    this.#thread.request('read', [after, upTo]).then(
      (page) => {
        this.#requested -= 1;
        this.#pages.set(after, this.#unpacker.open(page));
        this.#onProgress();
      },
      () => {},
    );
  }

  /** Removes and returns the page after a position; undefined when it has not arrived. */
  take(after: Position): LazyPage | undefined {
    const page = this.#pages.get(after);
    this.#pages.delete(after);
    return page;
  }

  /** Resolves when the thread is ready, when a page has arrived, or when the thread has ended. */
  progress(): Promise<void> {
    return new Promise((resolve) => {
      this.#onProgress = resolve;
    });
  }

  stop(): Promise<void> {
    return this.#thread.terminate();
  }
}
