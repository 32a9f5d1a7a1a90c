import type { DatabaseSync } from 'node:sqlite';
import {
  FIGURE_PERIODS,
  FIGURE_SUMS,
  type FigureRow,
  type FigureSums,
  figureOf,
  GROUPINGS,
  type Grouping,
  groupings,
  UNBOUNDED,
} from '../../../projections/figures.ts';
import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import { type Cut, lastPositionOf, splitAtCut } from '../cut.ts';
import {
  breakdownOf,
  type EncodedCounts,
  FigureCounts,
  GroupedCounts,
  type GroupKey,
  keyOf,
  type StepCounts,
  stepOf,
} from '../figureCounts.ts';
import type { Breakdown, BreakdownRequest } from '../figuresQueries.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import { figureRows } from './figureRows.ts';
import { selectionOf } from './requestSelection.ts';
import { periodNumber } from './rollUpTable.ts';
import { rowsOf } from './sourceScan.ts';
import type { Tables } from './tables.ts';

type UsedTables = Pick<Tables, 'requests' | 'figures'>;

/** The list of a filter that has the values of a grouping, where all of its groups have sums of their own. */
const OWN_LIST = {
  key: 'apiKeyIds',
  owner: 'owners',
  team: 'teams',
  account: 'accountIds',
  status: 'statuses',
  transport: 'transports',
} as const satisfies Partial<Record<Grouping, keyof RequestLogFilter>>;

/**
 * See `FiguresQueries.breakdown`. From sums, with the rows of parts of a quarter of an hour and around a cut; where a filter needs
 * rows, from these.
 */
export function breakdown(
  database: DatabaseSync,
  tables: UsedTables,
  request: BreakdownRequest,
  position: Position,
  cut: Cut | undefined,
): Breakdown {
  const { edges, by } = request;
  const [from, to] = [edges[0] as Instant, edges.at(-1) as Instant];
  const reached = cut?.asOf ?? position;
  const wanted = wantedGroups(request);
  if (wanted === 'rows') {
    const whole = new GroupedCounts();
    const steps = edges.slice(1).map((): StepCounts => ({ groups: new GroupedCounts(), total: new FigureCounts() }));
    forEachRow(database, tables, request, from, to, cut, (key, row) => {
      const figure = figureOf(row);
      const step = steps[stepOf(edges, row.requestedAt)] as StepCounts;
      for (const counts of [whole.of(key), step.groups.of(key), step.total]) counts.addFigure(figure);
    });
    return breakdownOf(request, whole, steps, reached);
  }
  const source = new FigureSource(database, tables, request, wanted, cut);
  const whole = source.counts(by, from, to);
  // Status has the fewest groups; all groupings have the same total.
  const ofTotal = wanted ? by : 'status';
  const steps = edges.slice(0, -1).map((start, index): StepCounts => {
    const end = edges[index + 1] as Instant;
    return { groups: source.sums(by, start, end), total: source.counts(ofTotal, start, end).total() };
  });
  return breakdownOf(request, whole, steps, reached);
}

/** @returns the only groups that a filter lets through; undefined: all; `rows`: the filter needs rows */
function wantedGroups({ by, filter }: BreakdownRequest): ReadonlySet<string> | undefined | 'rows' {
  const lists = Object.entries(filter).filter(([, values]) => values !== undefined);
  if (lists.length === 0) return undefined;
  const own = by in OWN_LIST && !UNBOUNDED.has(by) ? OWN_LIST[by as keyof typeof OWN_LIST] : undefined;
  if (lists.length > 1 || lists[0]?.[0] !== own) return 'rows';
  return new Set((filter[own as 'apiKeyIds'] ?? []).map(keyOf));
}

const SUMS = FIGURE_SUMS.map((name) => `SUM(${name}) AS ${name}`).join(', ');

type StoredSums = FigureSums & { readonly key: string };

class FigureSource {
  readonly #database: DatabaseSync;
  readonly #tables: UsedTables;
  readonly #request: BreakdownRequest;
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #cut: Cut | undefined;
  readonly #selectSums;
  readonly #selectAll;

  constructor(
    database: DatabaseSync,
    tables: UsedTables,
    request: BreakdownRequest,
    wanted: ReadonlySet<string> | undefined,
    cut: Cut | undefined,
  ) {
    this.#database = database;
    this.#tables = tables;
    this.#request = request;
    this.#wanted = wanted;
    this.#cut = cut;
    const from = 'FROM figures JOIN figureGroups ON figureGroups.id = groupId';
    const where = 'WHERE figures.grouping = ? AND period = ? AND start >= ? AND start < ?';
    this.#selectSums = database.prepare(`SELECT key, ${SUMS} ${from} ${where} GROUP BY groupId`);
    this.#selectAll = database.prepare(`SELECT key, ${FIGURE_SUMS.join(', ')}, latency, firstByte ${from} ${where}`);
  }

  /** Sums of each group in a time range, without sketches. */
  sums(by: Grouping, from: Instant, to: Instant): GroupedCounts {
    return this.#collect(by, from, to, (into, ...range) => {
      for (const row of this.#selectSums.iterate(...range) as unknown as Iterable<StoredSums>)
        if (this.#isWanted(row.key)) into.of(row.key).sums.add(row);
    });
  }

  /** Sums and sketches of each group in a time range. */
  counts(by: Grouping, from: Instant, to: Instant): GroupedCounts {
    return this.#collect(by, from, to, (into, ...range) => {
      type Row = EncodedCounts & { readonly key: string };
      for (const row of this.#selectAll.iterate(...range) as unknown as Iterable<Row>)
        if (this.#isWanted(row.key)) into.of(row.key).addEncoded(row);
    });
  }

  #addPending(into: GroupedCounts, by: Grouping, from: Instant, to: Instant): void {
    const pending = new GroupedCounts();
    this.#tables.figures.addPending(pending, by, from, to);
    for (const [key, counts] of pending.groups) if (this.#isWanted(key)) into.of(key).merge(counts);
  }

  #isWanted(key: string): boolean {
    return this.#wanted?.has(key) ?? true;
  }

  #collect(
    by: Grouping,
    from: Instant,
    to: Instant,
    addPeriods: (into: GroupedCounts, grouping: number, period: number, from: Instant, to: Instant) => void,
  ): GroupedCounts {
    const result = new GroupedCounts();
    for (const range of splitAtCut(from, to, this.#cut, FIGURE_PERIODS)) {
      if (range.period) {
        addPeriods(result, groupings.indexOf(by), periodNumber(range.period), range.from, range.to);
        this.#addPending(result, by, range.from, range.to);
        continue;
      }
      const { from: start, to: end } = range;
      forEachRow(this.#database, this.#tables, { ...this.#request, by }, start, end, this.#cut, (key, row) =>
        result.of(key).addFigure(figureOf(row)),
      );
    }
    return result;
  }
}

/** Passes on each row of a time range that the filter lets through, with the key of its group. */
function forEachRow(
  database: DatabaseSync,
  { requests, figures }: UsedTables,
  { by, filter }: BreakdownRequest,
  from: Instant,
  to: Instant,
  cut: Cut | undefined,
  add: (key: GroupKey, row: FigureRow) => void,
): void {
  const selection = selectionOf(filter, requests, lastPositionOf(cut));
  const { sql, values } = rowsOf(selection, { from: instant(from), to: instant(to) });
  for (const row of figureRows(database, requests, sql, values, by === 'client'))
    add(figures.keyFor(by, row[GROUPINGS[by]], row.requestedAt), row);
}
