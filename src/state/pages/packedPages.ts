import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { EVENT_COLUMNS, type EventColumns, IN_ORDER, preparePage } from '../../eventLog/sqlite/eventRows.ts';
import { type PackedPage, PagePacker } from './packPage.ts';
import { type LinkedRow, linkPage } from './pageLinks.ts';

/** Prepares a function that reads and packs a page of rows, with their links. */
export function preparePackedPages(database: DatabaseSync): (after: Position, upTo: Position) => PackedPage {
  const statement = preparePage(database, `${EVENT_COLUMNS}, metadata`, IN_ORDER);
  const packer = new PagePacker();
  return (after, upTo) => {
    const rows = statement.all(after, upTo) as unknown as LinkedRow[];
    return { ...packer.pack(rows as unknown as EventColumns[]), links: linkPage(rows) };
  };
}
