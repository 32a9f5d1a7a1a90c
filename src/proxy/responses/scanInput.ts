import type { JsonContainerScanner } from '../requestBody/jsonContainerScanner.ts';
import { Byte, endOfString } from '../requestBody/jsonScan.ts';
import { parseSpan } from '../requestBody/parseJson.ts';
import type { FirstMessage } from './firstMessage.ts';
import type { InputSummary } from './inputSummary.ts';
import type { RequestCache } from './requestCache.ts';
import { scanInputItems } from './scanInputItems.ts';

export interface ScannedInput {
  /** Position after the value. */
  readonly end: number;
  /** Undefined when the input is a string. */
  readonly items: InputSummary | undefined;
  readonly firstMessage: FirstMessage | undefined;
}

/**
 * Reads the value of `input` and parses only what no earlier request contained.
 * @returns undefined unless it is a string or an array of objects within the depth limit
 * @throws SyntaxError, ProxyError when it is invalid
 */
export function scanInput(
  raw: Buffer,
  start: number,
  scanner: JsonContainerScanner,
  cache: RequestCache,
  hint: string,
): ScannedInput | undefined {
  if (raw[start] === Byte.quote) return scanText(raw, start, cache, hint);
  if (raw[start] !== Byte.openBracket) return undefined;
  const scanned = scanInputItems(raw, start, scanner, cache.inputs, hint);
  if (!scanned) return undefined;
  const { summary, end } = scanned;
  return { end, items: summary, firstMessage: summary.firstUserItem ?? summary.firstItem };
}

function scanText(
  raw: Buffer,
  start: number,
  { conversationValues }: RequestCache,
  hint: string,
): ScannedInput | undefined {
  const cached = conversationValues.find(hint, 'input', raw, start);
  if (cached) {
    const firstMessage = cached.extracted as FirstMessage;
    return { end: start + cached.bytes.length, items: undefined, firstMessage };
  }
  const end = endOfString(raw, start + 1);
  if (end < 0) return undefined;
  parseSpan(raw, start, end);
  const firstMessage: FirstMessage = { start: 0, end: end - start, text: undefined };
  conversationValues.remember(hint, 'input', raw, start, end, firstMessage);
  return { end, items: undefined, firstMessage };
}
