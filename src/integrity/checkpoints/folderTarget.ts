import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { openKeyChange } from '../keys/keyChange.ts';
import { parseNote } from '../notes/signedNote.ts';
import { parseOrigin } from '../published/logOrigin.ts';
import { checkpointFile, dayFolder } from '../published/publishedFolder.ts';
import type { NoteRecord } from './noteRecord.ts';
import { PublishFailed, type Target } from './target.ts';

/** Anyone may read what is published: svc's own files are private. */
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const DRAFT = '.svc-draft-';
/** A draft that old was left by a killed process. */
const OLD_DRAFT_MS = 3_600_000;

/**
 * Publishes notes as files of a folder, which may be on another machine's disk or on one that is written once. Files are only
 * added: each is written under another name, synced, and linked to its own, which fails where there is one.
 */
export function createFolderTarget(path: string): Target {
  const root = resolve(path);
  const draft = join(root, `${DRAFT}${randomUUID()}`);
  let isClean = false;

  async function removeOldDrafts(): Promise<void> {
    for (const name of (await readdir(root)).filter((each) => each.startsWith(DRAFT))) {
      const file = join(root, name);
      const { mtimeMs } = await stat(file);
      if (Date.now() - mtimeMs > OLD_DRAFT_MS) await rm(file, { force: true });
    }
  }

  async function publish(record: NoteRecord, note: string): Promise<void> {
    if (!isClean) await removeOldDrafts();
    isClean = true;
    const file = fileOf(root, record);
    const folders = await createFolders(root, dirname(file));
    await writeSynced(draft, note);
    try {
      await link(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await requireSame(file, record, note);
    } finally {
      await rm(draft, { force: true });
    }
    for (const folder of [dirname(file), ...folders]) await syncFolder(folder);
  }

  return {
    kind: 'folder',
    target: root,
    id: `folder ${root}`,
    begin: () => 0,
    async publish(record, note) {
      try {
        await requireFolder(root);
        await publish(record, note);
      } catch (error) {
        throw describeFailure(error, root);
      }
    },
    async hasLost(published) {
      // Before it is known to be there, nothing is known about it.
      await requireFolder(root).catch((error) => {
        throw describeFailure(error, root);
      });
      return !(await isThere(fileOf(root, published)));
    },
  };
}

function fileOf(root: string, { kind, origin, size, signedAt, note }: NoteRecord): string {
  const folder = join(root, parseOrigin(origin)?.folder ?? 'unknown', dayFolder(signedAt));
  if (kind === 'checkpoint') return join(folder, checkpointFile(size));
  const { after } = openKeyChange(note);
  return join(folder, checkpointFile(size).replace('.checkpoint', `-${after.id}.keychange`));
}

/** Only what was named is there: what was to be on a disk that is not mounted must not be written elsewhere. */
async function requireFolder(root: string): Promise<void> {
  const refused: unknown = await access(root, constants.W_OK | constants.X_OK).catch((error) => error);
  // Checked last, because a file may take the folder's place meanwhile: "permission denied" would then be misleading.
  const found = await stat(root).catch(() => undefined);
  if (!found) throw missing(root);
  if (!found.isDirectory()) throw notAFolder(root);
  if (refused) throw refused;
}

/** @returns the folders that have a new entry */
async function createFolders(root: string, folder: string): Promise<string[]> {
  if (folder === root || (await isThere(folder))) return [];
  const above = dirname(folder);
  const changed = await createFolders(root, above);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await chmodFolder(folder);
  return [...changed, above];
}

async function chmodFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.chmod(FOLDER_MODE);
  } finally {
    await handle.close();
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', FILE_MODE);
  try {
    await file.chmod(FILE_MODE);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file that is there was published before, perhaps with other cosignatures. @throws PublishFailed for another note */
async function requireSame(file: string, record: NoteRecord, note: string): Promise<void> {
  const there = await readFile(file, 'utf8');
  try {
    if (there === note || parseNote(there).text === parseNote(record.note).text) return;
  } catch {
    // Not a note.
  }
  throw new PublishFailed(
    `${file} exists with other content.`,
    'Move it away if svc did not write it; otherwise another copy of this log publishes there.',
  );
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const missing = (root: string) => new PublishFailed(`${root} is missing.`, 'Create it, or mount its disk.');
const notAFolder = (root: string) => new PublishFailed(`${root} is not a folder.`, 'Correct SVC_CHECKPOINT_DIR.');

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'Make room on its disk.',
  EDQUOT: 'Make room on its disk.',
  EROFS: 'Mount it writable, or name another folder as SVC_CHECKPOINT_DIR.',
  EACCES: 'Let the user that runs svc write to it.',
  EPERM: 'Let the user that runs svc write to it; its file system must have hard links.',
  ENOTSUP: 'Name a folder on a file system with hard links as SVC_CHECKPOINT_DIR.',
};

function describeFailure(error: unknown, root: string): unknown {
  if (error instanceof PublishFailed) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return missing(root);
  if (code === 'ENOTDIR') return notAFolder(root);
  return new PublishFailed(`${root} cannot be written to: ${message}.`, REMEDIES[code] ?? 'Check its disk.');
}
