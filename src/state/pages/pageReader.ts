import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { prepareLastPosition } from '../../eventLog/sqlite/eventRows.ts';
import { preparePackedPages } from './packedPages.ts';
import { PageContinuity } from './pageLinks.ts';
import { type LazyPage, PageUnpacker } from './unpackPage.ts';

/** Reads from the log's file what a fold needs of it, on the calling thread. */
export class PageReader {
  readonly #database: DatabaseSync;
  readonly #archivePath: string;
  readonly #packedPage: ReturnType<typeof preparePackedPages>;
  readonly #unpacker = new PageUnpacker();
  /** Position of the last event; 0 when there is none. */
  readonly head: () => Position;

  /** @param archivePath where `archive.sqlite` is, if it is not beside the log */
  constructor(path: string, archivePath = archivePathOf(path)) {
    this.#archivePath = archivePath;
    this.#database = openForReading(path);
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
