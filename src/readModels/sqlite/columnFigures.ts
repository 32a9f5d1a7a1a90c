import type { DatabaseSync } from 'node:sqlite';
import { FIGURE_SUMS, type Figure, type Grouping } from '../../../projections/figures.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { ChunkCounts } from '../columns/chunkCounts.ts';
import { type ChunkRange, overlaps, rangesOf, stepBounds } from '../columns/chunkRanges.ts';
import { type ChunkFilter, ChunkSelection } from '../columns/chunkSelection.ts';
import { ColumnRoom } from '../columns/column.ts';
import { stepsOf, wholeOf } from '../columns/countedGroups.ts';
import { type ChunkSummary, type ColumnName, type RequestChunk, someOf } from '../columns/requestChunk.ts';
import { addRequests } from '../columns/requestSums.ts';
import { type GroupedCounts, type GroupKey, groupsOfSteps, REST } from '../figureCounts.ts';
import type { BreakdownRequest } from '../figuresQueries.ts';
import { SUMS } from '../packedDay.ts';
import type { Turns } from '../turns.ts';
import { columnFilter } from './columnFilter.ts';
import { ColumnGroups } from './columnGroups.ts';
import { fieldValues } from './fieldValues.ts';
import { PairFigures } from './pairFigures.ts';
import type { Counted, FigureTables, RowFigure } from './rowFigures.ts';

type ShownOf = (whole: GroupedCounts) => readonly GroupKey[];

interface TimeRange {
  readonly from: Instant;
  readonly to: Instant;
}

/** Up to this number of groups in all steps, they are counted at once: fifty in each hour of a year are 32 MB. */
const MAX_SUMS_AT_ONCE = 450_000;
const ONE_GROUP = Int32Array.of(0);

const NO_CONDITIONS: ChunkFilter = { conditions: [], rowConditions: [] };
/** Of fewer requests of a chunk, reading their values one by one is faster than reading whole columns. */
const FEW = 1 / 6;

/** The requests of chunks that a filter lets through, while these are few. */
class FewOfChunk {
  readonly #filter: ChunkFilter;
  readonly #matching = new ChunkSelection();
  readonly #room = new ColumnRoom<ColumnName>();
  #areFew = true;

  constructor(filter: ChunkFilter) {
    this.#filter = filter;
  }

  /** Used until the next one is asked for. @returns undefined where many match */
  of(chunk: RequestChunk): RequestChunk | undefined {
    const { length, earliest } = chunk;
    if (!this.#areFew) return undefined;
    const hasConditions = this.#matching.match(
      { chunk, from: 0, to: length, step: 0, at: instant(earliest) },
      this.#filter,
    );
    this.#areFew = !hasConditions || this.#matching.length < length * FEW;
    return hasConditions && this.#areFew
      ? someOf(chunk, this.#matching.rows, this.#matching.length, this.#room)
      : undefined;
  }
}

/** Counts the requests that a filter lets through by their columns. */
export class ColumnFigures {
  readonly #database: DatabaseSync;
  readonly #tables: FigureTables;
  readonly #filter: ChunkFilter;
  readonly #upTo: number;
  #failed: Uint8Array | undefined;

  private constructor(database: DatabaseSync, tables: FigureTables, filter: ChunkFilter, upTo: number) {
    this.#database = database;
    this.#tables = tables;
    this.#filter = filter;
    this.#upTo = upTo;
  }

  /** @param upTo the last position of a request: later ones may come meanwhile @returns undefined where the filter needs rows */
  static of(
    database: DatabaseSync,
    tables: FigureTables,
    { filter }: Pick<BreakdownRequest, 'filter'>,
    upTo: number,
  ): ColumnFigures | undefined {
    const found = columnFilter(filter, { database, requests: tables.requests, upTo });
    return found && new ColumnFigures(database, tables, found, upTo);
  }

  /** About the number of requests of a time range, whatever the filter. */
  requestsIn(range: TimeRange): number {
    return this.#tables.figures.countChunks(this.#isIn(range));
  }

  /** The number of chunks that have requests of a time range. */
  chunksIn(range: TimeRange): number {
    return this.#tables.figures.countChunks(this.#isIn(range), () => 1);
  }

