import type { Position } from '../../domain/core/brands.ts';
import { startThread, type Thread } from '../../lib/threads/startThread.ts';
import type { PackedPage } from './packPage.ts';
import { type OpenPage, PageUnpacker } from './unpackPage.ts';

/** What passes between a fold and the thread that reads pages for it. */
export interface PageThreadProtocol {
  /** Path of the log. */
  options: string;
  requests: {
    /** Reads the events behind `after`, up to and with `upTo`. */
    read(range: readonly [after: Position, upTo: Position]): PackedPage;
  };
}

const WORKER = new URL('./pageWorker.ts', import.meta.url);
/** Enough that the thread need not wait while we read or fold a page. */
const MAX_REQUESTED = 2;
/** None of its objects lives longer than a page. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

/** A thread that reads pages of a log for a fold on this one. */
export class PageThread {
  readonly #thread: Thread<PageThreadProtocol>;
  readonly #unpacker = new PageUnpacker();
  readonly #pages = new Map<Position, OpenPage>();
  #requested = 0;
  #isReady = false;
  #onProgress = () => {};

  /** @param path a file that has every event at its position */
  constructor(path: string) {
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

  /** Whether it would read a page at once, or soon. */
  get hasCapacity(): boolean {
    return this.#isReady && this.#thread.isRunning && this.#requested < MAX_REQUESTED;
  }

  /** Pages that were requested and are not here will not come. */
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

  /** The page behind a position, once; undefined when it has not come. */
  take(after: Position): OpenPage | undefined {
    const page = this.#pages.get(after);
    this.#pages.delete(after);
    return page;
  }

  /** Resolves when the thread is ready, when a page has come, and when the thread has ended. */
  progress(): Promise<void> {
    return new Promise((resolve) => {
      this.#onProgress = resolve;
    });
  }

  stop(): Promise<void> {
    return this.#thread.terminate();
  }
}
