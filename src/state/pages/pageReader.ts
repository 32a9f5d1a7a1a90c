import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { prepareLastPosition } from '../../eventLog/sqlite/eventRows.ts';
import { openForPages, preparePackedPages } from './packedPages.ts';
import { PageContinuity } from './pageContinuity.ts';
import { type LazyPage, PageUnpacker, type TextPool } from './unpackPage.ts';

/** Reads from the log's file what a fold needs of it, on the calling thread. */
export class PageReader {
  readonly #database: DatabaseSync;
  readonly #archivePath: string;
  readonly #packedPage: ReturnType<typeof preparePackedPages>;
  readonly #unpacker: PageUnpacker;
  /** Position of the last event; 0 when there is none. */
  readonly head: () => Position;

  /**
   * @param path the log's file
   * @param archivePath where `archive.sqlite` is, if it is not beside the log
   * @param texts of the fold
   */
  constructor(path: string, archivePath = archivePathOf(path), texts?: TextPool) {
    this.#archivePath = archivePath;
    this.#unpacker = new PageUnpacker(texts);
    this.#database = openForPages(path);
    this.#packedPage = preparePackedPages(this.#database);
    this.head = prepareLastPosition(this.#database);
  }

  /** The events after `after` up to and including `upTo`, at most `PAGE_SIZE` of them. */
  read(after: Position, upTo: Position): LazyPage {
    return this.#unpacker.open(this.#packedPage(after, upTo));
  }

  /** Checks that pages continue each other and the events up to `after`. */
  continuityAfter(after: Position): PageContinuity {
    return new PageContinuity(this.#database, after, this.#archivePath);
  }

  close(): void {
    this.#database.close();
  }
}
