import { badRequest } from '../errors/proxyError.ts';
import { Byte, endOfString } from './jsonScan.ts';

/** A smaller body cannot contain enough values to matter. */
const MIN_CHECKED_BYTES = 1_048_576;

/** Millions of tiny values need a hundred times their bytes once parsed. No conversation contains this many. */
export const MAX_VALUES = 1_000_000;

/** Rejects a body with more than `MAX_VALUES` values. @throws ProxyError `invalid_request_error` */
export function rejectTooManyValues(raw: Buffer): void {
  if (hasTooManyValues(raw)) badRequest(undefined, `the body contains more than ${MAX_VALUES} values`);
}

/**
 * Whether a body contains so many values that parsing it would block the event loop. Counts values outside strings and
 * stops at the limit. Does not check whether the body is JSON; the parser does later.
 */
export function hasTooManyValues(raw: Buffer): boolean {
  if (raw.length < MIN_CHECKED_BYTES) return false;
  let values = 0;
  for (let at = 0; at < raw.length; ) {
    const byte = raw[at++];
    if (byte === Byte.quote) {
      const end = endOfString(raw, at);
      if (end < 0) return false;
      at = end;
    } else if (byte === Byte.comma || byte === Byte.openBracket || byte === Byte.openBrace) {
      values++;
      if (values > MAX_VALUES) return true;
    }
  }
  return false;
}
