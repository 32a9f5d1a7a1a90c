import type { DatabaseSync } from 'node:sqlite';
import {
  FIGURE_PERIODS,
  FIGURE_SUMS,
  type Figure,
  figureOf,
  GROUPINGS,
  type Grouping,
  groupings,
} from '../../../projections/figures.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { type Cut, lastPositionOf, splitAtCut } from '../cut.ts';
import {
  breakdownOf,
  type EncodedCounts,
  type FigureCounts,
  GroupedCounts,
  type GroupKey,
  groupsOfSteps,
  MANY_STEPS,
  newSteps,
  REST,
  type StepCounts,
  stepOf,
} from '../figureCounts.ts';
import type { Breakdown, BreakdownRequest } from '../figuresQueries.ts';
import { type StepRun, stepIn, stepRuns } from '../stepRuns.ts';
import { wantedGroups } from '../wantedGroups.ts';
import { figureRows } from './figureRows.ts';
import type { FigureTable } from './figureTable.ts';
import { type RequestSelection, selectionOf } from './requestSelection.ts';
import { periodNumber } from './rollUpTable.ts';
import { rowsOf } from './sourceScan.ts';
import type { Tables } from './tables.ts';

type UsedTables = Pick<Tables, 'requests' | 'figures'>;

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
  const wanted = wantedGroups(request);
  const rows = new FigureRows(database, tables, request.filter, cut);
  const { whole, steps } =
    wanted === 'rows' ? countRows(rows, request) : new FigureSums(database, tables, request, wanted, cut).count(rows);
  return breakdownOf(request, whole, steps, cut?.asOf ?? position);
}

function countRows(rows: FigureRows, request: BreakdownRequest): { whole: GroupedCounts; steps: StepCounts[] } {
  const { edges, by } = request;
  const range = { from: edges[0] as Instant, to: edges.at(-1) as Instant };
  const whole = new GroupedCounts();
  const steps = newSteps(edges);
  const addToStep = (key: GroupKey, figure: Figure, at: Instant): void => {
    const step = steps[stepOf(edges, at)] as StepCounts;
    step.of(key).add(figure);
    step.total.addFigure(figure);
  };
  const hasManySteps = steps.length > MANY_STEPS;
  rows.forEach(by, range, (key, figure, at) => {
    whole.of(key).addFigure(figure);
    if (!hasManySteps) addToStep(key, figure, at);
  });
  if (hasManySteps) {
    const shown = new Set(groupsOfSteps(whole, request));
    rows.forEach(by, range, (key, figure, at) => addToStep(shown.has(key) ? key : REST, figure, at));
  }
  return { whole, steps };
}

const SUMS = FIGURE_SUMS.map((name) => `SUM(${name})`).join(', ');
const BEFORE_SUMS = 2;

/** Counts by the sums of the tables and of what is not written yet. */
class FigureSums {
  readonly #database: DatabaseSync;
  readonly #figures: FigureTable;
  readonly #request: BreakdownRequest;
  readonly #cut: Cut | undefined;
  /** Undefined: all groups. */
  readonly #wanted: ReadonlySet<string> | undefined;

  constructor(
    database: DatabaseSync,
    { figures }: UsedTables,
    request: BreakdownRequest,
    wanted: ReadonlySet<string> | undefined,
    cut: Cut | undefined,
  ) {
    this.#database = database;
    this.#figures = figures;
    this.#request = request;
    this.#wanted = wanted;
    this.#cut = cut;
  }

