import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remedyFor } from '../../dataFolder/fileErrors.ts';
import { writeNewFile } from '../../eventLog/newFile.ts';
import { BackupRefused } from '../format/backupRefused.ts';
import { type BackupRecord, COPIED_FILES, type CopiedFile, type Manifest } from '../format/manifest.ts';
import { openBackup } from '../format/readRecords.ts';
import { writeRecords } from '../format/writeRecords.ts';
import { type Capture, captureFolder } from './captureFolder.ts';
import { eventRows } from './eventRows.ts';
import { readBack } from './readBack.ts';
import { tableRows } from './tableRows.ts';

export interface BackupOptions {
  /** The data folder: a service may be running over it. */
  readonly folder: string;
  readonly store: Manifest['store'];
  /** The new file. */
  readonly path: string;
  readonly passphrase: string | undefined;
  /** An earlier backup, whose events are left out. */
  readonly since: string | undefined;
  /** Files that are not in the data folder. */
  readonly otherFiles: ReadonlyMap<CopiedFile, string>;
  /** The version of svc. */
  readonly svc: string;
  /** ISO 8601. */
  readonly madeAt: string;
  readonly onProgress: (position: number, of: number) => void;
}

export interface MadeBackup {
  readonly manifest: Manifest;
  readonly bytes: number;
  readonly events: number;
  /** Data keys of the vault. */
  readonly keys: number;
  readonly files: readonly CopiedFile[];
  /** Events that are not what their hash says, a sentence each. */
  readonly findings: readonly string[];
}

const MAX_ATTEMPTS = 4;

/**
 * Writes what a node needs to go on elsewhere to one file, beside its service or without one, and reads the file back. Everything in
 * it belongs to one moment: that of its last event. Nothing in the data folder changes, and no lock is taken.
 * @throws BackupRefused | CannotWriteFile, and the errors of SQLite and the file system
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  let made: MadeBackup | undefined;
  await writeNewFile(options.path, async (file) => {
    try {
      made = await writeAndVerify(file, options);
    } catch (error) {
      const remedy = remedyFor(error, '');
      if (remedy === '' || (error as { errcode?: number }).errcode !== undefined) throw error;
      throw new BackupRefused(`${options.path} was not written: ${(error as Error).message}. Make room on its disk.`, {
        cause: error,
      });
    }
  });
  return made as MadeBackup;
}

async function writeAndVerify(file: FileHandle, options: BackupOptions): Promise<MadeBackup> {
  const since = await readSince(options);
  for (let attempt = 1; ; attempt += 1) {
    const written = await writeOnce(file, options, since);
    if (written) {
      await file.sync();
      return await verifyWritten(options, written);
    }
    if (attempt === MAX_ATTEMPTS)
      throw new BackupRefused(
        'The data folder changed in the middle of each attempt: a service was started over it, or days were archived. Run the backup again.',
      );
    await file.truncate(0);
  }
}

async function readSince({ since, passphrase, store }: BackupOptions): Promise<Manifest | undefined> {
  if (since === undefined) return undefined;
  const { manifest } = await openBackup(since, passphrase);
  if (manifest.store === store) return manifest;
  throw new BackupRefused(`${since} is a backup over another store. Make one without --since.`);
}

interface Written {
  readonly manifest: Manifest;
  readonly keys: number;
  readonly files: readonly CopiedFile[];
}

/** @returns undefined when the folder changed in a way that makes what was read inconsistent */
async function writeOnce(
  file: FileHandle,
  options: BackupOptions,
  since: Manifest | undefined,
): Promise<Written | undefined> {
  const temporary = mkdtempSync(join(tmpdir(), 'svc-backup-'));
  try {
    using capture = captureFolder(options.folder, options.store, temporary);
    if (since) requireSameLog(capture, since, options.since as string);
    const manifest: Manifest = {
      id: randomBytes(16).toString('hex'),
      madeAt: options.madeAt,
      svc: options.svc,
      store: options.store,
      node: capture.node,
      upTo: capture.upTo,
      since: since ? { backup: since.id, upTo: since.upTo } : null,
      archived: [...capture.archived],
    };
    const files = readFiles(options);
    await writeRecords(file, recordsOf(capture, manifest, files, options), options.passphrase);
    if (capture.hasChanged()) return undefined;
    return { manifest, keys: capture.keys, files: [...files.keys()] };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The events of the earlier backup must be the first ones of the log. */
function requireSameLog(capture: Capture, { upTo, archived }: Manifest, path: string): void {
  if (capture.store === 'eventstore') return;
  if (capture.upTo.position < upTo.position || (upTo.position > 0 && capture.idAt(upTo.position) !== upTo.id)) {
    throw new BackupRefused(
      `${path} is not a backup of this log as it is: the log has another event at position ${upTo.position}, or none. Make a backup without --since.`,
    );
  }
  const back = archived.filter((segment) => !capture.archived.has(segment));
  if (back.length > 0) {
    throw new BackupRefused(
      `${path} lacks the events of a day that was archived then and has been restored since. Make a backup without --since.`,
    );
  }
}

function readFiles({ folder, otherFiles }: BackupOptions): Map<CopiedFile, Buffer> {
  const files = new Map<CopiedFile, Buffer>();
  for (const name of COPIED_FILES) {
    const other = otherFiles.get(name);
    if (other !== undefined) files.set(name, Buffer.from(other));
    else if (existsSync(join(folder, name))) files.set(name, readFileSync(join(folder, name)));
  }
  return files;
}

function* recordsOf(
  { databases, log, upTo }: Capture,
  manifest: Manifest,
  files: ReadonlyMap<CopiedFile, Buffer>,
  { onProgress }: BackupOptions,
): Generator<BackupRecord> {
  yield { manifest };
  for (const [file, bytes] of files) yield { file, base64: bytes.toString('base64') };
  for (const [name, database] of databases) yield* tableRows(database, name);
  if (!log) return;
  const range = { after: manifest.since?.upTo.position ?? 0, upTo: upTo.position };
  yield* eventRows(log, range, (position) => onProgress(position, upTo.position));
}

/** Reads the file as a restore would. */
async function verifyWritten({ path, passphrase }: BackupOptions, written: Written): Promise<MadeBackup> {
  const draft = `${path}.part`;
  const opened = await openBackup(draft, passphrase, path);
  const { events, findings } = await readBack(opened.records());
  return { ...written, bytes: statSync(draft).size, events, findings };
}
