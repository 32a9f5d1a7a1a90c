import type { ReadStream } from 'node:tty';
import type { Keys } from './browseSteps.ts';

/** A key is a character, or the whole sequence that a terminal sends for an arrow, a function key or the like. */
const KEY = new RegExp(`${String.fromCharCode(27)}(?:\\[[0-?]*[ -/]*[@-~]|O[A-Za-z])|[\\s\\S]`, 'g');

/** The keys that are typed at a terminal, without waiting for the end of a line. Restores the terminal at the end. */
export async function* terminalKeys(input: ReadStream): Keys {
  input.setRawMode(true);
  input.setEncoding('utf8');
  try {
    for await (const text of input) yield* keysIn(text as string);
  } finally {
    input.setRawMode(false);
  }
}

/** Exported for its test: the keys of what a terminal sent at once. */
export const keysIn = (text: string): string[] => text.match(KEY) ?? [];