  /** @param rows those that the filter lets through */
  count(rows: FigureRows): { whole: GroupedCounts; steps: StepCounts[] } {
    const { by, edges } = this.#request;
    const whole = this.#countWhole(rows);
    const steps = newSteps(edges);
    const runs = stepRuns(edges, this.#cut);
    const keys = this.#keysOf(by);
    const shown = new Set(groupsOfSteps(whole, this.#request));
    // All groups have the same total; statuses are the fewest.
    const ofTotal = this.#wanted ? by : 'status';
    for (const run of runs.runs) {
      this.#addSums(run, keys, shown, steps);
      this.#addTotals(run, ofTotal, steps);
    }
    const runAt = (quarter: Instant) => runs.runs.find(({ from, to }) => from <= quarter && quarter < to);
    this.#forEachPending(by, (quarter, key, { sums }) => {
      const run = runAt(quarter);
      if (run) steps[stepIn(run, quarter)]?.of(shown.has(key) ? key : REST).add(sums);
    });
    this.#forEachPending(ofTotal, (quarter, _, counts) => {
      const run = runAt(quarter);
      if (run) steps[stepIn(run, quarter)]?.total.merge(counts);
    });
    for (const range of runs.rows) {
      rows.forEach(by, range, (key, figure, at) => {
        const step = steps[stepOf(edges, at)] as StepCounts;
        step.of(shown.has(key) ? key : REST).add(figure);
        step.total.addFigure(figure);
      });
    }
    return { whole, steps };
  }

  #countWhole(rows: FigureRows): GroupedCounts {
    const { by, edges } = this.#request;
    const ranges = splitAtCut(edges[0] as Instant, edges.at(-1) as Instant, this.#cut, FIGURE_PERIODS);
    const whole = new GroupedCounts();
    const keys = this.#keysOf(by);
    const select = this.#database.prepare(
      `SELECT groupId, ${FIGURE_SUMS.join(', ')}, latency, firstByte FROM figures
       WHERE grouping = ? AND period = ? AND start >= ? AND start < ?`,
    );
    for (const { period, from, to } of ranges) {
      if (!period) {
        rows.forEach(by, { from, to }, (key, figure) => whole.of(key).addFigure(figure));
        continue;
      }
      const found = select.iterate(groupings.indexOf(by), periodNumber(period), from, to);
      for (const row of found as unknown as Iterable<EncodedCounts & { readonly groupId: number }>) {
        const key = keys.get(row.groupId);
        if (key !== undefined) whole.of(key).addEncoded(row);
      }
    }
    const wholePeriods = ranges.filter(({ period }) => period);
    this.#forEachPending(by, (quarter, key, counts) => {
      if (wholePeriods.some(({ from, to }) => from <= quarter && quarter < to)) whole.of(key).merge(counts);
    });
    return whole;
  }

  /** Sums of groups; those that are not shown are summed up by SQL. */
  #addSums(run: StepRun, keys: ReadonlyMap<number, GroupKey>, shown: ReadonlySet<GroupKey>, steps: StepCounts[]): void {
    const ids = (isShown: boolean) =>
      JSON.stringify([...keys].filter(([, key]) => shown.has(key) === isShown).map(([id]) => id));
    const select = this.#database.prepare(
      `SELECT (start - CAST(?1 AS INTEGER)) / CAST(?2 AS INTEGER) AS step, CASE WHEN groupId IN (SELECT value FROM json_each(?3)) THEN groupId END AS shownId, ${SUMS}
       FROM figures WHERE grouping = ?4 AND period = ?5 AND start >= ?1 AND start < ?6
         AND (shownId IS NOT NULL OR groupId IN (SELECT value FROM json_each(?7)))
       GROUP BY 1, 2`,
    );
    select.setReturnArrays(true);
    const grouping = groupings.indexOf(this.#request.by);
    const { from, to, stepMs, period, firstStep } = run;
    const found = select.iterate(from, stepMs, ids(true), grouping, periodNumber(period), to, ids(false));
    for (const row of found as unknown as Iterable<readonly [step: number, id: number | null, ...sums: number[]]>) {
      const [step, id] = row;
      const key = id === null ? REST : (keys.get(id) as GroupKey);
      steps[firstStep + step]?.of(key).addList(row, BEFORE_SUMS);
    }
  }

  #addTotals(run: StepRun, by: Grouping, steps: StepCounts[]): void {
    const keys = this.#keysOf(by);
    const select = this.#database.prepare(
      `SELECT start, groupId, ${FIGURE_SUMS.join(', ')}, latency, firstByte FROM figures
       WHERE grouping = ? AND period = ? AND start >= ? AND start < ?`,
    );
    type Row = EncodedCounts & { readonly start: number; readonly groupId: number };
    const found = select.iterate(groupings.indexOf(by), periodNumber(run.period), run.from, run.to);
    for (const row of found as unknown as Iterable<Row>)
      if (keys.has(row.groupId)) steps[stepIn(run, row.start)]?.total.addEncoded(row);
  }

  /** The groups that the filter lets through, by their ids. */
  #keysOf(by: Grouping): Map<number, GroupKey> {
    const rows = this.#database
      .prepare('SELECT id, key FROM figureGroups WHERE grouping = ?')
      .all(groupings.indexOf(by)) as { id: number; key: GroupKey }[];
    return new Map(rows.flatMap(({ id, key }) => (this.#isWanted(key) ? [[id, key] as const] : [])));
  }

  #forEachPending(by: Grouping, add: (quarter: Instant, key: GroupKey, counts: FigureCounts) => void): void {
    this.#figures.forEachPending(by, (quarter, key, counts) => {
      if (this.#isWanted(key)) add(quarter, key, counts);
    });
  }

  #isWanted(key: GroupKey): boolean {
    return this.#wanted?.has(key) ?? true;
  }
}

/** The rows that a filter lets through. */
class FigureRows {
  readonly #database: DatabaseSync;
  readonly #tables: UsedTables;
  readonly #selection: RequestSelection;

  constructor(database: DatabaseSync, tables: UsedTables, filter: BreakdownRequest['filter'], cut: Cut | undefined) {
    this.#database = database;
    this.#tables = tables;
    this.#selection = selectionOf(filter, tables.requests, lastPositionOf(cut));
  }

  /** Passes on each row of a time range with the key of its group. */
  forEach(
    by: Grouping,
    range: { readonly from: Instant; readonly to: Instant },
    add: (key: GroupKey, figure: Figure, at: Instant) => void,
  ): void {
    const { requests, figures } = this.#tables;
    const { sql, values } = rowsOf(this.#selection, range);
    for (const row of figureRows(this.#database, requests, sql, values, by === 'client'))
      add(figures.keyFor(by, row[GROUPINGS[by]], row.requestedAt), figureOf(row), row.requestedAt);
  }
}
