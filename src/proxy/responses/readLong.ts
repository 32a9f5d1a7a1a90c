import type { ContainerScanner } from '../requestBody/containerScanner.ts';
import { Byte, endOfString } from '../requestBody/jsonScan.ts';
import { MAX_DEPTH, parseSpan } from '../requestBody/parseJson.ts';
import type { Field } from './fields.ts';
import type { RequestMemory } from './requestMemory.ts';

export interface LongValue {
  /** Behind the value. */
  readonly end: number;
  /** What is read of it. */
  readonly fact: unknown;
}

/**
 * Reads a string, an object or an array, of which only that is parsed that no earlier request contained.
 * @returns undefined for any other value and for what has no end
 * @throws SyntaxError, ProxyError when it is not good
 */
export function readLong(
  raw: Buffer,
  start: number,
  field: Field,
  scanner: ContainerScanner,
  memory: RequestMemory,
  hint: string,
): LongValue | undefined {
  const { name, isShared, checks, read } = field;
  const store = isShared ? memory.shared : memory.ofConversations;
  const key = isShared ? name : hint;
  const known = store.find(key, name, raw, start);
  if (known) return { end: start + known.bytes.length, fact: known.fact };
  const end = endOfLong(raw, start, scanner);
  if (end < 0) return undefined;
  const value = parseSpan(raw, start, end);
  for (const check of checks) check(value, name);
  const fact = read?.(value);
  store.remember(key, name, raw, start, end, fact);
  return { end, fact };
}

function endOfLong(raw: Buffer, start: number, scanner: ContainerScanner): number {
  switch (raw[start]) {
    case Byte.quote:
      return endOfString(raw, start + 1);
    case Byte.openBrace:
    case Byte.openBracket:
      return scanner.endOf(start, MAX_DEPTH - 1);
    default:
      return -1;
  }
}
