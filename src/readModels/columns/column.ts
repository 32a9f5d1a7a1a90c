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

/** Reads what `packColumn` returned. @param length the number of values */
export function unpackColumn(bytes: Uint8Array, length: number): Column {
  const width = bytes.length / length;
  if (width <= 1) return width === 0 ? new Uint32Array(length) : new Uint32Array(bytes);
  // Wider numbers must begin at a multiple of their width.
  const { buffer, byteOffset } = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  if (width === 2) return new Uint32Array(new Uint16Array(buffer, byteOffset, length));
  return width === 4 ? new Uint32Array(buffer, byteOffset, length) : new Float64Array(buffer, byteOffset, length);
}
