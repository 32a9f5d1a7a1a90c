import { badRequest } from '../errors/proxyError.ts';
import { Byte, endOfString } from './jsonScan.ts';

/** A smaller body cannot hold enough values to matter. */
const SMALL_BYTES = 1_048_576;

/** Millions of tiny values cost a hundred times their bytes once they are parsed; no conversation holds so many. */
export const MAX_VALUES = 1_000_000;

/** @throws ProxyError `invalid_request_error` */
export function refuseTooManyValues(raw: Buffer): void {
  if (hasTooManyValues(raw)) badRequest(undefined, `the body holds more than ${MAX_VALUES} values`);
}

/**
 * Whether reading a body would block everybody else: counts values outside strings and stops at the limit, before
 * anything is parsed. What is no JSON gives a number all the same; its reader will say what is wrong with it.
 */
export function hasTooManyValues(raw: Buffer): boolean {
  if (raw.length < SMALL_BYTES) return false;
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
