import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { remedyFor } from '../../dataFolder/fileErrors.ts';
import { BackupRefused } from '../format/backupRefused.ts';
import { COPIED_FILES, type CopiedFile, type Manifest } from '../format/manifest.ts';
import { type OpenedBackup, openBackup } from '../format/readRecords.ts';
import { checkRestored } from './checkRestored.ts';
import { removeArchivedRows } from './removeArchivedRows.ts';
import { beginRestore, type RestoreDraft } from './restoreDraft.ts';
import { RowWriter } from './rowWriter.ts';

export interface RestoreOptions {
  /** A whole backup, then the increments that continue it, in order. */
  readonly files: readonly string[];
  /** The data folder: missing or empty. */
  readonly folder: string;
  readonly passphrase: string | undefined;
  /** Accepts a log with events that are not what their hash says, or that are missing. */
  readonly acceptsFindings: boolean;
  /** Looks at the restored folder before it is the data folder. @returns what is wrong, a sentence each */
  readonly inspect: (draft: string, manifest: Manifest) => Promise<readonly string[]>;
  /** Called with the folder that was found to be right. */
  readonly finish: (draft: string, manifest: Manifest) => Promise<void>;
  readonly onProgress: (position: number, of: number) => void;
}

export interface Restored {
  /** Of the last file. */
  readonly manifest: Manifest;
  readonly files: readonly CopiedFile[];
  readonly findings: readonly string[];
}

/**
 * Makes a data folder of a backup. The folder appears complete or not at all: after a failure or a kill, nothing of it counts.
 * @throws BackupRefused that names the file, and the errors of SQLite and the file system
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { files, folder, passphrase, acceptsFindings, inspect, finish } = options;
  const opened: OpenedBackup[] = [];
  for (const path of files) opened.push(await openBackup(path, passphrase));
  const last = requireChain(opened);
  let draft: RestoreDraft | undefined;
  try {
    draft = beginRestore(folder);
    const copied = await writeAll(opened, draft.path, options);
    if (last.store === 'embedded') removeArchivedRows(draft.path);
    const findings = last.store === 'embedded' ? checkRestored(draft.path, last) : [];
    findings.push(...(await inspect(draft.path, last)));
    if (findings.length > 0 && !acceptsFindings) throw brokenLog(files, findings);
    await finish(draft.path, last);
    draft.accept();
    return { manifest: last, files: copied, findings };
  } catch (error) {
    throw withRemedy(error, folder);
  } finally {
    draft?.close();
  }
}

/** Each file must continue the one before. @returns the manifest of the last */
function requireChain(opened: readonly OpenedBackup[]): Manifest {
  let before: OpenedBackup | undefined;
  for (const backup of opened) {
    const { since } = backup.manifest;
    if (!before && since !== null) {
      throw new BackupRefused(
        `${backup.path} has only the events after position ${since.upTo.position}. Name the backups that it continues before it, the oldest first.`,
      );
    }
    if (before && since?.backup !== before.manifest.id) {
      throw new BackupRefused(
        since === null
          ? `${backup.path} continues no other backup. Restore it alone, or with the increments that continue it.`
          : `${backup.path} does not continue ${before.path}. Name each backup that was made with --since after the one that it names.`,
      );
    }
    before = backup;
  }
  return (before as OpenedBackup).manifest;
}

/** The events of all files; everything else as the last one has it. */
async function writeAll(
  opened: readonly OpenedBackup[],
  draft: string,
  { onProgress }: RestoreOptions,
): Promise<CopiedFile[]> {
  const writer = new RowWriter(draft);
  const copied: CopiedFile[] = [];
  const end = (opened.at(-1) as OpenedBackup).manifest.upTo.position;
  try {
    for (const backup of opened) {
      const isLast = backup === opened.at(-1);
      let isWritten = false;
      let rows = 0;
      for await (const record of backup.records()) {
        if (Array.isArray(record)) {
          if (!isWritten) continue;
          writer.write(record, backup.path);
          rows += 1;
          if (rows % PROGRESS_ROWS === 0 && typeof record[0] === 'number') onProgress(record[0], end);
        } else if ('table' in record) {
          isWritten = isLast || record.of === 'log.sqlite';
          if (isWritten) writer.begin(record.of, record.table, record.columns, backup.path);
        } else if ('file' in record) {
          if (!COPIED_FILES.includes(record.file)) throw unknownRecord(backup.path);
          if (!isLast) continue;
          writeFileSync(join(draft, record.file), Buffer.from(record.base64, 'base64'), { mode: 0o600, flag: 'wx' });
          copied.push(record.file);
        } else throw unknownRecord(backup.path);
      }
    }
    return copied;
  } finally {
    writer.close();
  }
}

const PROGRESS_ROWS = 10_000;

const unknownRecord = (path: string): BackupRefused =>
  new BackupRefused(
    `${path} has a record that this svc does not know. Restore it with the version of svc that made it.`,
  );

const brokenLog = (files: readonly string[], findings: readonly string[]): BackupRefused =>
  new BackupRefused(
    [
      `The log in ${files.join(', ')} is not intact:`,
      ...findings.map((finding) => `  ${finding}`),
      'The file was changed, or the log was before the backup was made. Restore another backup, or add --accept-findings to restore it as it is.',
    ].join('\n'),
  );

function withRemedy(error: unknown, folder: string): unknown {
  const remedy = remedyFor(error, '');
  if (error instanceof BackupRefused || remedy === '') return error;
  return new BackupRefused(
    `${folder} was not restored: ${(error as Error).message}. Make room on its disk and run it again.`,
    {
      cause: error,
    },
  );
}
