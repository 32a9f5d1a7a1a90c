import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Cell, describeDifference, MAX_DIFFERENCES, type Row, tableOf } from './compare.ts';
import type { ComparedTable } from './comparedTable.ts';
import { SEGMENT_SIZE } from './requestIdFragments.ts';
import type { TableComparison } from './tableComparison.ts';

/**
 * Compares the largest tables, whose rows are written once and in the order of the log, while they are made. So they need not be written to
 * another file and read from it. Both tables must be as svc makes them.
 */
export class LiveRows {
  readonly #requests: LiveTable;
  readonly #requestIds: LiveTable;
  readonly #selectRequests: StatementSync;
  readonly #selectIds: StatementSync;
  readonly #selectOtherIds: StatementSync;
  /** From this position on, rows of requests were not compared yet. */
  #next = FIRST_ROW;
  /** Entries of the request ids that their table does not have yet, in order. */
  #entries: RequestIdEntry[] = [];
  #segments = 0;

  /** @param live a transaction must be open */
  constructor(live: DatabaseSync) {
    this.#requests = new LiveTable(tableOf(live, 'requests'));
    this.#requestIds = new LiveTable(tableOf(live, 'requestIds'));
    const select = (table: ComparedTable, where: string) => {
      const statement = live.prepare(`SELECT ${table.columns.join(', ')} FROM ${table.name} WHERE ${where}`);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#selectRequests = select(this.#requests.table, 'position BETWEEN ? AND ? ORDER BY position');
    this.#selectIds = select(this.#requestIds.table, 'stretch = ?');
    this.#selectOtherIds = select(this.#requestIds.table, 'stretch < 0 OR stretch >= ?');
  }

  /**
   * Compares the rows of requests up to a position, and keeps their ids until their segment is compared.
   * @param rows in the order of the columns
   */
  compareRequests(rows: readonly Row[], upTo: number | bigint): void {
    const live = this.#selectRequests.all(this.#next, upTo) as unknown as Row[];
    this.#next = BigInt(upTo) + 1n;
    let next = 0;
    for (const row of rows) {
      const at = row[0] as number;
      for (; next < live.length && ((live[next] as Row)[0] as number) < at; next++) {
        this.#requests.compare(live[next], undefined);
      }
      const found = next < live.length && (live[next] as Row)[0] === at ? live[next++] : undefined;
      this.#requests.compare(found, row);
      // The text of the live row: the other one is a part of the JSON of its event, which it would keep in memory.
      const requestId = (found && found[1] === row[1] ? found : row)[1] as string;
      this.#entries.push([requestId, at, row[2] as number, row[3] as number]);
    }
    for (; next < live.length; next++) this.#requests.compare(live[next], undefined);
  }

  /**
   * Compares the ids of a segment that is complete; segments ascend.
   * @param admissions the entries of requests that were only announced
   * @returns the ids of requests with their positions
   */
  compareIds(segment: number, admissions: readonly RequestIdEntry[]): [position: number, requestId: string][] {
    const from = segment * SEGMENT_SIZE;
    const end = this.#entries.findIndex(([, at]) => at >= from + SEGMENT_SIZE);
    const requests = this.#entries.splice(0, end < 0 ? this.#entries.length : end);
    const made: (Row | undefined)[] = [];
    for (const entry of [...requests, ...admissions]) made[entry[1] - from] = [segment, ...entry];
    for (const live of this.#selectIds.all(segment) as unknown as Row[]) {
      const [, id, at] = live;
      const row = made[(at as number) - from];
      if (row?.[1] !== id) {
        this.#requestIds.compare(live, undefined);
        continue;
      }
      made[(at as number) - from] = undefined;
      this.#requestIds.compare(live, row);
    }
    for (const row of made) if (row) this.#requestIds.compare(undefined, row);
    this.#segments = segment + 1;
    return requests.map(([id, at]) => [at, id]);
  }

  /** Compares what is behind the last row that was made. @returns what was found, by table */
  finish(): ReadonlyMap<string, TableComparison> {
    this.compareRequests([], LAST_ROW);
    for (const live of this.#selectOtherIds.all(this.#segments) as unknown as Row[]) {
      this.#requestIds.compare(live, undefined);
    }
    return new Map([this.#requests, this.#requestIds].map((compared) => [compared.table.name, compared]));
  }
}

/** Of a request, or of its admission, which has neither time nor kind. */
export type RequestIdEntry = readonly [
  requestId: string,
  position: number,
  requestedAt: number | null,
  kindId: number | null,
];

const FIRST_ROW = -(2n ** 63n);
const LAST_ROW = 2n ** 63n - 1n;

class LiveTable implements TableComparison {
  readonly table: ComparedTable;
  readonly differences: string[] = [];
  rows = 0;

  constructor(table: ComparedTable) {
    this.table = table;
  }

  /** @param live and made have the same key; undefined where the row is missing */
  compare(live: Row | undefined, made: Row | undefined): void {
    this.rows++;
    if (live && made && areSame(live, made)) return;
    const difference = describeDifference(this.table, live, made);
    if (difference !== undefined && this.differences.length < MAX_DIFFERENCES) this.differences.push(difference);
  }
}

function areSame(left: readonly Cell[], right: readonly Cell[]): boolean {
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return left.length === right.length;
}
