import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../dataFolder/openDatabase.ts';
import { untouchedFile } from '../../dataFolder/untouchedFile.ts';

export interface OpenedCopy {
  readonly database: DatabaseSync;
  /** What SQLite opened. */
  readonly location: string;
  /** Whether a service has started meanwhile, so that what was read may be inconsistent. */
  readonly hasChanged: () => boolean;
}

/**
 * Opens a SQLite file of the data folder for reading, without a change in the folder.
 * @param temporary a folder for a copy of a file that cannot be read where it is
 * @returns undefined when there is no such file
 */
export function openCopy(folder: string, name: string, temporary: string): OpenedCopy | undefined {
  const path = join(folder, name);
  if (!existsSync(path)) return undefined;
  const { location, hasChanged } = untouchedFile(path, temporary);
  return { database: openDatabase(location, { readOnly: true, timeout: 5_000 }), location, hasChanged };
}
