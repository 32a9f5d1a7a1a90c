import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { EVENT_COLUMNS, type EventColumns, IN_ORDER, PAGE_SIZE, preparePage } from '../../eventLog/sqlite/eventRows.ts';
import { type PackedPage, PagePacker } from './packPage.ts';
import { type LinkedRow, PageLinker } from './pageLinks.ts';

/**
 * Rows of one statement; a page takes several. With a whole page at once, each garbage collection finds its texts alive and
 * copies them, which doubles the time of reading.
 */
const ROWS_AT_ONCE = 64;

/** Prepares a function that reads and packs a page of rows, with their links. */
export function preparePackedPages(database: DatabaseSync): (after: Position, upTo: Position) => PackedPage {
  const statement = preparePage(database, `${EVENT_COLUMNS}, metadata`, IN_ORDER, ROWS_AT_ONCE);
  const packer = new PagePacker();
  return (after, upTo) => {
    const linker = new PageLinker();
    packer.begin(Math.min(PAGE_SIZE, upTo - after));
    let due: number = after;
    for (let left = PAGE_SIZE; left > 0; left -= ROWS_AT_ONCE) {
      const rows = statement.all(due, upTo) as unknown as LinkedRow[];
      packer.add(rows as unknown as EventColumns[]);
      linker.add(rows);
      if (rows.length < ROWS_AT_ONCE) break;
      due = (rows.at(-1) as LinkedRow)[0];
    }
    return { ...packer.end(), links: linker.links };
  };
}
