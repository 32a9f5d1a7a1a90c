import { encodeCounts } from '../../domain/figures/quantileSketch.ts';
import { SUMS } from '../packedDay.ts';
import type { Column } from './column.ts';
import { packColumn, unpackColumn } from './column.ts';
import type { FieldPair, IdColumn } from './fieldPairs.ts';
import { COLUMN_OF } from './fieldPairs.ts';
import type { RequestChunk } from './requestChunk.ts';
import { addRequests } from './requestSums.ts';

// A cell is what requests of some consecutive chunks have in common in two fields: their sums in each chunk, and the bins of all of
// them. A filter on one field, grouped by another, then reads some thousand cells in place of 131,072 requests.

/** Cells that have fewer requests than this on average are no faster to read than these. */
const MIN_REQUESTS = 8;
/** Numbers in a list of bins by cell. */
const MAX_BINS = 4_000_000;

/** The numbers of fields' values in some chunks, by the ids of their columns. */
export interface FieldCodes {
  /** For each id of the field's column the number of its value. */
  readonly codes: Int32Array;
  /** For each value the first id that has it: it says the value, so no dictionary of values is needed. */
  readonly ids: readonly number[];
}

/** The cells of a pair. */
export interface PairCells {
  /** By cell: an id of the column of each field. */
  readonly ids: readonly [Column, Column];
  /** Where the entries of each chunk end. */
  readonly chunkEnds: Column;
  /** By entry: its cell. */
  readonly cellOf: Column;
  /** By entry, for each of `FIGURE_SUMS`. */
  readonly sums: readonly Column[];
  /** The bins of a cell, encoded: of the latency (0), and of the first byte (1). */
  binsOf(sketch: 0 | 1, cell: number): Uint8Array;
}

/** The numbers of a field's values. @param ids those that occur @param valueFor what the field has with an id */
export function fieldCodes(ids: readonly number[], valueFor: (id: number) => string | null): FieldCodes {
  const codes = new Int32Array(ids.reduce((most, id) => Math.max(most, id), 0) + 1);
  const byValue = new Map<string | null, number>();
  const first: number[] = [];
  for (const id of ids) {
    const value = valueFor(id);
    let code = byValue.get(value);
    if (code === undefined) {
      code = first.push(id) - 1;
      byValue.set(value, code);
    }
    codes[id] = code;
  }
  return { codes, ids: first };
}

