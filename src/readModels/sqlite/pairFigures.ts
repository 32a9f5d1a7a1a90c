import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '../../domain/core/brands.ts';
import { ChunkCounts } from '../columns/chunkCounts.ts';
import { type ChunkRange, overlaps, rangesOf, type StepBounds, stepBounds } from '../columns/chunkRanges.ts';
import { type ChunkFilter, ChunkSelection, EXCLUDED } from '../columns/chunkSelection.ts';
import { wholeOf } from '../columns/countedGroups.ts';
import { COLUMN_OF, FIELD_PAIRS, type FieldPair, fieldsOf, pairNumberOf } from '../columns/fieldPairs.ts';
import type { PairCells } from '../columns/pairCells.ts';
import type { RequestChunk } from '../columns/requestChunk.ts';
import { type GroupKey, groupsOfSteps, keyOf, REST } from '../figureCounts.ts';
import { DenseSteps } from '../figureSteps.ts';
import type { BreakdownRequest } from '../figuresQueries.ts';
import type { Turns } from '../turns.ts';
import { wantedBytes } from './columnFilter.ts';
import { ColumnGroups } from './columnGroups.ts';
import { fieldValues } from './fieldValues.ts';
import { BLOCK_CHUNKS, blockOf } from './pairTable.ts';
import type { Counted, FigureTables } from './rowFigures.ts';

/** Up to this number of sums, those of all groups in all steps are counted at once. */
const MAX_SUMS_AT_ONCE = 250_000;
/** Steps whose sums are passed on in one turn. */
const STEPS_OF_TURN = 256;

/** The cells of a block for one query. */
interface Block {
  readonly cells: PairCells;
  /** By cell its group; negative: it does not match. */
  readonly groupOf: Int32Array;
  /** Whether all requests of the block are in the range. */
  readonly isWhole: boolean;
}

/**
 * Counts the requests that a filter on one field lets through, by another: whole chunks by the cells of both fields, and parts of chunks
 * by their columns. What all groups of a step have in common, sums of the filter's field say.
 */
export class PairFigures {
  readonly #tables: FigureTables;
  readonly #request: BreakdownRequest;
  readonly #filter: ChunkFilter;
  readonly #upTo: number;
  readonly #pair: number;
  /** For each field of the pair, its wanted ids. */
  readonly #wanted: readonly (Uint8Array | undefined)[];
  readonly #groups: ColumnGroups;
  /** The groups of cells, by the ids that say what they have in the field that is grouped by. */
  readonly #groupsOfIds = new Map<number, number>();
  readonly #valueOf: (id: number) => string | null;
  readonly #selection = new ChunkSelection();

