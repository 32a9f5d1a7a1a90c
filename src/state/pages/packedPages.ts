import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { RequestCompleted } from '../../domain/request/events.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { type EventColumns, IN_ORDER, PAGE_SIZE, preparePage } from '../../eventLog/sqlite/eventRows.ts';
import { type PackedPage, PagePacker } from './packPage.ts';
import { type LinkedRow, PageLinker } from './pageLinker.ts';

/**
 * Rows of one statement; a page takes several. With a whole page at once, each garbage collection finds its texts alive and
 * copies them.
 */
const ROWS_AT_ONCE = 64;

/** The columns of a `LinkedRow`. Null stands for the usual texts, which would otherwise be made again for each row. */
const COLUMNS = `position, CASE stream WHEN ? THEN NULL ELSE stream END, revision,
  CASE type WHEN '${RequestCompleted.type}' THEN NULL ELSE type END, version, time, data, metadata`;

/** Opens a connection that reads pages in order. A small cache stays in that of the processor, and no page is read twice. */
export function openForPages(path: string): DatabaseSync {
  const database = openForReading(path);
  database.exec('PRAGMA cache_size = -128');
  return database;
}

/** Prepares a function that reads and packs a page of rows, with their links. */
export function preparePackedPages(database: DatabaseSync): (after: Position, upTo: Position) => PackedPage {
  const statement = preparePage(database, COLUMNS, IN_ORDER, ROWS_AT_ONCE);
  const packer = new PagePacker();
  /** Of the last row: that of most rows that follow. */
  let stream = '';
  const read = (after: number, upTo: number): LinkedRow[] => {
    const rows = statement.all(stream, after, upTo) as unknown as LinkedRow[];
    for (const row of rows) {
      row[1] ??= stream;
      row[3] ??= RequestCompleted.type;
    }
    stream = rows.at(-1)?.[1] ?? stream;
    return rows;
  };
  return (after, upTo) => {
    const linker = new PageLinker();
    packer.begin(Math.min(PAGE_SIZE, upTo - after));
    let due: number = after;
    for (let left = PAGE_SIZE; left > 0; left -= ROWS_AT_ONCE) {
      const rows = read(due, upTo);
      packer.add(rows as unknown as EventColumns[]);
      linker.add(rows);
      if (rows.length < ROWS_AT_ONCE) break;
      due = (rows.at(-1) as LinkedRow)[0];
    }
    return { ...packer.end(), links: linker.links };
  };
}
