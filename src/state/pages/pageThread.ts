import { Worker } from 'node:worker_threads';
import type { Position } from '../../domain/core/brands.ts';
import type { PackedPage } from './packPage.ts';
import { type OpenPage, PageUnpacker } from './unpackPage.ts';

/** What stands between two positions is to be read. */
export type ToPageThread = readonly [after: Position, upTo: Position];
/** That it can begin; then the pages, in the order in which they were asked for. */
export type FromPageThread = 'ready' | PackedPage;

/** So many that it need not wait for us while we read or fold a page. */
const MAX_ASKED = 2;
/** Of what it makes, nothing lives longer than a page. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

/** A thread that reads pages of a log for a fold on this one. */
export class PageThread {
  readonly #worker: Worker;
  readonly #asked: Position[] = [];
  readonly #unpacker = new PageUnpacker();
  readonly #pages = new Map<Position, OpenPage>();
  #isReady = false;
  #isGone = false;
  #onNews = () => {};

  /** @param path a file that has every event at its position */
  constructor(path: string) {
    this.#worker = new Worker(new URL('./pageWorker.ts', import.meta.url), { workerData: path, resourceLimits });
    this.#worker.on('message', (message: FromPageThread) => this.#onMessage(message));
    // Whatever went wrong: who reads its pages in its place either can, or says what is wrong.
    this.#worker.on('error', () => {});
    this.#worker.on('exit', () => {
      this.#isGone = true;
      this.#onNews();
    });
  }

  /** It would read at once, or soon. */
  get hasTime(): boolean {
    return this.#isReady && !this.#isGone && this.#asked.length < MAX_ASKED;
  }

  /** Nothing more comes of what it was asked for. */
  get isGone(): boolean {
    return this.#isGone;
  }

  ask(after: Position, upTo: Position): void {
    this.#asked.push(after);
    this.#worker.postMessage([after, upTo] satisfies ToPageThread);
  }

  /** The page behind a position, once; undefined when it has not come. */
  take(after: Position): OpenPage | undefined {
    const page = this.#pages.get(after);
    this.#pages.delete(after);
    return page;
  }

  /** Resolves when it can begin, when a page has come, and when nothing will come any more. */
  news(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNews = resolve;
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #onMessage(message: FromPageThread): void {
    if (message === 'ready') this.#isReady = true;
    else this.#pages.set(this.#asked.shift() as Position, this.#unpacker.open(message));
    this.#onNews();
  }
}
