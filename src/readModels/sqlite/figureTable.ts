import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  FIGURE_PERIODS,
  FIGURE_SUMS,
  type FigureRow,
  type FigureSums,
  figureOf,
  GROUPINGS,
  type Grouping,
  groupings,
} from '../../../projections/figures.ts';
import { startOf } from '../../../projections/periods.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { ArchivedSums } from '../archivedRollUps.ts';
import { FigureCounts, type GroupedCounts } from '../figureCounts.ts';
import { type FigureGroup, FigureNames } from './figureNames.ts';
import { periodNumber } from './rollUpTable.ts';

/** Requests and quarters of an hour that are written together: a row costs as much for one request as for hundreds. */
const MAX_REQUESTS = 8_192;
const MAX_QUARTERS = 24;

interface CountedGroup {
  readonly group: FigureGroup;
  readonly counts: FigureCounts;
}

/** By the start of their period and the id of the group. */
type Groups = Map<number, Map<number, CountedGroup>>;

/**
 * Sums and sketches by grouping, period and group. The latest requests are in memory, and after a start they are read from the request
 * log again. When they are written depends on the log alone, so that a rebuild gives the same tables.
 */
export class FigureTable {
  readonly names: FigureNames;
  readonly #select: StatementSync;
  readonly #replace: StatementSync;
  readonly #saveProgress: StatementSync;
  readonly #progress: StatementSync;
  /** The requests that the tables do not have yet, by quarters of an hour. */
  #pending: Groups = new Map();
  #requests = 0;

  constructor(database: DatabaseSync) {
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
      CREATE TABLE IF NOT EXISTS figureProgress (id INTEGER PRIMARY KEY, position INTEGER NOT NULL) STRICT`);
    this.#progress = database.prepare('SELECT position FROM figureProgress');
    this.#saveProgress = database.prepare('INSERT OR REPLACE INTO figureProgress VALUES (1, ?)');
    this.names = new FigureNames(database);
    this.#select = database.prepare(
      `SELECT ${FIGURE_SUMS.join(', ')}, latency, firstByte FROM figures
       WHERE grouping = ? AND period = ? AND start = ? AND groupId = ?`,
    );
    this.#replace = database.prepare(
      `INSERT OR REPLACE INTO figures VALUES (?, ?, ?, ?, ${FIGURE_SUMS.map(() => '?').join(', ')}, ?, ?)`,
    );
  }

  /**
   * Begins with the requests that the tables do not have yet.
   * @param rowsAfter reads the rows of the request log behind a position
   */
  resume(rowsAfter: (position: number) => Iterable<FigureRow>): void {
    this.#pending = new Map();
    this.#requests = 0;
    this.names.clear();
    for (const row of rowsAfter((this.#progress.get()?.position as number | undefined) ?? 0)) this.#add(row);
  }

  /** Adds the next request, within the caller's transaction. */
  add(position: number, row: FigureRow): void {
    const isNewQuarter = !this.#pending.has(startOf(FIGURE_PERIODS[0], row.requestedAt));
    if (this.#requests >= MAX_REQUESTS || (isNewQuarter && this.#pending.size >= MAX_QUARTERS)) {
      this.#write();
      this.#saveProgress.run(position - 1);
    }
    this.#add(row);
  }

  /** Writes the figures of an archived segment, within the caller's transaction. */
  writeArchived(sums: readonly ArchivedSums[]): void {
    for (const { rollUp, start, group, sums: added } of sums) {
      if (rollUp !== 'figures') continue;
      const { by, id = null, rest } = group;
      const { names } = this;
      const own = rest ? names.restOf(by as Grouping) : names.groupOf(by as Grouping, id, start);
      countsIn(this.#pending, start, own).addArchived(added);
    }
    this.#write();
  }

  /** Adds what the tables do not have yet of a time range that begins and ends with a quarter of an hour. */
  addPending(into: GroupedCounts, by: Grouping, from: Instant, to: Instant): void {
    for (const [start, groups] of this.#pending) {
      if (start < from || start >= to) continue;
      for (const { group, counts } of groups.values()) if (group.by === by) into.of(group.key).merge(counts);
    }
  }

  #add(row: FigureRow): void {
    this.#requests++;
    const figure = figureOf(row);
    const start = startOf(FIGURE_PERIODS[0], row.requestedAt);
    for (const by of groupings) {
      const group = this.names.groupOf(by, row[GROUPINGS[by]], row.requestedAt);
      countsIn(this.#pending, start, group).addFigure(figure);
    }
  }

  #write(): void {
    let finer = this.#pending;
    this.#pending = new Map();
    this.#requests = 0;
    for (const period of FIGURE_PERIODS) {
      if (period !== FIGURE_PERIODS[0]) {
        const coarser: Groups = new Map();
        for (const [start, groups] of finer) {
          const own = startOf(period, instant(start));
          for (const { group, counts } of groups.values()) countsIn(coarser, own, group).merge(counts);
        }
        finer = coarser;
      }
      for (const [start, groups] of finer) {
        for (const { group, counts } of groups.values()) this.#writeRow(periodNumber(period), start, group, counts);
      }
    }
  }

  #writeRow(period: number, start: number, { id, by }: FigureGroup, added: FigureCounts): void {
    const grouping = groupings.indexOf(by);
    const stored = this.#select.get(grouping, period, start, id);
    const all = stored ? new FigureCounts() : added;
    if (stored) {
      all.merge(added);
      all.sums.add(stored as unknown as FigureSums);
      all.latency.mergeEncoded(stored.latency as Uint8Array);
      all.firstByte.mergeEncoded(stored.firstByte as Uint8Array);
    }
    const sums = FIGURE_SUMS.map((name) => all.sums[name]);
    this.#replace.run(grouping, period, start, id, ...sums, all.latency.encode(), all.firstByte.encode());
  }
}

function countsIn(byStart: Groups, start: number, group: FigureGroup): FigureCounts {
  let groups = byStart.get(start);
  if (!groups) {
    groups = new Map();
    byStart.set(start, groups);
  }
  let counted = groups.get(group.id);
  if (!counted) {
    counted = { group, counts: new FigureCounts() };
    groups.set(group.id, counted);
  }
  return counted.counts;
}
