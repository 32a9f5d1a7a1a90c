import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { prepareEventRows, prepareLastPosition } from '../../eventLog/sqlite/eventRows.ts';
import { PagePacker } from './packPage.ts';
import { type LazyPage, PageUnpacker } from './unpackPage.ts';

/** Reads from the log's file what a fold needs of it, on the calling thread. */
export class PageReader {
  readonly #database: DatabaseSync;
  readonly #rows: ReturnType<typeof prepareEventRows>;
  readonly #packer = new PagePacker();
  readonly #unpacker = new PageUnpacker();
  /** Position of the last event; 0 when there is none. */
  readonly head: () => Position;

  constructor(path: string) {
    this.#database = openForReading(path);
    this.#rows = prepareEventRows(this.#database);
    this.head = prepareLastPosition(this.#database);
  }

  /** The events after `after` up to and including `upTo`, at most `PAGE_SIZE` of them. */
  read(after: Position, upTo: Position): LazyPage {
    return this.#unpacker.open(this.#packer.pack(this.#rows(after, upTo)));
  }

  close(): void {
    this.#database.close();
  }
}
