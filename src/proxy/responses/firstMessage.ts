import { copyString } from '../requestBody/bytes.ts';
import { isObject, parseSpan } from '../requestBody/parseJson.ts';

/** Where in `input` the first message is. It identifies a conversation that has no name. Positions are relative to `input`. */
export interface FirstMessage {
  readonly start: number;
  readonly end: number;
  /** Read on first use, then kept. */
  text: string | undefined;
}

/** Enough to distinguish conversations. */
const MAX_TEXT_LENGTH = 2_048;

/** The first user message, since the instructions before it are the same for all conversations of a client. */
export function firstMessageText(input: unknown): string | undefined {
  if (!Array.isArray(input)) return textOf(input);
  return textOf(input.find((item) => isObject(item) && item.role === 'user') ?? input[0]);
}

/** @param inputStart start of the `input` that `message` was found in, or of one that starts with the same items */
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