/** The ids that occur in a column of chunks, in their order. @returns undefined for more than `max` */
export function idsIn(chunks: readonly RequestChunk[], column: IdColumn, max: number): number[] | undefined {
  const found = new Set<number>();
  for (const chunk of chunks) {
    for (const id of chunk.column(column)) found.add(id);
    if (found.size > max) return undefined;
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * Sums up the requests of chunks by a pair of fields.
 * @param failedKinds for each kind of request 1 if it failed
 * @returns undefined where there are hardly fewer cells than requests
 */
export function packPair(
  chunks: readonly RequestChunk[],
  pair: FieldPair,
  [first, second]: readonly [FieldCodes, FieldCodes],
  failedKinds: Uint8Array,
): Uint8Array | undefined {
  const requests = chunks.reduce((sum, { length }) => sum + length, 0);
  const bins = Math.max(...chunks.map((chunk) => chunk.bins));
  const maxCells = Math.min(Math.floor(requests / MIN_REQUESTS), Math.floor(MAX_BINS / bins));
  const width = second.ids.length;
  if (first.ids.length * width > MAX_BINS) return undefined;
  const numbers = new Int32Array(first.ids.length * width).fill(-1);
  const ids: [number[], number[]] = [[], []];
  const cellsOf = chunks.map((chunk) => {
    const [firstIds, secondIds] = [chunk.column(COLUMN_OF[pair[0]]), chunk.column(COLUMN_OF[pair[1]])];
    const cells = new Int32Array(chunk.length);
    for (let row = 0; row < cells.length; row++) {
      const [own, other] = [
        first.codes[firstIds[row] as number] as number,
        second.codes[secondIds[row] as number] as number,
      ];
      const at = own * width + other;
      let cell = numbers[at] as number;
      if (cell < 0) {
        cell = ids[0].push(first.ids[own] as number) - 1;
        ids[1].push(second.ids[other] as number);
        numbers[at] = cell;
      }
      cells[row] = cell;
    }
    return cells;
  });
  const cells = ids[0].length;
  if (cells > maxCells) return undefined;
  const { ends, entries } = entriesOf(chunks, cellsOf, cells, failedKinds);
  const sketches = (['latencyBin', 'firstByteBin'] as const).map((name, sketch) =>
    encodedBins(chunks, cellsOf, name, cells, bins, sketch),
  );
  return pack(
    [cells, chunks.length, ends.at(-1) as number],
    [...ids.map((list) => Float64Array.from(list)), ...sketches.map(({ ends }) => ends), ends, ...entries].map(
      packColumn,
    ),
    sketches.map(({ bytes }) => bytes),
  );
}

/** The cells and the sums of each chunk, and where they end. */
function entriesOf(
  chunks: readonly RequestChunk[],
  cellsOf: readonly Int32Array[],
  cells: number,
  failedKinds: Uint8Array,
): { readonly ends: Float64Array; readonly entries: readonly Float64Array[] } {
  const ends = new Float64Array(chunks.length);
  const lists = Array.from({ length: 1 + SUMS }, (): number[] => []);
  const sums = new Float64Array(cells * SUMS);
  chunks.forEach((chunk, number) => {
    sums.fill(0);
    addRequests(chunk, { groups: cellsOf[number] as Int32Array, length: chunk.length }, failedKinds, sums);
    for (let cell = 0; cell < cells; cell++) {
      if (sums[cell * SUMS] === 0) continue;
      lists[0]?.push(cell);
      for (let index = 0; index < SUMS; index++) lists[index + 1]?.push(sums[cell * SUMS + index] as number);
    }
    ends[number] = lists[0]?.length as number;
  });
  return { ends, entries: lists.map((list) => Float64Array.from(list)) };
}

/** The bins of all cells, one after the other, and where those of each end. */
function encodedBins(
  chunks: readonly RequestChunk[],
  cellsOf: readonly Int32Array[],
  name: 'latencyBin' | 'firstByteBin',
  cells: number,
  bins: number,
  sketch: number,
): { readonly ends: Float64Array; readonly bytes: Uint8Array } {
  const counts = new Uint32Array(cells * bins);
  chunks.forEach((chunk, number) => {
    const [values, own] = [chunk.column(name), cellsOf[number] as Int32Array];
    for (let row = 0; row < own.length; row++) {
      const at = (own[row] as number) * bins + (values[row] as number);
      counts[at] = (counts[at] as number) + 1;
    }
  });
  const ends = new Float64Array(cells);
  let end = 0;
  // In the column of the first byte, 0 is no response.
  const parts = Array.from(ends, (_, cell) => {
    const part = encodeCounts(counts.subarray(cell * bins + sketch, (cell + 1) * bins));
    end += part.length;
    ends[cell] = end;
    return part;
  });
  return { ends, bytes: Buffer.concat(parts, end) };
}

const COLUMNS = 6 + SUMS;
/** Numbers of cells, chunks and entries, and the bytes of each part. */
const HEADER = 3 + COLUMNS + 2;

function pack(counts: readonly number[], columns: readonly Uint8Array[], bytes: readonly Uint8Array[]): Uint8Array {
  const parts = [...columns, ...bytes];
  const header = Uint32Array.from([...counts, ...parts.map(({ length }) => length)]);
  return Buffer.concat([new Uint8Array(header.buffer), ...parts]);
}

/** Reads what `packPair` returned. */
export function unpackPair(packed: Uint8Array): PairCells {
  const [cells, chunks, entries, ...lengths] = new Uint32Array(
    packed.slice(0, HEADER * 4).buffer,
  ) as unknown as number[];
  let end = HEADER * 4;
  const parts = lengths.map((length) => {
    end += length;
    return packed.subarray(end - length, end);
  });
  const column = (index: number, length = 0) => unpackColumn(parts[index] as Uint8Array, length);
  const ends = [column(2, cells), column(3, cells)] as const;
  const bytes = parts.slice(COLUMNS) as [Uint8Array, Uint8Array];
  return {
    ids: [column(0, cells), column(1, cells)],
    chunkEnds: column(4, chunks),
    cellOf: column(5, entries),
    sums: Array.from({ length: SUMS }, (_, index) => column(6 + index, entries)),
    binsOf: (sketch, cell) => bytes[sketch].subarray(cell === 0 ? 0 : ends[sketch][cell - 1], ends[sketch][cell]),
  };
}
