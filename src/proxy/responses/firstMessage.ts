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
export function firstMessageText(input: unknown): string | undefined {
  if (!Array.isArray(input)) return textOf(input);
  return textOf(input.find((item) => isObject(item) && item.role === 'user') ?? input[0]);
}

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

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_TEXT_LENGTH);
}
