// A column is the values of one field of consecutive requests, as a list of numbers that is as narrow as its largest value allows:
// millions of them are read within milliseconds. Bytes are in the order of the processor, as read models never leave their machine.

export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

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

const bytesOf = ({ buffer, byteOffset, byteLength }: Column): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Reads what `packColumn` returned. @param length the number of values */
export function unpackColumn(bytes: Uint8Array, length: number): Column {
  const width = bytes.length / length;
  if (width === 0) return new Uint8Array(length);
  if (width === 1) return bytes;
  // Wider numbers must begin at a multiple of their width.
  const { buffer, byteOffset } = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  if (width === 2) return new Uint16Array(buffer, byteOffset, length);
  return width === 4 ? new Uint32Array(buffer, byteOffset, length) : new Float64Array(buffer, byteOffset, length);
}
