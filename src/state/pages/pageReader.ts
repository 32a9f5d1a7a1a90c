import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { eventRows, lastPosition } from '../../eventLog/sqlite/eventRows.ts';
import { PagePacker } from './packPage.ts';
import { type OpenPage, PageUnpacker } from './unpackPage.ts';

/** Reads from a file that has every event at its position what a fold takes of it, on the calling thread. */
export class PageReader {
  readonly #database: DatabaseSync;
  readonly #rows: ReturnType<typeof eventRows>;
  readonly #packer = new PagePacker();
  readonly #unpacker = new PageUnpacker();
  /** Position of the last event; 0 when there is none. */
  readonly head: () => Position;

  constructor(path: string) {
    this.#database = openForReading(path);
    this.#rows = eventRows(this.#database);
    this.head = lastPosition(this.#database);
  }

  /** What stands behind `after`, up to and with `upTo`, at most `PAGE_SIZE` events. */
  read(after: Position, upTo: Position): OpenPage {
    return this.#unpacker.open(this.#packer.pack(this.#rows(after, upTo)));
  }

  close(): void {
    this.#database.close();
  }
}
