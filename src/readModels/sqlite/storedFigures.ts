import type { DatabaseSync } from 'node:sqlite';
import { FIGURE_PERIODS, FIGURE_SUMS } from '../../../projections/figures.ts';
import { startOf } from '../../../projections/periods.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { type Cut, splitAtCut } from '../cut.ts';
import { FigureCounts, GroupedCounts, type GroupKey, groupsOfSteps, stepOf } from '../figureCounts.ts';
import { DenseSteps } from '../figureSteps.ts';
import type { BreakdownRequest } from '../figuresQueries.ts';
import { addPackedDay, QUARTERS_OF_DAY, quarterOfDay, SUMS } from '../packedDay.ts';
import { type StepRun, type StepRuns, stepIn, stepRuns } from '../stepRuns.ts';
import { forEachInTurns, type Turns } from '../turns.ts';
import type { ColumnFigures } from './columnFigures.ts';
import { groupingNumber } from './figureNames.ts';
import type { FigureTable } from './figureTable.ts';
import type { PackedDays } from './packedDays.ts';
import type { SumsBy } from './pendingFigures.ts';
import { periodNumber } from './rollUpTable.ts';
import type { Counted, FigureTables, RowFigure } from './rowFigures.ts';
import type { StepTotals } from './stepTotals.ts';
import type { TotalRow, TotalRows } from './totalRows.ts';

const QUARTER_MS = 900_000;
const HOUR_MS = 4 * QUARTER_MS;
const DAY_MS = 24 * HOUR_MS;

/** Ids, sums and both sketches: rows as lists, because objects of so many fields take longer to make than to add up. */
type SumsRow = readonly [id: number, ...(number | Uint8Array)[]];

/** @param first the place of the first sum */
function addRow({ sums, latency, firstByte }: FigureCounts, row: SumsRow, first: number): void {
  sums.addList(row as readonly number[], first);
  latency.mergeEncoded(row[first + SUMS] as Uint8Array);
  firstByte.mergeEncoded(row[first + SUMS + 1] as Uint8Array);
}

interface PendingCounts {
  readonly quarter: Instant;
  readonly key: GroupKey;
  readonly counts: FigureCounts;
}

/** Counts by the sums of the tables and of what is not written yet. */
export class StoredFigures {
  readonly #database: DatabaseSync;
  readonly #request: BreakdownRequest;
  readonly #cut: Cut | undefined;
  /** Undefined: all groups. */
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #byOfTotals: SumsBy;
  readonly #runs: StepRuns;
  /** The requests of parts of a quarter, and around the cut. */
  readonly #own: readonly RowFigure[];
  /** What is not written yet, by groups and of all of them. */
  readonly #pending: readonly PendingCounts[];
  readonly #pendingTotals: readonly PendingCounts[];
  readonly #totals: TotalRows;
  readonly #days: PackedDays;
  /** The writes of the snapshot that this reads. */
  readonly #writes: number;
  readonly #writesOfDays: number;
  readonly #stepTotals: StepTotals;
  readonly #writesOfSteps: number;

  /** @param rows those that the filter lets through */
  constructor(
    database: DatabaseSync,
    { figures }: FigureTables,
    request: BreakdownRequest,
    wanted: ReadonlySet<string> | undefined,
    cut: Cut | undefined,
    rows: Pick<ColumnFigures, 'all'>,
  ) {
    const { by, edges } = request;
    this.#database = database;
    this.#request = request;
    this.#wanted = wanted;
    this.#cut = cut;
    this.#byOfTotals = wanted ? by : 'all';
    this.#totals = figures.totals;
    this.#writes = figures.totals.writes;
    this.#days = figures.packedDays;
    this.#writesOfDays = figures.packedDays.writes;
    this.#stepTotals = figures.stepTotals;
    this.#writesOfSteps = figures.stepTotals.writes;
    this.#runs = stepRuns(edges, cut);
    // Now, as requests that are not written yet may be between two turns.
    this.#own = this.#runs.rows.flatMap((range) => rows.all(by, range));
    this.#pending = this.#pendingBy(figures, by);
    this.#pendingTotals = wanted ? this.#pending : this.#pendingBy(figures, 'all');
  }