  /** Counts the requests that the filter leaves out. @returns undefined for conditions on several columns */
  excluded(): ColumnFigures | undefined {
    const [condition, ...others] = this.#filter.conditions;
    if (!condition || others.length > 0 || this.#filter.rowConditions.length > 1) return undefined;
    const conditions = [{ ...condition, wanted: condition.wanted.map((byte) => 1 - byte) }];
    return new ColumnFigures(this.#database, this.#tables, { ...this.#filter, conditions }, this.#upTo);
  }

  /** See `FiguresQueries.breakdown`. @param shownOf says which groups steps have, from the counts of all groups */
  *count(request: BreakdownRequest, shownOf: ShownOf = (whole) => groupsOfSteps(whole, request)): Turns<Counted> {
    return (yield* this.#countAtOnce(request, shownOf)) ?? (yield* this.#countTwice(request, shownOf));
  }

  /** As `count`, by the cells of two fields. @returns undefined where these do not say enough */
  byPairs(request: BreakdownRequest): PairFigures | undefined {
    return PairFigures.of(this.#database, this.#tables, request, this.#upTo, this.#filter);
  }

  /** The requests of a time range, one by one. */
  all(by: Grouping, range: TimeRange): RowFigure[] {
    const found: RowFigure[] = [];
    const failedKinds = this.#failedKinds();
    const edges = [range.from, range.to];
    const groups = this.#groupsBy(by, edges);
    for (const [{ chunk }, selection] of this.#ranges(groups, edges)) {
      const [times, latency, firstByte] = [
        chunk.column('requestedAt'),
        chunk.column('latencyBin'),
        chunk.column('firstByteBin'),
      ];
      for (let index = 0; index < selection.length; index++) {
        const row = selection.rows[index] as number;
        const sums = new Float64Array(SUMS);
        addRequests(chunk, { rows: Int32Array.of(row), groups: ONE_GROUP, length: 1 }, failedKinds, sums);
        const firstByteBin = firstByte[row] as number;
        const figure = {
          ...Object.fromEntries(FIGURE_SUMS.map((name, place) => [name, sums[place]])),
          latencyBin: latency[row] as number,
          firstByteBin: firstByteBin === 0 ? null : firstByteBin - 1,
        } as Figure;
        const key = groups.keys[selection.groups[index] as number] as GroupKey;
        found.push({ key, figure, at: instant(chunk.earliest + (times[row] as number)) });
      }
    }
    return found;
  }

  /** @returns undefined when there are so many groups that their sums in all steps would take too much memory */
  *#countAtOnce({ by, edges }: BreakdownRequest, shownOf: ShownOf): Turns<Counted | undefined> {
    const steps = edges.length - 1;
    const counts = this.#newCounts(steps, { hasGroupSketches: true, hasStepSketches: true });
    const groups = this.#groupsBy(by, edges);
    const { keys } = groups;
    for (const [range, selection] of this.#ranges(groups, edges)) {
      if (keys.length * steps > MAX_SUMS_AT_ONCE) return undefined;
      counts.add(range, selection, keys.length);
      yield;
    }
    const whole = wholeOf(keys, counts);
    return { whole, steps: yield* stepsOf(counts, steps, shownOf(whole), keys) };
  }

  /** Counts groups first, so that in each step those that are shown have sums. */
  *#countTwice({ by, edges }: BreakdownRequest, shownOf: ShownOf): Turns<Counted> {
    const ends = [edges[0] as Instant, edges.at(-1) as Instant];
    const ofAll = this.#newCounts(1, { hasGroupSketches: true, hasStepSketches: false });
    const groups = this.#groupsBy(by, edges);
    for (const [range, selection] of this.#ranges(groups, ends)) {
      ofAll.add({ ...range, step: 0 }, selection, groups.keys.length);
      yield;
    }
    const whole = wholeOf(groups.keys, ofAll);
    const shown = shownOf(whole);
    const steps = edges.length - 1;
    const counts = this.#newCounts(steps, { hasGroupSketches: false, hasStepSketches: true });
    const columns = new Map([...shown, REST].map((key, column) => [key, column]));
    const columnOf = (group: number) => columns.get(groups.keys[group] as GroupKey) ?? shown.length;
    for (const [range, selection] of this.#ranges(groups, edges)) {
      for (let index = 0; index < selection.length; index++)
        selection.groups[index] = columnOf(selection.groups[index] as number);
      counts.add(range, selection, shown.length + 1);
      yield;
    }
    return { whole, steps: yield* stepsOf(counts, steps, shown, [...shown, REST]) };
  }

  #newCounts(steps: number, sketches: { readonly hasGroupSketches: boolean; readonly hasStepSketches: boolean }) {
    const { figures } = this.#tables;
    return new ChunkCounts({
      steps,
      bins: figures.bins,
      failedKinds: this.#failedKinds(),
      ...sketches,
    });
  }

  /** Once for each query: there are thousands of kinds. */
  #failedKinds(): Uint8Array {
    this.#failed ??= fieldValues(this.#tables.requests).failedKinds();
    return this.#failed;
  }

  /** The requests of each range of a chunk that is in one step; the selection is used again for the next. */
  *#ranges(groups: ColumnGroups, edges: readonly Instant[]): Generator<[ChunkRange, ChunkSelection]> {
    const { figures } = this.#tables;
    const conditions = this.#filter.conditions.filter(({ column }) => column !== groups.column);
    const filter = { ...this.#filter, conditions };
    const selection = new ChunkSelection();
    const isIn = this.#isIn({ from: edges[0] as Instant, to: edges.at(-1) as Instant });
    const bounds = stepBounds(edges, groups.isByMonth);
    const few = new FewOfChunk(this.#filter);
    for (const chunk of figures.chunks(isIn)) {
      const some = few.of(chunk);
      if (some?.length === 0) {
        // So that a turn ends also where nothing matches.
        selection.length = 0;
        yield [{ chunk, from: 0, to: 0, step: 0, at: instant(chunk.earliest) }, selection];
      }
      for (const range of rangesOf(some ?? chunk, bounds)) {
        selection.select(range, groups, some ? NO_CONDITIONS : filter);
        yield [range, selection];
      }
    }
  }

  #groupsBy(by: Grouping, edges: readonly Instant[]): ColumnGroups {
    return new ColumnGroups(
      by,
      this.#tables,
      this.#tables.figures.hasFullMonth(by, edges),
      (own) => this.#filter.conditions.find(({ column }) => column === own)?.wanted,
    );
  }

  #isIn({ from, to }: TimeRange): (summary: ChunkSummary) => boolean {
    return (summary) => summary.firstPosition <= this.#upTo && overlaps(summary, from, to);
  }
}