  private constructor(
    database: DatabaseSync,
    tables: FigureTables,
    request: BreakdownRequest,
    upTo: number,
    filter: ChunkFilter,
    pair: number,
  ) {
    this.#tables = tables;
    this.#request = request;
    this.#upTo = upTo;
    this.#pair = pair;
    this.#wanted = pairOf(pair).map((field) => wantedBytes(field, request.filter, database, tables.requests));
    const values = fieldValues(tables.requests);
    this.#valueOf = (id) => values.valueOf(request.by, id);
    const conditions = filter.conditions.filter(({ column }) => column !== COLUMN_OF[request.by]);
    this.#filter = { ...filter, conditions };
    this.#groups = new ColumnGroups(
      request.by,
      tables,
      tables.figures.hasFullMonth(request.by, request.edges),
      (own) => filter.conditions.find(({ column }) => column === own)?.wanted,
    );
  }

  /**
   * @param upTo the last position of a request
   * @param filter the conditions of the request
   * @returns undefined where the filter needs more than cells say
   */
  static of(
    database: DatabaseSync,
    tables: FigureTables,
    request: BreakdownRequest,
    upTo: number,
    filter: ChunkFilter,
  ): PairFigures | undefined {
    const fields = fieldsOf(request.filter);
    const pair = fields && pairNumberOf([request.by, ...fields]);
    return pair === undefined ? undefined : new PairFigures(database, tables, request, upTo, filter, pair);
  }

  /** @param addTotals adds what all requests of each step have in common */
  *count(addTotals: (steps: DenseSteps) => Turns<void>): Turns<Counted> {
    const { edges } = this.#request;
    const steps = edges.length - 1;
    const { keys } = this.#groups;
    const fewGroups = MAX_SUMS_AT_ONCE / steps;
    const atOnce = yield* this.#sumUp(edges, { hasBins: true, maxGroups: fewGroups });
    const ofAll = atOnce ?? (yield* this.#sumUp([edges[0] as Instant, edges.at(-1) as Instant], { hasBins: true }));
    const whole = wholeOf(keys, ofAll);
    yield;
    const shown = groupsOfSteps(whole, this.#request);
    const dense = new DenseSteps(steps, shown);
    let [counts, columns] = [ofAll, keys as readonly GroupKey[]];
    if (!atOnce) {
      columns = [...shown, REST];
      const numbers = new Map(shown.map((key, index) => [key, index]));
      const codes = Int32Array.from(keys, (key) => numbers.get(key) ?? shown.length);
      counts = yield* this.#sumUp(edges, { hasBins: false, codes });
    }
    yield* addTotals(dense);
    const places = Int32Array.from(columns, (key) => dense.columnOf(key));
    for (let step = 0; step < steps; step++) {
      dense.addGroups(step, places, counts.stepSums(step));
      if (step % STEPS_OF_TURN === 0) yield;
    }
    return { whole, steps: dense };
  }

  #sumUp(edges: readonly Instant[], options: { hasBins: boolean; codes?: Int32Array }): Turns<ChunkCounts>;
  #sumUp(edges: readonly Instant[], options: { hasBins: boolean; maxGroups: number }): Turns<ChunkCounts | undefined>;
  /**
   * @param codes for each group the number that it is counted as
   * @returns undefined for more groups than `maxGroups`
   */
  *#sumUp(
    edges: readonly Instant[],
    { hasBins, codes, maxGroups }: { hasBins: boolean; codes?: Int32Array; maxGroups?: number },
  ): Turns<ChunkCounts | undefined> {
    const { figures, requests } = this.#tables;
    const [from, to] = [edges[0] as Instant, edges.at(-1) as Instant];
    const counts = new ChunkCounts({
      steps: edges.length - 1,
      bins: figures.bins,
      failedKinds: fieldValues(requests).failedKinds(),
      hasGroupSketches: hasBins,
      hasStepSketches: false,
    });
    const isIn = (each: RequestChunk | Parameters<typeof overlaps>[0]) => overlaps(each, from, to);
    const blocks = new Map<number, Block | undefined>();
    const bounds = stepBounds(edges, this.#groups.isByMonth);
    for (const chunk of figures.chunks((summary) => summary.firstPosition <= this.#upTo && isIn(summary))) {
      const block = this.#blockOf(chunk, from, to, blocks, codes);
      this.#addChunk(chunk, bounds, counts, block, hasBins, codes);
      if (maxGroups !== undefined && this.#groups.keys.length > maxGroups) return undefined;
      yield;
    }
    if (hasBins) {
      for (const block of blocks.values()) {
        if (!block?.isWhole) continue;
        counts.addBins(block.cells, block.groupOf, this.#groups.keys.length);
        yield;
      }
    }
    return counts;
  }

  #addChunk(
    chunk: RequestChunk,
    bounds: StepBounds,
    counts: ChunkCounts,
    block: Block | undefined,
    hasBins: boolean,
    codes: Int32Array | undefined,
  ): void {
    const ranges = rangesOf(chunk, bounds);
    const largest = ranges.reduce((best, range) => (range.to - range.from > best.to - best.from ? range : best), {
      from: 0,
      to: 0,
    } as ChunkRange);
    const groups = () => (codes ? Math.max(...codes) + 1 : this.#groups.keys.length);
    const select = (range: ChunkRange): ChunkSelection => {
      this.#selection.select(range, this.#groups, this.#filter);
      if (codes) recode(this.#selection, codes);
      return this.#selection;
    };
    const isByEntries = block !== undefined && 2 * (largest.to - largest.from) > chunk.length;
    if (isByEntries) {
      const number = ((chunk.id as number) - 1) % BLOCK_CHUNKS;
      const [first, end] = [number === 0 ? 0 : block.cells.chunkEnds[number - 1], block.cells.chunkEnds[number]];
      counts.addEntries(block.cells, first as number, end as number, block.groupOf, largest.step, groups());
      for (const range of outside(chunk, ranges)) counts.move(range, largest.step, select(range), groups());
    }
    for (const range of ranges) {
      const isAdded = isByEntries && range === largest;
      const needsBins = hasBins && !block?.isWhole;
      if (isAdded && !needsBins) continue;
      const selection = select(range);
      if (isAdded) counts.addRequestBins(range, selection, groups());
      else if (isByEntries) {
        counts.move(range, largest.step, selection, groups());
        if (needsBins) counts.addRequestBins(range, selection, groups());
      } else if (needsBins) counts.add(range, selection, groups());
      else counts.addSums(range, selection, groups());
    }
  }

  #blockOf(
    chunk: RequestChunk,
    from: Instant,
    to: Instant,
    blocks: Map<number, Block | undefined>,
    codes: Int32Array | undefined,
  ): Block | undefined {
    // Groups by month, and whether a request is after the cut, differ from one request to the next.
    if (chunk.id === undefined || chunk.lastPosition > this.#upTo || this.#groups.isByMonth) return undefined;
    const number = blockOf(chunk.id);
    if (!blocks.has(number)) {
      const cells = this.#tables.figures.cellsOf(number, this.#pair);
      const isWhole = this.#tables.figures
        .chunksOf(number)
        .every(({ earliest, latest, lastPosition }) => earliest >= from && latest < to && lastPosition <= this.#upTo);
      blocks.set(number, cells && { cells, groupOf: this.#groupsOf(cells, codes), isWhole });
    }
    return blocks.get(number);
  }

  #groupsOf({ ids }: PairCells, codes: Int32Array | undefined): Int32Array {
    const own = pairOf(this.#pair).indexOf(this.#request.by) as 0 | 1;
    const [first, second] = this.#wanted;
    return Int32Array.from({ length: ids[0].length }, (_, cell) => {
      if (first && first[ids[0][cell] as number] !== 1) return EXCLUDED;
      if (second && second[ids[1][cell] as number] !== 1) return EXCLUDED;
      const group = this.#groupOfId(ids[own][cell] as number);
      return codes ? (codes[group] as number) : group;
    });
  }

  #groupOfId(id: number): number {
    let group = this.#groupsOfIds.get(id);
    if (group === undefined) {
      group = this.#groups.numberOf(keyOf(this.#valueOf(id)));
      this.#groupsOfIds.set(id, group);
    }
    return group;
  }
}

const pairOf = (number: number): FieldPair => FIELD_PAIRS[number] as FieldPair;

function recode(selection: ChunkSelection, codes: Int32Array): void {
  const { groups, length } = selection;
  for (let index = 0; index < length; index++) groups[index] = codes[groups[index] as number] as number;
}

/** The requests of a chunk that are before and after all steps. */
function outside(chunk: RequestChunk, ranges: readonly ChunkRange[]): ChunkRange[] {
  const [first, last] = [ranges[0] as ChunkRange, ranges.at(-1) as ChunkRange];
  return [
    { ...first, from: 0, to: first.from, step: -1 },
    { ...last, from: last.to, to: chunk.length, step: -1 },
  ].filter(({ from, to }) => from < to);
}
