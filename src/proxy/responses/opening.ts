import { ownString } from '../requestBody/ownedBytes.ts';
import { isObject, parseSpan } from '../requestBody/parseJson.ts';

/** Where in `input` stands what tells a conversation from others when nothing else does. */
export interface Opening {
  /** From the start of `input`. */
  readonly start: number;
  readonly end: number;
  /** Made when it is first asked for, then kept. */
  text: string | undefined;
}

/** So much is enough to tell conversations apart. */
const OPENING_CHARACTERS = 2_048;

/** The first thing that a user said; the instructions before it are the same for everybody. */
export function openingOf(input: unknown): string | undefined {
  if (!Array.isArray(input)) return textOf(input);
  return textOf(input.find((item) => isObject(item) && item.role === 'user') ?? input[0]);
}

/** @param inputStart where the input stands that the opening belongs to, or one that starts with the same items */
export function readOpening(raw: Buffer, inputStart: number, opening: Opening): string | undefined {
  if (opening.text === undefined) {
    const text = textOf(parseSpan(raw, inputStart + opening.start, inputStart + opening.end));
    opening.text = text && ownString(text);
  }
  return opening.text;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, OPENING_CHARACTERS);
}
