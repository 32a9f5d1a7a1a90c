import { isUtf8 } from 'node:buffer';
import { badRequest } from '../errors/proxyError.ts';

export type JsonObject = Record<string, unknown>;

/** No client nests deeper. Deeper nesting could overflow the stack of the provider's parser or of ours. */
export const MAX_DEPTH = 128;

/**
 * Parses a request body.
 * @throws ProxyError `invalid_request_error` for anything but one JSON object in UTF-8, at most `MAX_DEPTH` levels deep
 */
export function parseJsonObject(raw: Buffer): JsonObject {
  if (raw.length === 0) badRequest(undefined, 'the request has no body; send a JSON object');
  if (!isUtf8(raw)) badRequest(undefined, 'the body is not valid UTF-8');
  return parseObjectText(raw.toString());
}

/** `parseJsonObject` from the text of the body. @throws ProxyError `invalid_request_error` */
export function parseObjectText(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    badRequest(undefined, 'the body is not valid JSON');
  }
  if (!isObject(value)) badRequest(undefined, 'the body must be a JSON object');
  if (isDeeperThan(value, MAX_DEPTH)) badRequest(undefined, `the body is nested deeper than ${MAX_DEPTH} levels`);
  return value;
}

/**
 * Parses the slice of a body that is expected to be one value.
 * @param before text that completes the slice at its start, as `after` does at its end
 * @throws SyntaxError also for invalid UTF-8, which a decoder would silently replace
 */
export function parseSpan(raw: Buffer, start: number, end: number, before = '', after = ''): unknown {
  if (!isUtf8(raw.subarray(start, end))) throw new SyntaxError('not valid UTF-8');
  return JSON.parse(before + raw.toString('utf8', start, end) + after);
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is nested deeper than `levels`. The recursion stops there, so it cannot overflow the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) if (isDeeperThan((value as JsonObject)[key], levels - 1)) return true;
  return false;
}
