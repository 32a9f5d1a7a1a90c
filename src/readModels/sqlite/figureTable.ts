import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  FIGURE_PERIODS,
  FIGURE_SUMS,
  type FigureSums,
  type Grouping,
  groupings,
  UNBOUNDED,
} from '../../../projections/figures.ts';
import { endOf, type Period, startOf } from '../../../projections/periods.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { ArchivedSums } from '../archivedRollUps.ts';
import { GroupedRequests } from '../columns/groupedRequests.ts';
import type { PairCells } from '../columns/pairCells.ts';
import {
  type ChunkSummary,
  packChunk,
  type RequestChunk,
  type RequestValues,
  unpackChunk,
} from '../columns/requestChunk.ts';
import { type EncodedCounts, FigureCounts, GroupedCounts, type GroupKey, NONE, REST } from '../figureCounts.ts';
import { addToPackedDay, quarterOfDay } from '../packedDay.ts';
import { ColumnTable } from './columnTable.ts';
import { type FieldDictionaries, fieldValues } from './fieldValues.ts';
import { FigureNames, groupingNumber } from './figureNames.ts';
import { PackedDays } from './packedDays.ts';
import { BLOCK_CHUNKS, type FieldValues } from './pairTable.ts';
import { type FigureNumbers, PendingFigures, type RowIds, type SumsBy } from './pendingFigures.ts';
import { groupsByLonger } from './pendingGroups.ts';
import { periodNumber } from './rollUpTable.ts';
import { StepTotals } from './stepTotals.ts';
import { TotalRows } from './totalRows.ts';

const SUMS_BY: readonly SumsBy[] = [...groupings, 'all'];

/** The groups of one grouping by the start of their period. */
class GroupsByStart {
  readonly all = new Map<number, GroupedCounts>();

  of(start: Instant): GroupedCounts {
    let groups = this.all.get(start);
    if (!groups) {
      groups = new GroupedCounts();
      this.all.set(start, groups);
    }
    return groups;
  }
}

/**
 * Sums and sketches by grouping, period and group. The latest requests are in memory, and after a start they are read from the request
 * log again. When they are written depends on the log alone, so that a rebuild gives the same tables.
 */
export class FigureTable {
  readonly #groups: FigureNames;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #replace: StatementSync;
  readonly #selectDay: StatementSync;
  readonly #replaceDay: StatementSync;
  readonly #saveProgress: StatementSync;
  readonly #progress: StatementSync;
  /** The requests that the tables do not have yet. */
  readonly #pending: PendingFigures;
  readonly #values: FieldValues;
  readonly #columns: ColumnTable;
  #pendingChunk: RequestChunk | undefined;
  /** The rows of all requests together that queries have read. */
  readonly totals = new TotalRows();
  readonly packedDays = new PackedDays();
  readonly stepTotals = new StepTotals();

