import type { DatabaseSync } from 'node:sqlite';
import type { Figure, Grouping } from '../../../projections/figures.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { ChunkCounts } from '../columns/chunkCounts.ts';
import { chunkRanges, overlaps } from '../columns/chunkRanges.ts';
import { type ChunkFilter, ChunkSelection } from '../columns/chunkSelection.ts';
import type { ChunkSummary } from '../columns/requestChunk.ts';
import { type Cut, lastPositionOf } from '../cut.ts';
import { FigureCounts, GroupedCounts, type GroupKey, groupsOfSteps, MANY_STEPS, REST } from '../figureCounts.ts';
import { DenseSteps } from '../figureSteps.ts';
import type { BreakdownRequest } from '../figuresQueries.ts';
import { columnFilter } from './columnFilter.ts';
import { ColumnGroups } from './columnGroups.ts';
import type { Counted, FigureTables, RowFigure } from './rowFigures.ts';

interface TimeRange {
  readonly from: Instant;
  readonly to: Instant;
}

/** Up to this number of sums, those of all groups in all steps are counted at once. */
const MAX_SUMS_AT_ONCE = 250_000;

/** Counts the requests that a filter lets through by their columns. */
export class ColumnFigures {
  readonly #tables: FigureTables;
  readonly #filter: ChunkFilter;
  readonly #upTo: number;

  private constructor(tables: FigureTables, filter: ChunkFilter, upTo: number) {
    this.#tables = tables;
    this.#filter = filter;
    this.#upTo = upTo;
  }

  /** @returns undefined where the filter needs rows */
  static of(
    database: DatabaseSync,
    tables: FigureTables,
    { filter, edges }: Pick<BreakdownRequest, 'filter' | 'edges'>,
    cut: Cut | undefined,
  ): ColumnFigures | undefined {
    const upTo = lastPositionOf(cut);
    const range = { from: edges[0] as Instant, to: edges.at(-1) as Instant };
    const found = columnFilter(filter, range, { database, requests: tables.requests, upTo });
    return found && new ColumnFigures(tables, found, upTo);
  }

  /** About the number of requests of a time range, whatever the filter. */
  requestsIn(range: TimeRange): number {
    return this.#tables.figures.countChunks(this.#isIn(range));
  }