  /** @param excluded requests that are not counted, although sums of all groups have them */
  *count(excluded?: ColumnFigures): Turns<Counted> {
    const { by, edges } = this.#request;
    const [runs, own] = [this.#runs, this.#own];
    // What is not in the snapshot was read when this was made.
    yield;
    const whole = yield* this.#countWhole();
    const without = yield* this.#countExcluded(excluded, whole);
    const shown = groupsOfSteps(whole, this.#request);
    const steps = new DenseSteps(edges.length - 1, shown);
    // Without a filter, those that are not shown are the total without the others.
    const isRestDerived = this.#wanted === undefined;
    const isShown = new Set(shown);
    const keys = new Map([...this.#keysOf(by)].filter(([, key]) => !isRestDerived || isShown.has(key)));
    yield* this.#addPackedDays(runs.runs, keys, steps);
    for (const run of runs.runs) {
      if (isOfDays(run)) yield* this.#addDays(run, keys, steps);
    }
    yield* excluded ? this.addTotals(steps) : this.#addFinalTotals(steps);
    for (const { quarter, key, counts } of this.#pending) {
      const step = stepAt(runs, quarter);
      if (step >= 0) steps.add(step, key, counts.sums);
    }
    for (const { key, figure, at } of own) steps.add(stepOf(edges, at), key, figure);
    if (without) {
      steps.subtract(without);
      yield;
    }
    if (isRestDerived) steps.deriveRest();
    return { whole, steps };
  }

  /** Takes excluded requests off the counts of groups. @returns those of the steps */
  *#countExcluded(excluded: ColumnFigures | undefined, whole: GroupedCounts): Turns<DenseSteps | undefined> {
    const counted =
      excluded &&
      (yield* excluded.count(this.#request, (own) => {
        whole.subtract(own);
        return groupsOfSteps(whole, this.#request);
      }));
    return counted?.steps;
  }

  /** As `addTotals`, to which nothing is added afterwards: what was found before is not found again. */
  *#addFinalTotals(steps: DenseSteps): Turns<void> {
    if (this.#wanted) return yield* this.addTotals(steps);
    const { edges } = this.#request;
    const known = this.#stepTotals;
    const others = this.#stepsOfRequests();
    const unknown: { -readonly [Name in keyof StepRun]: StepRun[Name] }[] = [];
    const found: [step: number, from: number, lengthMs: number][] = [];
    for (const run of this.#runs.runs) {
      const { stepMs, firstStep } = run;
      let last: (typeof unknown)[number] | undefined;
      for (let [step, from] = [firstStep, run.from as number]; from < run.to; step++, from += stepMs) {
        const isWhole = edges[step] === from && edges[step + 1] === from + stepMs && !others.has(step);
        const total = isWhole ? known.get(from, stepMs) : undefined;
        if (total) {
          steps.setTotal(step, total);
          last = undefined;
          continue;
        }
        if (isWhole) found.push([step, from, stepMs]);
        const to = instant(from + stepMs);
        if (last) last.to = to;
        else {
          last = { ...run, from: instant(from), to, firstStep: step };
          unknown.push(last);
        }
      }
    }
    yield* this.addTotals(steps, unknown);
    yield* forEachInTurns(found, ([step, from, lengthMs]) => {
      const total = steps.finishTotal(step);
      if (total) known.keep(from, lengthMs, total, this.#writesOfSteps);
    });
  }

  /** Steps with requests that are not written yet, or are around the cut. */
  #stepsOfRequests(): Set<number> {
    const { edges } = this.#request;
    const steps = new Set(this.#own.map(({ at }) => stepOf(edges, at)));
    for (const { quarter } of this.#pendingTotals) steps.add(stepAt(this.#runs, quarter));
    return steps;
  }

  /** Adds what all requests of each step have in common. */
  *addTotals(steps: DenseSteps, of: readonly StepRun[] = this.#runs.runs): Turns<void> {
    const runs = this.#runs;
    const keys = this.#keysOf(this.#byOfTotals);
    for (const run of of) yield* this.#addTotalsOf(run, keys, steps);
    for (const { quarter, counts } of this.#pendingTotals) {
      const step = stepAt(runs, quarter);
      if (step >= 0) steps.totalOf(step).merge(counts);
    }
    for (const { figure, at } of this.#own) steps.totalOf(stepOf(this.#request.edges, at)).addFigure(figure);
  }

  *#countWhole(): Turns<GroupedCounts> {
    const { by } = this.#request;
    const [first, end] = [this.#request.edges[0] as Instant, this.#request.edges.at(-1) as Instant];
    const ranges = splitAtCut(first, end, this.#cut, FIGURE_PERIODS);
    const whole = new GroupedCounts();
    const keys = this.#keysOf(by);
    const select = this.#database.prepare(
      `SELECT groupId, ${FIGURE_SUMS.join(', ')}, latency, firstByte FROM figures
       WHERE grouping = ? AND period = ? AND start >= ? AND start < ?`,
    );
    select.setReturnArrays(true);
    for (const { period, from, to } of ranges) {
      if (!period) {
        for (const { key, figure, at } of this.#own) if (from <= at && at < to) whole.of(key).addFigure(figure);
        continue;
      }
      const found = select.iterate(groupingNumber(by), periodNumber(period), from, to);
      yield* forEachInTurns(found as unknown as Iterable<SumsRow>, (row) => {
        const key = keys.get(row[0]);
        if (key !== undefined) addRow(whole.of(key), row, 1);
      });
    }
    const wholePeriods = ranges.filter(({ period }) => period);
    for (const { quarter, key, counts } of this.#pending)
      if (wholePeriods.some(({ from, to }) => from <= quarter && quarter < to)) whole.of(key).merge(counts);
    return whole;
  }

  /** Sums of groups in steps of whole days or months. */
  *#addDays(run: StepRun, keys: ReadonlyMap<number, GroupKey>, steps: DenseSteps): Turns<void> {
    const select = this.#database.prepare(
      `SELECT start, groupId, ${FIGURE_SUMS.join(', ')} FROM figures
       WHERE grouping = ? AND period = ? AND start >= ? AND start < ?`,
    );
    select.setReturnArrays(true);
    const found = select.iterate(groupingNumber(this.#request.by), periodNumber(run.period), run.from, run.to);
    const rows = found as unknown as Iterable<readonly [start: number, groupId: number, ...sums: number[]]>;
    yield* forEachInTurns(rows, (row) => {
      const key = keys.get(row[1]);
      if (key !== undefined) steps.addList(stepIn(run, row[0]), key, row, 2);
    });
  }

  /** Sums of groups in all other steps. */
  *#addPackedDays(runs: readonly StepRun[], keys: ReadonlyMap<number, GroupKey>, steps: DenseSteps): Turns<void> {
    const stepsOfDays = new Map<number, Int32Array>();
    for (const run of runs) {
      if (isOfDays(run)) continue;
      for (let day: number = startOf('day', run.from); day < run.to; day += DAY_MS) {
        const stepOfQuarter = stepsOfDays.get(day) ?? new Int32Array(QUARTERS_OF_DAY).fill(-1);
        stepsOfDays.set(day, stepOfQuarter);
        const end = Math.min(run.to, day + DAY_MS);
        for (let quarter = Math.max(run.from, day); quarter < end; quarter += QUARTER_MS)
          stepOfQuarter[quarterOfDay(quarter)] = stepIn(run, quarter);
      }
    }
    const { sums: into, width } = steps;
    const columns = new Map([...keys].map(([id, key]) => [id, steps.columnOf(key)]));
    const wanted = {
      grouping: groupingNumber(this.#request.by),
      days: [...stepsOfDays.keys()],
      groups: [...keys.keys()],
      writes: this.#writesOfDays,
    };
    yield* forEachInTurns(this.#days.in(this.#database, wanted), ([day, groupId, sums]) => {
      const at = columns.get(groupId);
      const stepOfQuarter = stepsOfDays.get(day);
      if (at !== undefined && stepOfQuarter) addPackedDay(sums, stepOfQuarter, { into, width, at });
    });
  }

  /** Figures of all groups together. */
  *#addTotalsOf(run: StepRun, keys: ReadonlyMap<number, GroupKey>, steps: DenseSteps): Turns<void> {
    const isFew = this.#wanted !== undefined;
    const select = this.#database.prepare(
      `SELECT start, ${FIGURE_SUMS.join(', ')}, latency, firstByte FROM figures
       WHERE grouping = ? AND period = ? AND start >= ? AND start < ?
       ${isFew ? 'AND groupId IN (SELECT value FROM json_each(?))' : ''}`,
    );
    select.setReturnArrays(true);
    const ids = isFew ? [JSON.stringify([...keys.keys()])] : [];
    const grouping = groupingNumber(this.#byOfTotals);
    const add = (period: (typeof FIGURE_PERIODS)[number], from: number, to: number): Turns<void> => {
      const read = (first: number, end: number) =>
        select.iterate(grouping, periodNumber(period), first, end, ...ids) as unknown as Iterable<TotalRow>;
      // Those of groups are too many to be kept.
      const rows = isFew ? read(from, to) : this.#totals.in(period, instant(from), instant(to), this.#writes, read);
      return forEachInTurns(rows, (row) => addRow(steps.totalOf(stepIn(run, row[0])), row, 1));
    };
    if (run.period !== 'quarter' || run.stepMs <= HOUR_MS) {
      yield* add(run.period as (typeof FIGURE_PERIODS)[number], run.from, run.to);
      return;
    }
    // Days of a zone that is not whole hours from UTC: whole hours, and quarters at both ends of each.
    for (let from = run.from as number; from < run.to; from += run.stepMs) {
      const to = from + run.stepMs;
      const [firstHour, endOfHours] = [Math.ceil(from / HOUR_MS) * HOUR_MS, Math.floor(to / HOUR_MS) * HOUR_MS];
      yield* add('quarter', from, firstHour);
      yield* add('hour', firstHour, endOfHours);
      yield* add('quarter', endOfHours, to);
    }
  }

  /** The groups that the filter lets through, by their ids. */
  #keysOf(by: SumsBy): Map<number, GroupKey> {
    const rows = this.#database
      .prepare('SELECT id, key FROM figureGroups WHERE grouping = ?')
      .all(groupingNumber(by)) as { id: number; key: GroupKey }[];
    return new Map(rows.flatMap(({ id, key }) => (this.#isWanted(key) ? [[id, key] as const] : [])));
  }

  #pendingBy(figures: FigureTable, by: SumsBy): PendingCounts[] {
    const found: PendingCounts[] = [];
    figures.forEachPending(by, (quarter, key, counts) => {
      if (!this.#isWanted(key)) return;
      const copy = new FigureCounts();
      copy.merge(counts);
      found.push({ quarter, key, counts: copy });
    });
    return found;
  }

  #isWanted(key: GroupKey): boolean {
    return this.#wanted?.has(key) ?? true;
  }
}

const isOfDays = ({ period }: StepRun): boolean => period === 'day' || period === 'month';

/** The step of a quarter of an hour in runs; negative: none. */
function stepAt({ runs }: StepRuns, quarter: Instant): number {
  const run = runs.find(({ from, to }) => from <= quarter && quarter < to);
  return run ? stepIn(run, quarter) : -1;
}
