import { badRequest } from '../errors/proxyError.ts';
import { Byte, endOfString } from './jsonScan.ts';

/** A smaller body cannot contain enough values to matter. */
const MIN_CHECKED_BYTES = 1_048_576;

/** Parsed, millions of tiny values take a hundred times their bytes. No conversation contains this many. */
export const MAX_VALUES = 1_000_000;

/** @throws ProxyError `invalid_request_error` */
export function rejectTooManyValues(raw: Buffer): void {
  if (hasTooManyValues(raw)) badRequest(undefined, `the body holds more than ${MAX_VALUES} values`);
}

/**
 * Whether parsing a body would block the event loop. Counts values outside strings and stops at the limit, before anything
 * is parsed. A body that is not JSON is counted all the same; the parser rejects it later.
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
