import { FIGURE_SUMS, type FigureSums } from '../../projections/figures.ts';

// The sums of one group in the quarters of an hour of a day of UTC, as few bytes: a year by hours is 365 of them for each group instead
// of 8,760 rows. For each hour that has requests: its distance from the one before, the bytes of its quarters, its sums, and for each
// quarter that has requests its distance from the one before and its sums. So whole hours are read without their quarters.

const QUARTERS_OF_HOUR = 4;
const HOURS_OF_DAY = 24;
export const QUARTERS_OF_DAY = HOURS_OF_DAY * QUARTERS_OF_HOUR;
const QUARTER_MS = 900_000;
/** The number of a quarter of an hour in its day. @param start ms since 1970 */
export const quarterOfDay = (start: number): number => Math.floor(start / QUARTER_MS) % QUARTERS_OF_DAY;

export const SUMS = FIGURE_SUMS.length;

/** @param stored a packed day @param added sums by the quarter of the day, in the order of `FIGURE_SUMS` @returns the day with both */
export function addToPackedDay(stored: Uint8Array | undefined, added: ReadonlyMap<number, FigureSums>): Uint8Array {
  const quarters: (number[] | undefined)[] = stored ? unpackedQuarters(stored) : [];
  for (const [quarter, sums] of added) {
    const known = quarters[quarter];
    quarters[quarter] = FIGURE_SUMS.map((name, index) => (known?.[index] ?? 0) + sums[name]);
  }
  const bytes: number[] = [];
  let hourBefore = 0;
  for (let hour = 0; hour < HOURS_OF_DAY; hour++) {
    const own = quarters.slice(hour * QUARTERS_OF_HOUR, (hour + 1) * QUARTERS_OF_HOUR);
    const some = own.filter((sums) => sums !== undefined);
    if (some.length === 0) continue;
    const packed: number[] = [];
    let before = 0;
    own.forEach((sums, quarter) => {
      if (!sums) return;
      writeNumber(packed, quarter - before);
      for (const sum of sums) writeNumber(packed, sum);
      before = quarter;
    });
    writeNumber(bytes, hour - hourBefore);
    writeNumber(bytes, packed.length);
    for (let index = 0; index < SUMS; index++)
      writeNumber(
        bytes,
        some.reduce((sum, sums) => sum + (sums[index] as number), 0),
      );
    bytes.push(...packed);
    hourBefore = hour;
  }
  return new Uint8Array(bytes);
}

function unpackedQuarters(bytes: Uint8Array): number[][] {
  const quarters: number[][] = [];
  const into = new Float64Array(SUMS * QUARTERS_OF_DAY);
  const numbers = Int32Array.from({ length: QUARTERS_OF_DAY }, (_, quarter) => quarter);
  addPackedDay(bytes, numbers, { into, width: SUMS, at: 0 });
  numbers.forEach((quarter) => {
    const sums = [...into.subarray(quarter * SUMS, (quarter + 1) * SUMS)];
    if (sums.some((sum) => sum !== 0)) quarters[quarter] = sums;
  });
  return quarters;
}

/** Where the sums of a step are: `SUMS` numbers from `step * width + at` on. */
export interface PackedTarget {
  readonly into: Float64Array;
  readonly width: number;
  readonly at: number;
}

/** Adds a packed day to the sums of steps. @param stepOf the step of each quarter of the day; negative: none */
export function addPackedDay(bytes: Uint8Array, stepOf: Int32Array, { into, width, at: column }: PackedTarget): void {
  let at = 0;
  // Read and add in one function: a year by hours is a million numbers.
  const read = (): number => {
    let byte = bytes[at++] as number;
    let value = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = bytes[at++] as number;
      value += (byte & 0x7f) * factor;
    }
    return value;
  };
  const addTo = (step: number): void => {
    const first = step * width + column;
    for (let index = first; index < first + SUMS; index++) into[index] = (into[index] as number) + read();
  };
  const skipSums = (): void => {
    for (let index = 0; index < SUMS; index++) while ((bytes[at++] as number) >= 0x80);
  };
  let hour = 0;
  while (at < bytes.length) {
    hour += read();
    const length = read();
    const first = hour * QUARTERS_OF_HOUR;
    const step = stepOf[first] as number;
    const isOne = isOneStep(stepOf, first, step);
    if (isOne && step >= 0) addTo(step);
    else skipSums();
    const end = at + length;
    if (!isOne) {
      let quarter = first;
      while (at < end) {
        quarter += read();
        const own = stepOf[quarter] as number;
        if (own >= 0) addTo(own);
        else skipSums();
      }
    }
    at = end;
  }
}

function isOneStep(stepOf: Int32Array, first: number, step: number): boolean {
  for (let quarter = first + 1; quarter < first + QUARTERS_OF_HOUR; quarter++)
    if (stepOf[quarter] !== step) return false;
  return true;
}

function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
}
