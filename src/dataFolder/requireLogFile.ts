import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** There is no log where the settings say that it is. */
export class LogFileMissing extends Error {
  override readonly name = 'NoLog';
}

/**
 * The file of the log in a data folder, for what makes no sense without one.
 * @param name `mirror.sqlite` where it is a copy of the history in EventStoreDB
 * @throws NoLog
 */
export function requireLogFile(folder: string, name = 'log.sqlite'): string {
  const path = join(folder, name);
  if (!existsSync(path)) throw new LogFileMissing(`There is no log in ${folder}: set SVC_DATA_DIR to the data folder.`);
  return path;
}
