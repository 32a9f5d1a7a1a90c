import { copyString } from '../requestBody/bytes.ts';
import { isObject, parseSpan } from '../requestBody/parseJson.ts';

/** Position of the first message in `input`, relative to its start. The message identifies a conversation without a name. */
export interface FirstMessage {
  readonly start: number;
  readonly end: number;
  /** Read on first use, then kept. */
  text: string | undefined;
}

/** Enough to distinguish conversations. */
const MAX_TEXT_LENGTH = 2_048;

/** Returns the first user message: the instructions before it are the same for all conversations of a client. */
export function firstMessageText(input: unknown, reveal?: Reveal): string | undefined {
  return textOf(firstMessageIn(input), reveal);
}

/** Returns the message that `firstMessageText` reads, or an `input` that is no array itself. */
export const firstMessageIn = (input: unknown): unknown =>
  Array.isArray(input) ? (input.find((item) => isObject(item) && item.role === 'user') ?? input[0]) : input;

/** Puts back what `chat/longTexts.ts` has taken out of a string. */
type Reveal = (text: string) => string;

/**
 * Reads the text of a message that was found by position.
 * @param inputStart start of the `input` that `message` was found in, or of one that starts with the same items
 */
export function readFirstMessage(raw: Buffer, inputStart: number, message: FirstMessage): string | undefined {
  if (message.text === undefined) {
    const text = textOf(parseSpan(raw, inputStart + message.start, inputStart + message.end));
    message.text = text && copyString(text);
  }
  return message.text;
}

function textOf(value: unknown, reveal?: Reveal): string | undefined {
  if (value === undefined) return undefined;
  const shortened = shorten(value, reveal);
  return (typeof shortened === 'string' ? shortened : JSON.stringify(shortened)).slice(0, MAX_TEXT_LENGTH);
}

/** Cuts the strings in a value. Their ends are beyond `MAX_TEXT_LENGTH` once they are serialized, so they need not be. */
function shorten(value: unknown, reveal: Reveal | undefined): unknown {
  if (typeof value === 'string') {
    const text = reveal ? reveal(value) : value;
    return text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text;
  }
  if (Array.isArray(value)) return value.map((item) => shorten(item, reveal));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member, reveal)]));
}
