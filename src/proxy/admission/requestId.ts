import { randomFillSync } from 'node:crypto';

const TIME_DIGITS = 12;
const RANDOM_BYTES = 10;
/** Random bytes for many ids, because generating 10 costs nearly as much as generating a thousand. */
const randomBytes = Buffer.alloc(64 * RANDOM_BYTES);
let next = randomBytes.length;
/** The beginning of an id of this millisecond: writing a time in hex costs more than the rest of the id. */
let beginning = { at: Number.NaN, text: '' };

/**
 * Id of a request in the log, in `x-request-id` and at the provider: `req_`, the time in milliseconds and 80 random bits, both in hex.
 * Ids that sort by time land next to each other in the indexes of the log and the read models, where random ones
 * would change a page for each request.
 */
export function newRequestId(now: number = Date.now()): string {
  if (next === randomBytes.length) {
    randomFillSync(randomBytes);
    next = 0;
  }
  const random = randomBytes.toString('hex', next, next + RANDOM_BYTES);
  next += RANDOM_BYTES;
  if (now !== beginning.at) beginning = { at: now, text: `req_${now.toString(16).padStart(TIME_DIGITS, '0')}` };
  return beginning.text + random;
}
