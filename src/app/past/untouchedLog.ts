import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isFileError } from '../../dataFolder/fileErrors.ts';
import { untouchedFile } from '../../dataFolder/untouchedFile.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import type { LogFiles } from '../../replay/logFiles.ts';
import type { Config } from '../config/config.ts';

/** The log cannot be read; the message says what to do. */
export class CannotReadLog extends Error {
  override readonly name = 'CannotReadLog';
  readonly code = 'CANNOT_READ_LOG';
}

const changed = (cause?: unknown) =>
  new CannotReadLog('A service has started or ended over the folder meanwhile. Run it again.', { cause });

/**
 * Calls `read` with the files of the log, or of this node's copy of it, beside a running service or over a stopped folder.
 * Nothing in the data folder changes.
 * @throws CannotReadLog, and what `read` throws
 */
export async function withUntouchedLog<Result>(
  { SVC_DATA_DIR, SVC_EVENTSTORE_URL }: Pick<Config, 'SVC_DATA_DIR' | 'SVC_EVENTSTORE_URL'>,
  read: (files: LogFiles) => Promise<Result>,
): Promise<Result> {
  const path = join(resolve(SVC_DATA_DIR), SVC_EVENTSTORE_URL === undefined ? 'log.sqlite' : 'mirror.sqlite');
  if (!existsSync(path)) throw new CannotReadLog(`There is no log at ${path}: set SVC_DATA_DIR to the data folder.`);
  const temporary = mkdtempSync(join(tmpdir(), 'svc-read-'));
  try {
    const log = untouchedFile(path, temporary);
    const archive = untouchedFile(archivePathOf(path), temporary);
    const isOther = () => log.hasChanged() || untouchedFile(path, temporary).location !== log.location;
    const result = await read({ location: log.location, archive: archive.location }).catch((error) => {
      throw isFileError(error) && isOther() ? changed(error) : error;
    });
    if (log.hasChanged()) throw changed();
    return result;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
