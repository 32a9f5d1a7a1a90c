import { existsSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { constants } from 'node:os';

/** The file of an export cannot be made; the message says why and what to do. */
export class CannotWriteFile extends Error {
  override readonly name = 'CannotWriteFile';
}

/** They end a command at once. */
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Writes a file, readable by its owner only, that appears when it is complete and synced. Until then it is called
 * `<path>.part`, which is removed when `write` fails and when a signal ends the process; one that `kill -9` left is replaced.
 * @throws CannotWriteFile when there is such a file already, and what `write` throws
 */
export async function writeNewFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  if (existsSync(path)) throw new CannotWriteFile(`${path} already exists. Name another file.`);
  const draft = `${path}.part`;
  rmSync(draft, { force: true });
  // `wx` follows no link: where others may write, as in /tmp, one could lead to a file that they can read.
  const file = await open(draft, 'wx', 0o600);
  const { ino } = await file.stat();
  const isOurs = (): boolean => statSync(draft, { throwIfNoEntry: false })?.ino === ino;
  const remove = (): void => {
    if (isOurs()) rmSync(draft);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    remove();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  try {
    await write(file);
    await file.sync();
    if (!isOurs()) throw new CannotWriteFile(`Another process writes ${path}. Name another file.`);
    await rename(draft, path);
  } catch (error) {
    remove();
    throw error;
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    await file.close();
  }
}
