import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Random bytes for many ids, because generating 16 costs nearly as much as generating a thousand. */
const randomBytes = Buffer.alloc(64 * ID_BYTES);
let next = randomBytes.length;

/** Id of a request in the log, in `x-request-id` and at the provider: `req_` and 128 random bits in hex. */
export function newRequestId(): string {
  if (next === randomBytes.length) {
    randomFillSync(randomBytes);
    next = 0;
  }
  const id = randomBytes.toString('hex', next, next + ID_BYTES);
  next += ID_BYTES;
  return `req_${id}`;
}
