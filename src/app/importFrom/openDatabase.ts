import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CannotImport } from './cannotImport.ts';
import { NEWEST_PROGRAM, SUPPORTED_REVISIONS } from './supportedRevisions.ts';

/** A copy of a database of codex-lb, which is removed when it is disposed. */
export interface SourceDatabase extends Disposable {
  readonly database: DatabaseSync;
  /** The revisions of its schema, joined. */
  readonly schema: string;
}

/**
 * Opens a copy of the database, with what its write-ahead log has beyond it: SQLite would write beside the original even to
 * read it.
 * @throws CannotImport
 */
export function openDatabase(path: string): SourceDatabase {
  if (/^postgres/i.test(path)) {
    throw new CannotImport(
      'This codex-lb keeps its data in PostgreSQL, which svc does not read. Copy them into a SQLite database first, as docs/moving-in.md#from-postgresql shows.',
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-import-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = copyUnchanged(path, folder);
    const database = new DatabaseSync(copy);
    const close = () => {
      if (database.isOpen) database.close();
      remove();
    };
    try {
      return { database, schema: checkDatabase(database, path), [Symbol.dispose]: close };
    } catch (error) {
      close();
      throw error;
    }
  } catch (error) {
    remove();
    throw error;
  }
}

/** @throws CannotImport when it cannot be read, or changes meanwhile */
function copyUnchanged(path: string, folder: string): string {
  const copy = join(folder, basename(path));
  const before = [stateOf(path), stateOf(`${path}-wal`)];
  if (before[0] === undefined)
    throw new CannotImport(`There is no file ${path}. By default it is ~/.codex-lb/store.db.`);
  copyFileSync(path, copy);
  if (before[1] !== undefined) copyFileSync(`${path}-wal`, `${copy}-wal`);
  const after = [stateOf(path), stateOf(`${path}-wal`)];
  if (before.join() !== after.join()) {
    throw new CannotImport(`${path} is being written: stop codex-lb, then run this again.`);
  }
  return copy;
}

function stateOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw new CannotImport(`${path} is not a file.`);
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

function checkDatabase(database: DatabaseSync, path: string): string {
  const damaged = (reason: string) =>
    new CannotImport(
      `${path} is not an intact SQLite database (${reason}). Take a backup of codex-lb, or let "sqlite3 FILE .recover" make a new file.`,
    );
  let revisions: string[];
  try {
    const [result] = database.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
    if (result?.quick_check !== 'ok') throw damaged(result?.quick_check ?? 'no result');
    const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'alembic_version'").get();
    revisions = isThere
      ? (database.prepare('SELECT version_num FROM alembic_version').all() as { version_num: string }[]).map(
          ({ version_num }) => version_num,
        )
      : [];
  } catch (error) {
    throw error instanceof CannotImport ? error : damaged((error as Error).message);
  }
  if (revisions.length === 0)
    throw new CannotImport(`${path} is not a database of codex-lb: it has no schema revision.`);
  for (const revision of revisions) {
    if (SUPPORTED_REVISIONS.has(revision)) continue;
    const [oldest = ''] = SUPPORTED_REVISIONS;
    const remedy =
      revision < oldest
        ? `Start ${NEWEST_PROGRAM} once on a copy of its folder, which brings the schema up to date, and import from that.`
        : 'A newer svc may know it.';
    throw new CannotImport(
      `${path} has schema revision ${revision}; svc reads those from ${oldest} to the one of ${NEWEST_PROGRAM}. ${remedy}`,
    );
  }
  return revisions.sort().join(', ');
}
