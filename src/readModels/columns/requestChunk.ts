import { boundOf, type Column, type ColumnRoom, packColumn, unpackColumn, unpackSome } from './column.ts';

/** What is kept of a request, each as a column. Tables number them by their place here. */
export const COLUMNS = [
  /** Since the earliest request of the chunk. */
  'requestedAt',
  /** Behind the first position of the chunk. */
  'position',
  'kindId',
  'sourceId',
  /** 0: nothing is known of the client. */
  'clientId',
  'attempts',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'reasoningTokens',
  'costMicroDollars',
  'generatingMs',
  'latencyBin',
  /** One more than the bin; 0: no response. */
  'firstByteBin',
] as const;
export type ColumnName = (typeof COLUMNS)[number];

export const columnNumber = (name: ColumnName): number => COLUMNS.indexOf(name);

/** What is known of a chunk without its columns. */
export interface ChunkSummary {
  /** The place of a stored chunk, from 1 on. */
  readonly id?: number;
  readonly length: number;
  readonly firstPosition: number;
  readonly lastPosition: number;
  /** Times of the earliest and of the latest request. */
  readonly earliest: number;
  readonly latest: number;
  /** More than the largest number in `latencyBin` and in `firstByteBin`. */
  readonly bins: number;
}

/** Requests in the order of their times. */
export interface RequestChunk extends ChunkSummary {
  column(name: ColumnName): Column;
  /** A column as `packColumn` returned it. */
  bytesOf(name: ColumnName): Uint8Array;
  /** A number that no value of a column is above. */
  boundOf(name: ColumnName): number;
}

/** Requests with their times and positions as they are. */
export type RequestValues = Readonly<Record<ColumnName, Float64Array>>;

/** A chunk with its columns as bytes, by their numbers. */
export interface PackedChunk extends ChunkSummary {
  readonly columns: readonly Uint8Array[];
}

/** @param values those of at least one request, in the order of positions */
export function packChunk(values: RequestValues): PackedChunk {
  const { requestedAt, position, latencyBin, firstByteBin } = values;
  const [earliest, latest] = boundsOf(requestedAt);
  const [firstPosition, lastPosition] = boundsOf(position);
  const order = orderOf(requestedAt, earliest, latest);
  const bases: Partial<Record<ColumnName, number>> = { requestedAt: earliest, position: firstPosition };
  const sorted = new Float64Array(order.length);
  const columns = COLUMNS.map((name) => {
    const [own, base] = [values[name], bases[name] ?? 0];
    for (let index = 0; index < order.length; index++) sorted[index] = (own[order[index] as number] as number) - base;
    return packColumn(sorted.slice());
  });
  const bins = Math.max(boundsOf(latencyBin)[1], boundsOf(firstByteBin)[1]) + 1;
  return { length: order.length, firstPosition, lastPosition, earliest, latest, bins, columns };
}

/** The values of two lists of requests, one after the other. */
export const concatenate = (first: RequestValues, second: RequestValues): RequestValues =>
  valuesOf((name) => {
    const values = new Float64Array(first[name].length + second[name].length);
    values.set(first[name]);
    values.set(second[name], first[name].length);
    return values;
  });

/** Reads the values of a chunk. */
export const unpackValues = (chunk: RequestChunk): RequestValues =>
  valuesOf((name) => {
    const base = name === 'requestedAt' ? chunk.earliest : name === 'position' ? chunk.firstPosition : 0;
    const values = Float64Array.from(chunk.column(name));
    return base === 0 ? values : values.map((value) => value + base);
  });

/** A chunk whose columns are in memory. */
export const unpackChunk = ({ columns, ...summary }: PackedChunk): RequestChunk =>
  chunkOf(summary, (name) => columns[columnNumber(name)] as Uint8Array);

/**
 * A chunk that reads each column once: a query asks for the same ones again and again.
 * @param read the column as `packColumn` returned it
 * @param room where columns are unpacked; undefined: in lists of their own
 */
export function chunkOf(
  summary: ChunkSummary,
  read: (name: ColumnName) => Uint8Array,
  room?: ColumnRoom<ColumnName>,
): RequestChunk {
  const { length } = summary;
  const known = new Map<ColumnName, { readonly column: Column; readonly bytes: Uint8Array; bound?: number }>();
  const knownOf = (name: ColumnName) => {
    let own = known.get(name);
    if (!own) {
      const bytes = read(name);
      own = { bytes, column: unpackColumn(bytes, length, room && (() => room.of(name, length))) };
      known.set(name, own);
    }
    return own;
  };
  return {
    ...summary,
    column: (name) => knownOf(name).column,
    bytesOf: (name) => known.get(name)?.bytes ?? read(name),
    boundOf(name) {
      const own = knownOf(name);
      own.bound ??= boundOf(own.bytes, own.column);
      return own.bound;
    },
  };
}

/**
 * Some requests of a chunk as a chunk of their own, whose columns are read at their places alone.
 * @param places in their order; they and the room must not change while the chunk is used
 */
export function someOf(
  chunk: RequestChunk,
  places: Int32Array,
  length: number,
  room: ColumnRoom<ColumnName>,
): RequestChunk {
  const known = new Map<ColumnName, Column>();
  const column = (name: ColumnName): Column => {
    let own = known.get(name);
    if (!own) {
      own = unpackSome(chunk.bytesOf(name), chunk.length, places, length, room.of(name, length));
      known.set(name, own);
    }
    return own;
  };
  const { firstPosition, lastPosition, earliest, latest, bins, bytesOf } = chunk;
  return {
    ...{ length, firstPosition, lastPosition, earliest, latest, bins, column },
    bytesOf: (name) => packColumn(Float64Array.from(column(name))),
    boundOf: (name) => boundOf(bytesOf(name), column(name), chunk.length),
  };
}

/** Lists of values by column. */
export const valuesOf = (listOf: (name: ColumnName) => Float64Array): RequestValues =>
  Object.fromEntries(COLUMNS.map((name) => [name, listOf(name)])) as unknown as RequestValues;

function boundsOf(values: Float64Array): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

/** Of the indexes that a sorted number has, and of the times before it, both fit into 53 bits. */
const MAX_LENGTH = 2 ** 14;
const MAX_SPAN_MS = 2 ** 39;

/** The indexes of times in their order, equal ones in that of the list. */
function orderOf(times: Float64Array, earliest: number, latest: number): Uint32Array {
  if (times.length > MAX_LENGTH || latest - earliest >= MAX_SPAN_MS)
    return Uint32Array.from(times.keys()).sort((a, b) => (times[a] as number) - (times[b] as number) || a - b);
  // Numbers are sorted in a fraction of the time that a function takes to compare them.
  const keys = new Float64Array(times.length);
  for (let index = 0; index < keys.length; index++)
    keys[index] = ((times[index] as number) - earliest) * MAX_LENGTH + index;
  keys.sort();
  return Uint32Array.from(keys, (key) => key % MAX_LENGTH);
}