  constructor(database: DatabaseSync, dictionaries: FieldDictionaries, chunkLength?: number) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS figures (
        grouping INTEGER,
        period INTEGER,
        start INTEGER,
        groupId INTEGER,
        ${FIGURE_SUMS.map((name) => `${name} INTEGER NOT NULL`).join(', ')},
        latency BLOB NOT NULL,
        firstByte BLOB NOT NULL,
        PRIMARY KEY (grouping, period, start, groupId)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS figureDays (
        grouping INTEGER,
        day INTEGER,
        groupId INTEGER,
        sums BLOB NOT NULL,
        PRIMARY KEY (grouping, day, groupId)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS figureProgress (id INTEGER PRIMARY KEY, position INTEGER NOT NULL) STRICT`);
    this.#values = fieldValues(dictionaries);
    this.#columns = new ColumnTable(database, this.#values, chunkLength);
    this.#progress = database.prepare('SELECT position FROM figureProgress');
    this.#saveProgress = database.prepare('INSERT OR REPLACE INTO figureProgress VALUES (1, ?)');
    this.#groups = new FigureNames(database);
    this.#pending = new PendingFigures(dictionaries, this.#groups.names);
    this.#select = database.prepare(
      `SELECT ${FIGURE_SUMS.join(', ')}, latency, firstByte FROM figures
       WHERE grouping = ? AND period = ? AND start = ? AND groupId = ?`,
    );
    const values = `INTO figures VALUES (?, ?, ?, ?, ${FIGURE_SUMS.map(() => '?').join(', ')}, ?, ?)`;
    this.#insert = database.prepare(`INSERT OR IGNORE ${values}`);
    this.#replace = database.prepare(`INSERT OR REPLACE ${values}`);
    this.#selectDay = database.prepare('SELECT sums FROM figureDays WHERE grouping = ? AND day = ? AND groupId = ?');
    this.#replaceDay = database.prepare('INSERT OR REPLACE INTO figureDays VALUES (?, ?, ?, ?)');
  }

  /**
   * Begins with the requests that the tables do not have yet.
   * @param rowsAfter reads the rows of the request log behind a position
   */
  resume(rowsAfter: (position: number) => Iterable<FigureNumbers & RowIds>): void {
    this.#pending.clear();
    this.#pendingChunk = undefined;
    this.#groups.names.clear();
    this.#columns.reload();
    this.totals.clear();
    this.packedDays.clear();
    this.stepTotals.clear();
    for (const row of rowsAfter((this.#progress.get()?.position as number | undefined) ?? 0))
      this.#pending.add(row, row);
  }

  /** Adds the next request, within the caller's transaction. */
  add(row: FigureNumbers, ids: RowIds): void {
    if (this.#pending.isFull(row.requestedAt)) {
      const values = this.#pending.values();
      this.#writePending(values);
      this.#groups.save();
      this.#columns.add(values);
      this.#pending.clear();
      this.#pendingChunk = undefined;
      this.#saveProgress.run(row.position - 1);
    }
    this.#pending.add(row, ids);
  }

  /** Writes the figures of an archived segment, within the caller's transaction. */
  writeArchived(sums: readonly ArchivedSums[]): void {
    const archived = new Map(groupings.map((by) => [by as string, new GroupsByStart()]));
    for (const { rollUp, start, group, sums: added } of sums) {
      if (rollUp !== 'figures') continue;
      const { by, id = null, rest } = group;
      const key = rest ? REST : this.#groups.names.assign(by as Grouping, id, start);
      archived
        .get(by as string)
        ?.of(start)
        .of(key)
        .addArchived(added);
    }
    for (const by of groupings) this.#write(by, archived.get(by) as GroupsByStart);
    this.#write('all', totalsOf(archived.get('status') as GroupsByStart));
    this.#groups.save();
  }

  /** Passes on what the tables do not have yet of one grouping, by quarters of an hour. The counts must not be changed. */
  forEachPending(by: SumsBy, add: (quarter: Instant, key: GroupKey, counts: FigureCounts) => void): void {
    for (const [quarter, { groups }] of this.#pending.grouped(by))
      for (const [key, counts] of groups) add(quarter, key, counts);
  }

  /** More than any bin of all requests that have rows. */
  get bins(): number {
    return Math.max(1, ...this.#summaries().map(({ bins }) => bins));
  }

  /** Adds up a number of each chunk that matches: by default that of its requests. */
  countChunks(isWanted: (summary: ChunkSummary) => boolean, numberOf = ({ length }: ChunkSummary) => length): number {
    return this.#summaries().reduce((sum, summary) => sum + (isWanted(summary) ? numberOf(summary) : 0), 0);
  }

  /** The requests that have rows, by columns, in chunks that match. */
  *chunks(isWanted: (summary: ChunkSummary) => boolean): Generator<RequestChunk> {
    const pending = this.#chunkOfPending();
    const stored = this.#columns.chunks(isWanted);
    // Read before the first one is passed on: what is pending now may be in it later.
    const last = stored.next();
    if (pending && isWanted(pending)) yield pending;
    if (last.done) return;
    yield last.value;
    yield* stored;
  }

  /** What is known of the chunks of a block that has cells. */
  chunksOf(block: number): readonly ChunkSummary[] {
    return this.#columns.summaries.slice(block * BLOCK_CHUNKS, (block + 1) * BLOCK_CHUNKS);
  }

  /** The cells of a pair of fields in a block of chunks, if there are any. */
  cellsOf(block: number, pair: number): PairCells | undefined {
    return this.#columns.pairs.cells(block, pair);
  }

  #summaries(): readonly ChunkSummary[] {
    const pending = this.#chunkOfPending();
    return pending ? [...this.#columns.summaries, pending] : this.#columns.summaries;
  }

  #chunkOfPending(): RequestChunk | undefined {
    if (this.#pending.length === 0) return undefined;
    if (this.#pendingChunk?.length !== this.#pending.length)
      this.#pendingChunk = unpackChunk(packChunk(this.#pending.values()));
    return this.#pendingChunk;
  }

  /** The group that has counted a request. */
  keyFor(by: Grouping, name: string | null, at: Instant): GroupKey {
    this.#pending.sumUp();
    return this.#groups.names.keyFor(by, name, at);
  }

  /** Whether a month between two moments has as many names of a grouping as may have groups of their own, so that others share one. */
  hasFullMonth(by: Grouping, edges: readonly Instant[]): boolean {
    if (!UNBOUNDED.has(by)) return false;
    this.#pending.sumUp();
    const end = edges.at(-1) as Instant;
    for (let month = startOf('month', edges[0] as Instant); month < end; month = endOf('month', month))
      if (this.#groups.names.isFull(by, month)) return true;
    return false;
  }

  /** Writes all pending requests. */
  #writePending(values: RequestValues): void {
    const requests = new GroupedRequests(values, this.#values.failedKinds());
    const groupsBy = this.#pending.groups();
    for (const by of SUMS_BY) {
      const idOf = this.#idsOf(by);
      let own = groupsBy(by);
      for (const period of FIGURE_PERIODS) {
        if (period !== FIGURE_PERIODS[0]) own = groupsByLonger(own, (at) => startOf(period, at));
        const { groups, groupOf } = own;
        const counts = requests.countsBy(groupOf, groups.length);
        groups.forEach(({ start, key }, group) => {
          this.#writeRow(by, period, start, idOf(key), counts[group] as EncodedCounts);
        });
        if (period === FIGURE_PERIODS[0])
          this.#writeDays(
            by,
            idOf,
            groups.map(({ start, key }, group) => [start, key, counts[group] as EncodedCounts]),
          );
      }
    }
  }

  /** Adds to the rows of quarters, and of the longer periods that they belong to. */
  #write(by: SumsBy, quarters: GroupsByStart): void {
    const idOf = this.#idsOf(by);
    let groupsByStart = quarters;
    for (const period of FIGURE_PERIODS) {
      if (period !== FIGURE_PERIODS[0]) groupsByStart = longer(period, groupsByStart);
      for (const [start, { groups }] of groupsByStart.all)
        for (const [key, { sums, latency, firstByte }] of groups)
          this.#writeRow(by, period, instant(start), idOf(key), {
            ...sums,
            latency: latency.encode(),
            firstByte: firstByte.encode(),
          });
    }
    const sums = [...quarters.all].flatMap(([start, { groups }]) =>
      [...groups].map(([key, { sums }]): QuarterSums => [instant(start), key, sums]),
    );
    this.#writeDays(by, idOf, sums);
  }

  #idsOf(by: SumsBy): (key: GroupKey) => number {
    const ids = new Map<GroupKey, number>();
    return (key) => {
      const id = ids.get(key) ?? this.#groups.idOf(by, key);
      ids.set(key, id);
      return id;
    };
  }

  #writeDays(by: SumsBy, idOf: (key: GroupKey) => number, quarters: readonly QuarterSums[]): void {
    for (const [day, groups] of byDay(quarters))
      for (const [key, added] of groups) {
        const row = [groupingNumber(by), day, idOf(key)] as const;
        const stored = this.#selectDay.get(...row)?.sums as Uint8Array | undefined;
        this.#replaceDay.run(...row, addToPackedDay(stored, added));
        this.packedDays.forget(day, row[2]);
      }
  }

  #writeRow(
    by: SumsBy,
    period: (typeof FIGURE_PERIODS)[number],
    start: Instant,
    groupId: number,
    added: EncodedCounts,
  ): void {
    if (by === 'all') {
      this.totals.forget(period, start);
      // The rows of longer periods have these.
      if (period === FIGURE_PERIODS[0]) this.stepTotals.forget(start);
    }
    const row = [groupingNumber(by), periodNumber(period), start, groupId] as const;
    // Most are new.
    if (this.#insert.run(...row, ...valuesOf(added)).changes > 0) return;
    const all = new FigureCounts();
    all.addEncoded(added);
    all.addEncoded(this.#select.get(...row) as unknown as EncodedCounts);
    const { sums, latency, firstByte } = all;
    this.#replace.run(...row, ...valuesOf({ ...sums, latency: latency.encode(), firstByte: firstByte.encode() }));
  }
}

const valuesOf = (counts: EncodedCounts) => [
  ...FIGURE_SUMS.map((name) => counts[name]),
  counts.latency,
  counts.firstByte,
];

/** The sums of a group in a quarter of an hour. */
type QuarterSums = readonly [start: Instant, key: GroupKey, sums: FigureSums];

function longer(period: Period, groupsByStart: GroupsByStart): GroupsByStart {
  const result = new GroupsByStart();
  for (const [start, { groups }] of groupsByStart.all) {
    const into = result.of(startOf(period, instant(start)));
    for (const [key, counts] of groups) into.of(key).merge(counts);
  }
  return result;
}

/** The sums of quarters by day and group, with the number of the quarter in its day. */
function byDay(quarters: readonly QuarterSums[]): Map<Instant, Map<GroupKey, Map<number, FigureSums>>> {
  const days = new Map<Instant, Map<GroupKey, Map<number, FigureSums>>>();
  for (const [start, key, sums] of quarters) {
    const day = startOf('day', start);
    const ofDay = days.get(day) ?? new Map<GroupKey, Map<number, FigureSums>>();
    days.set(day, ofDay);
    const own = ofDay.get(key) ?? new Map<number, FigureSums>();
    ofDay.set(key, own.set(quarterOfDay(start), sums));
  }
  return days;
}

function totalsOf(quarters: GroupsByStart): GroupsByStart {
  const totals = new GroupsByStart();
  for (const [start, { groups }] of quarters.all)
    for (const counts of groups.values()) totals.of(instant(start)).of(NONE).merge(counts);
  return totals;
}
