import { FIGURE_SUMS, type FigureSums } from '../../projections/figures.ts';
import { writeNumber } from '../domain/figures/writeNumber.ts';

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
const REQUESTS = FIGURE_SUMS.indexOf('requests');

const EVERY_QUARTER = Int32Array.from({ length: QUARTERS_OF_DAY }, (_, quarter) => quarter);
/** The sums of a day while it is packed, and its bytes: a batch packs hundreds of them. */
const unpacked = new Float64Array(SUMS * QUARTERS_OF_DAY);
const hourSums = new Float64Array(SUMS);
const MAX_BYTES_OF_SUM = 8;
const bytes = new Uint8Array((QUARTERS_OF_DAY + 2 * HOURS_OF_DAY) * (SUMS + 2) * MAX_BYTES_OF_SUM);

/** @param stored a packed day @param added sums by the quarter of the day @returns the day with both */
export function addToPackedDay(stored: Uint8Array | undefined, added: ReadonlyMap<number, FigureSums>): Uint8Array {
  unpacked.fill(0);
  if (stored) addPackedDay(stored, EVERY_QUARTER, { into: unpacked, width: SUMS, at: 0 });
  for (const [quarter, sums] of added) {
    let at = quarter * SUMS;
    for (const name of FIGURE_SUMS) unpacked[at] = (unpacked[at++] as number) + sums[name];
  }
  let length = 0;
  let hourBefore = 0;
  for (let hour = 0; hour < HOURS_OF_DAY; hour++) {
    if (!hasRequests(hour * QUARTERS_OF_HOUR, QUARTERS_OF_HOUR)) continue;
    const quarters = packedQuarters(hour);
    length = writeNumber(bytes, length, hour - hourBefore);
    length = writeNumber(bytes, length, quarters.length);
    for (const sum of hourSums) length = writeNumber(bytes, length, sum);
    bytes.set(quarters, length);
    length += quarters.length;
    hourBefore = hour;
  }
  return bytes.slice(0, length);
}

const quarterBytes = new Uint8Array(QUARTERS_OF_HOUR * (SUMS + 1) * MAX_BYTES_OF_SUM);

/** The quarters of an hour, whose sums it puts into `hourSums`. */
function packedQuarters(hour: number): Uint8Array {
  hourSums.fill(0);
  let length = 0;
  let before = 0;
  for (let quarter = 0; quarter < QUARTERS_OF_HOUR; quarter++) {
    const number = hour * QUARTERS_OF_HOUR + quarter;
    if (!hasRequests(number, 1)) continue;
    length = writeNumber(quarterBytes, length, quarter - before);
    for (let index = 0; index < SUMS; index++) {
      const sum = unpacked[number * SUMS + index] as number;
      length = writeNumber(quarterBytes, length, sum);
      hourSums[index] = (hourSums[index] as number) + sum;
    }
    before = quarter;
  }
  return quarterBytes.subarray(0, length);
}

function hasRequests(first: number, count: number): boolean {
  for (let quarter = first; quarter < first + count; quarter++)
    if (unpacked[quarter * SUMS + REQUESTS] !== 0) return true;
  return false;
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
