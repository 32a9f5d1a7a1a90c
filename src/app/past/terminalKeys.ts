import type { ReadStream } from 'node:tty';
import type { Keys } from './browseSteps.ts';

/** A key is a character, or what a terminal sends for an arrow. */
const KEY = new RegExp(`${String.fromCharCode(27)}\\[[A-D]|[\\s\\S]`, 'g');

/** The keys that are typed at a terminal, without waiting for the end of a line. Restores the terminal at the end. */
export async function* terminalKeys(input: ReadStream): Keys {
  input.setRawMode(true);
  input.setEncoding('utf8');
  try {
    for await (const text of input) yield* (text as string).match(KEY) ?? [];
  } finally {
    input.setRawMode(false);
  }
}
