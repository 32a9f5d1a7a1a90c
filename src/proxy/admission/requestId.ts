import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Drawn for many ids at once: asking for 16 bytes costs nearly as much as asking for a thousand. */
const drawn = Buffer.alloc(64 * ID_BYTES);
let next = drawn.length;

/** What the log, the answer's `x-request-id` and the provider know a request by: `req_` and 128 random bits in hex. */
export function newRequestId(): string {
  if (next === drawn.length) {
    randomFillSync(drawn);
    next = 0;
  }
  const id = drawn.toString('hex', next, next + ID_BYTES);
  next += ID_BYTES;
  return `req_${id}`;
}
