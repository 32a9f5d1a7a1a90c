import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { RequestCompleted } from '../../domain/request/events.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { type EventColumns, IN_ORDER, PAGE_SIZE, preparePage } from '../../eventLog/sqlite/eventRows.ts';
import { type PackedPage, PagePacker } from './packPage.ts';
import { PageLinker } from './pageLinker.ts';

/**
 * Rows of one statement; a page takes several. With a whole page at once, each garbage collection finds its texts alive and
 * copies them.
 */
const ROWS_AT_ONCE = 64;

/** What nearly all rows have in common: requests of one stream, without an event of another stream between them. */
interface UsualRequest {
  readonly stream: string;
  /** Revision minus position. */
  readonly shift: number;
  readonly version: number;
}

/** `names` is null for a usual request: each column costs a tenth of reading a row. */
type PageRow = [position: number, names: string | null, time: number, data: string, metadata: string];

/** Between names; no name of svc contains it. */
const SEPARATOR = '\u001f';

/** The columns of a `PageRow`. */
const COLUMNS = `position,
  CASE WHEN revision - position = ? AND version = ? AND type = '${RequestCompleted.type}' AND stream = ? THEN NULL
    ELSE concat_ws('${SEPARATOR}', revision, version, type, stream) END,
  time, data, metadata`;

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
  let usual: UsualRequest = { stream: '', shift: 0, version: 0 };
  const read = (after: number, upTo: number) =>
    statement.all(usual.shift, usual.version, usual.stream, after, upTo) as unknown as PageRow[];

  /** Adds rows to the page. The last unusual request among them tells what is usual in the next ones. */
  function add(rows: readonly PageRow[], linker: PageLinker): void {
    const { stream, shift, version } = usual;
    for (const row of rows) {
      // By index: code that destructures lists takes V8 long to compile, at each start.
      if (row[1] === null) {
        const revision = row[0] + shift;
        const isPacked = packer.addRequest(row[0], version, row[2], row[3]);
        if (isPacked && linker.addNext(stream, row[0], revision, row[4])) continue;
        const columns: EventColumns = [row[0], stream, revision, RequestCompleted.type, version, row[2], row[3]];
        if (!isPacked) packer.addOther(columns);
        linker.add(columns, row[4]);
      } else {
        const columns = columnsOf(row, row[1]);
        packer.add(columns);
        linker.add(columns, row[4]);
        if (columns[3] === RequestCompleted.type) usual = usualAfter(columns);
      }
    }
  }

  return (after, upTo) => {
    const linker = new PageLinker();
    packer.begin(Math.min(PAGE_SIZE, upTo - after));
    let due: number = after;
    for (let left = PAGE_SIZE; left > 0; left -= ROWS_AT_ONCE) {
      const rows = read(due, upTo);
      add(rows, linker);
      packer.endRows();
      if (rows.length < ROWS_AT_ONCE) break;
      due = (rows.at(-1) as PageRow)[0];
    }
    return { ...packer.end(), links: linker.links };
  };
}

function columnsOf([position, , time, data]: PageRow, names: string): EventColumns {
  const [revision, version, type, stream] = names.split(SEPARATOR) as [string, string, string, string];
  return [position, stream, Number(revision), type, Number(version), time, data];
}

const usualAfter = ([position, stream, revision, , version]: EventColumns): UsualRequest => ({
  stream,
  shift: revision - position,
  version,
});
