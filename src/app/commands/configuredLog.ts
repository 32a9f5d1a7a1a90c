import { join, resolve } from 'node:path';
import { readConfig } from '../config/config.ts';

/** The data folder, neither locked nor created. */
export function configuredFolder() {
  const path = resolve(readConfig().SVC_DATA_DIR);
  return { path, file: (name: string) => join(path, name) };
}

/** Whether the data folder has a copy of a log that is in EventStoreDB. */
export const isCopy = () => readConfig().SVC_EVENTSTORE_URL !== undefined;

/** The file of the log in the data folder. */
export const logName = () => (isCopy() ? 'mirror.sqlite' : 'log.sqlite');

/** What the embedded log lacks; undefined when nothing is missing. */
export async function findLoss(printError: (line: string) => void) {
  const { findEmbeddedLoss } = await import('../wiring/knownLog.ts');
  return findEmbeddedLoss(configuredFolder(), printError);
}
