// A column is the values of one field of consecutive requests. Files have them as narrow as the largest value allows, in the order of
// the processor, as read models never leave their machine. In memory nearly all have one type: V8 reads lists of several types in one
// place in twice the time.

export type Column = Uint32Array | Float64Array;
type Stored = Uint16Array | Column;

/** @param values whole numbers @returns no bytes if all values are zero */
export function packColumn(values: Float64Array): Uint8Array {
  let [least, most] = [0, 0];
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least === 0 && most === 0) return new Uint8Array(0);
  if (least < 0 || most > 0xffffffff) return bytesOf(values);
  if (most <= 0xff) return new Uint8Array(values);
  return bytesOf(most <= 0xffff ? new Uint16Array(values) : new Uint32Array(values));
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Stored): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * Reads what `packColumn` returned.
 * @param length the number of values
 * @param room for that many values, which are put there unless they can be read where they are
 */
export function unpackColumn(
  bytes: Uint8Array,
  length: number,
  room: () => Uint32Array = () => new Uint32Array(length),
): Column {
  const width = bytes.length / length;
  if (width === 0) return room().fill(0);
  if (width === 1) return filled(room(), bytes);
  // Wider numbers must begin at a multiple of their width.
  const { buffer, byteOffset } = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  if (width === 2) return filled(room(), new Uint16Array(buffer, byteOffset, length));
  return width === 4 ? new Uint32Array(buffer, byteOffset, length) : new Float64Array(buffer, byteOffset, length);
}

/**
 * Reads some values of what `packColumn` returned: of few, in a fraction of the time that all take.
 * @param length the number of all values
 * @param places of the wanted values
 * @param room for `count` values, which are put there if they are no wider than its numbers
 */
export function unpackSome(
  bytes: Uint8Array,
  length: number,
  places: Int32Array,
  count: number,
  room: Uint32Array,
): Column {
  const width = bytes.length / length;
  if (width === 0) return room.fill(0);
  if (width === 1) return gather8(room, bytes, places, count);
  const { buffer, byteOffset } = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  if (width === 2) return gather16(room, new Uint16Array(buffer, byteOffset, length), places, count);
  if (width === 4) return gather32(room, new Uint32Array(buffer, byteOffset, length), places, count);
  const values = new Float64Array(buffer, byteOffset, length);
  return Float64Array.from({ length: count }, (_, index) => values[places[index] as number] as number);
}

// One for each type of list: V8 reads lists of several types in one place in twice the time.

function gather8(room: Uint32Array, values: Uint8Array, places: Int32Array, count: number): Uint32Array {
  for (let index = 0; index < count; index++) room[index] = values[places[index] as number] as number;
  return room;
}

function gather16(room: Uint32Array, values: Uint16Array, places: Int32Array, count: number): Uint32Array {
  for (let index = 0; index < count; index++) room[index] = values[places[index] as number] as number;
  return room;
}

function gather32(room: Uint32Array, values: Uint32Array, places: Int32Array, count: number): Uint32Array {
  for (let index = 0; index < count; index++) room[index] = values[places[index] as number] as number;
  return room;
}

/**
 * A number that no value of a column is above: by its width, or the largest value where that says little.
 * @param length the number of values that `bytes` have, of which `values` may be some
 */
export function boundOf(bytes: Uint8Array, values: Column, length = values.length): number {
  const width = bytes.length / length;
  if (width <= 2) return 2 ** (8 * width) - 1;
  // These may also be below zero.
  if (width > 4) return Number.POSITIVE_INFINITY;
  let most = 0;
  for (let index = 0; index < values.length; index++) most = Math.max(most, values[index] as number);
  return most;
}

function filled(room: Uint32Array, values: Uint8Array | Uint16Array): Uint32Array {
  room.set(values);
  return room;
}

/** Lists for the columns of chunks that are read one after the other: new ones for each chunk take longer to make than to fill. */
export class ColumnRoom<Name> {
  readonly #lists = new Map<Name, Uint32Array>();

  /** A list with values of an earlier chunk. */
  of(name: Name, length: number): Uint32Array {
    let list = this.#lists.get(name);
    if (!list || list.length < length) {
      list = new Uint32Array(length);
      this.#lists.set(name, list);
    }
    return list.length === length ? list : list.subarray(0, length);
  }
}