  /** See `FiguresQueries.breakdown`. */
  count(request: BreakdownRequest): Counted {
    return (request.edges.length - 1 <= MANY_STEPS && this.#countAtOnce(request)) || this.#countTwice(request);
  }

  /** The requests of a time range, one by one. */
  all(by: Grouping, range: TimeRange): RowFigure[] {
    const found: RowFigure[] = [];
    const { kinds } = this.#tables.requests;
    this.#forEachRange(by, [range.from, range.to], (each, selection, { keys }) => {
      const { chunk } = each;
      const [input, cached, output] = [
        chunk.column('inputTokens'),
        chunk.column('cachedInputTokens'),
        chunk.column('outputTokens'),
      ];
      const [reasoning, cost] = [chunk.column('reasoningTokens'), chunk.column('costMicroDollars')];
      const [generating, times] = [chunk.column('generatingMs'), chunk.column('requestedAt')];
      const [latency, firstByte, kindIds] = [
        chunk.column('latencyBin'),
        chunk.column('firstByteBin'),
        chunk.column('kindId'),
      ];
      for (let index = 0; index < selection.length; index++) {
        const row = selection.rows[index] as number;
        const firstByteBin = firstByte[row] as number;
        const outputTokens = output[row] as number;
        const generatingMs = generating[row] as number;
        const figure: Figure = {
          requests: 1,
          errors: kinds.entryOf(kindIds[row] as number).status === '200' ? 0 : 1,
          inputTokens: input[row] as number,
          cachedInputTokens: cached[row] as number,
          outputTokens,
          reasoningTokens: reasoning[row] as number,
          costMicroDollars: cost[row] as number,
          generatedTokens: generatingMs > 0 ? outputTokens : 0,
          generatingMs,
          latencyBin: latency[row] as number,
          firstByteBin: firstByteBin === 0 ? null : firstByteBin - 1,
        };
        const key = keys[selection.groups[index] as number] as GroupKey;
        found.push({ key, figure, at: instant(chunk.earliest + (times[row] as number)) });
      }
    });
    return found;
  }

  /** @returns undefined when there are so many groups that their sums in all steps would take too much memory */
  #countAtOnce(request: BreakdownRequest): Counted | undefined {
    const { by, edges } = request;
    const steps = edges.length - 1;
    const counts = this.#newCounts(steps, { hasGroupSketches: true, hasStepSketches: true });
    let isTooMuch = false;
    const { keys } = this.#forEachRange(by, edges, (range, selection, groups) => {
      if (groups.keys.length * steps > MAX_SUMS_AT_ONCE) isTooMuch = true;
      else counts.add(range, selection, groups.keys.length);
      return !isTooMuch;
    });
    if (isTooMuch) return undefined;
    const whole = new GroupedCounts();
    keys.forEach((key, group) => {
      const own = new FigureCounts();
      for (let step = 0; step < steps; step++) own.sums.addList(counts.sumsOf(group, step));
      counts.addGroupSketches(group, own);
      whole.groups.set(key, own);
    });
    const dense = new DenseSteps(steps, groupsOfSteps(whole, request));
    for (let step = 0; step < steps; step++) {
      const total = dense.totalOf(step);
      keys.forEach((key, group) => {
        const sums = counts.sumsOf(group, step);
        if (sums[0] === 0) return;
        dense.addList(step, key, sums, 0);
        total.sums.addList(sums);
      });
      counts.addStepSketches(step, total);
    }
    return { whole, steps: dense };
  }

  /** Counts groups first, so that in each step those that are shown have sums. */
  #countTwice(request: BreakdownRequest): Counted {
    const { by, edges } = request;
    const ends = [edges[0] as Instant, edges.at(-1) as Instant];
    const ofAll = this.#newCounts(1, { hasGroupSketches: true, hasStepSketches: false });
    const whole = new GroupedCounts();
    const groups = this.#forEachRange(by, ends, (range, selection, { keys }) => {
      ofAll.add({ ...range, step: 0 }, selection, keys.length);
    });
    groups.keys.forEach((key, group) => {
      const own = new FigureCounts();
      own.sums.addList(ofAll.sumsOf(group, 0));
      ofAll.addGroupSketches(group, own);
      whole.groups.set(key, own);
    });
    const shown = groupsOfSteps(whole, request);
    const steps = edges.length - 1;
    const counts = this.#newCounts(steps, { hasGroupSketches: false, hasStepSketches: true });
    const columns = new Map([...shown, REST].map((key, column) => [key, column]));
    const columnOf = (group: number) => columns.get(groups.keys[group] as GroupKey) ?? shown.length;
    this.#forEachRange(
      by,
      edges,
      (range, selection) => {
        for (let index = 0; index < selection.length; index++)
          selection.groups[index] = columnOf(selection.groups[index] as number);
        counts.add(range, selection, shown.length + 1);
      },
      groups,
    );
    const dense = new DenseSteps(steps, shown);
    for (let step = 0; step < steps; step++) {
      const total = dense.totalOf(step);
      for (const [key, column] of columns) {
        if (column >= counts.groups) continue;
        const sums = counts.sumsOf(column, step);
        if (sums[0] === 0) continue;
        dense.addList(step, key, sums, 0);
        total.sums.addList(sums);
      }
      counts.addStepSketches(step, total);
    }
    return { whole, steps: dense };
  }

  #newCounts(steps: number, sketches: { readonly hasGroupSketches: boolean; readonly hasStepSketches: boolean }) {
    const { requests, figures } = this.#tables;
    const failedKinds = new Uint8Array(requests.kinds.entries.length + 1);
    requests.kinds.entries.forEach(({ status }, index) => {
      if (status !== '200') failedKinds[index + 1] = 1;
    });
    return new ChunkCounts({ steps, bins: figures.bins, failedKinds, ...sketches });
  }

  /** @param visit false ends it @param groups those of an earlier pass */
  #forEachRange(
    by: Grouping,
    edges: readonly Instant[],
    visit: (
      range: Parameters<ChunkCounts['add']>[0],
      selection: ChunkSelection,
      groups: ColumnGroups,
      // biome-ignore lint/suspicious/noConfusingVoidType: most visits go on
    ) => boolean | void,
    groups = this.#groupsBy(by),
  ): ColumnGroups {
    const { figures } = this.#tables;
    const conditions = this.#filter.conditions.filter(({ column }) => column !== groups.column);
    const filter = { ...this.#filter, conditions };
    const selection = new ChunkSelection();
    const isIn = this.#isIn({ from: edges[0] as Instant, to: edges.at(-1) as Instant });
    for (const range of chunkRanges(figures.chunks(isIn), edges)) {
      selection.select(range, groups, filter);
      if (visit(range, selection, groups) === false) break;
    }
    return groups;
  }

  #groupsBy(by: Grouping): ColumnGroups {
    return new ColumnGroups(
      by,
      this.#tables,
      (own) => this.#filter.conditions.find(({ column }) => column === own)?.wanted,
    );
  }

  #isIn({ from, to }: TimeRange): (summary: ChunkSummary) => boolean {
    return (summary) => summary.firstPosition <= this.#upTo && overlaps(summary, from, to);
  }
}
