import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The data folder contains no log. */
export class LogFileMissing extends Error {
  override readonly name = 'LogFileMissing';
}

/**
 * Path of the log file in a data folder, for commands that must not create an empty log.
 * @param name `mirror.sqlite` where the history is in EventStoreDB and the file is a copy of it
 * @throws LogFileMissing
 */
export function requireLogFile(folder: string, name = 'log.sqlite'): string {
  const path = join(folder, name);
  if (!existsSync(path)) throw new LogFileMissing(`There is no log in ${folder}: set SVC_DATA_DIR to the data folder.`);
  return path;
}
