import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { ownBytes, ownString } from '../requestBody/ownedBytes.ts';
import type { JsonObject } from '../requestBody/parseJson.ts';
import type { Opening } from './opening.ts';
import { checkItem, isInstruction } from './schema.ts';

/** An item that the provider would refuse as it is; positions count from the start of `input`. */
export interface RefusedItem {
  readonly start: number;
  readonly end: number;
  /** What goes in its place; undefined for a reference, whose meaning may have been forgotten since. */
  readonly by: Buffer | undefined;
  /** The id of a reference. */
  readonly id: string | undefined;
}

/** What we need to know of the items of an `input`. */
export interface InputFacts {
  /** The first item is a developer or system message. */
  isInstructed: boolean;
  first: Opening | undefined;
  firstOfUser: Opening | undefined;
  readonly refused: RefusedItem[];
  /** What all this holds on to, in bytes. */
  size: number;
}

export const noFacts = (): InputFacts => ({
  isInstructed: false,
  first: undefined,
  firstOfUser: undefined,
  refused: [],
  size: 0,
});

/** A copy for the items that end at or before `length`, of which there is at least one. */
export function factsUpTo(facts: InputFacts, length: number): InputFacts {
  const { firstOfUser } = facts;
  return {
    ...facts,
    firstOfUser: firstOfUser && firstOfUser.end <= length ? firstOfUser : undefined,
    refused: facts.refused.filter(({ end }) => end <= length),
  };
}

/** Objects that a refused item consists of besides its bytes. */
const OVERHEAD = 200;

/**
 * The item comes behind all that the facts speak of.
 * @param inputStart where `input` stands in `raw`; `start` and `end` count from there
 * @throws ProxyError when it holds what is refused
 */
export function addItem(
  facts: InputFacts,
  item: JsonObject,
  raw: Buffer,
  inputStart: number,
  start: number,
  end: number,
): void {
  checkItem(item, 'input');
  if (!facts.first) {
    facts.first = { start, end, text: undefined };
    facts.isInstructed = isInstruction(item);
  }
  if (!facts.firstOfUser && item.role === 'user') facts.firstOfUser = { start, end, text: undefined };
  if (item.role === 'system') {
    const text = raw.toString('utf8', inputStart + start, inputStart + end);
    const by = Buffer.from(JSON.stringify({ ...withExactNumbers(text, item), role: 'developer' }));
    facts.refused.push({ start, end, by: ownBytes(by, 0, by.length), id: undefined });
    facts.size += by.length + OVERHEAD;
  } else if (item.type === 'item_reference') {
    const id = typeof item.id === 'string' ? ownString(item.id) : undefined;
    facts.refused.push({ start, end, by: undefined, id });
    facts.size += 2 * (id?.length ?? 0) + OVERHEAD;
  }
}
