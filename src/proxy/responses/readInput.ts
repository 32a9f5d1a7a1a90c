import type { ContainerScanner } from '../requestBody/containerScanner.ts';
import { Byte, endOfString } from '../requestBody/jsonScan.ts';
import { parseSpan } from '../requestBody/parseJson.ts';
import type { InputFacts } from './inputFacts.ts';
import type { Opening } from './opening.ts';
import { readItems } from './readItems.ts';
import type { RequestMemory } from './requestMemory.ts';

export interface ReadInput {
  /** Behind the value. */
  readonly end: number;
  /** Undefined when the input is a string. */
  readonly items: InputFacts | undefined;
  readonly opening: Opening | undefined;
}

/**
 * Reads the value of `input`, of which only that is parsed that no earlier request contained.
 * @returns undefined for what is neither a string nor an array of objects of sane depth
 * @throws SyntaxError, ProxyError when it is not good
 */
export function readInput(
  raw: Buffer,
  start: number,
  scanner: ContainerScanner,
  memory: RequestMemory,
  hint: string,
): ReadInput | undefined {
  if (raw[start] === Byte.quote) return readText(raw, start, memory, hint);
  if (raw[start] !== Byte.openBracket) return undefined;
  const read = readItems(raw, start, scanner, memory.inputs, hint);
  if (!read) return undefined;
  const { facts, end } = read;
  return { end, items: facts, opening: facts.firstOfUser ?? facts.first };
}

function readText(raw: Buffer, start: number, { ofConversations }: RequestMemory, hint: string): ReadInput | undefined {
  const known = ofConversations.find(hint, 'input', raw, start);
  if (known) return { end: start + known.bytes.length, items: undefined, opening: known.fact as Opening };
  const end = endOfString(raw, start + 1);
  if (end < 0) return undefined;
  parseSpan(raw, start, end);
  const opening: Opening = { start: 0, end: end - start, text: undefined };
  ofConversations.remember(hint, 'input', raw, start, end, opening);
  return { end, items: undefined, opening };
}
