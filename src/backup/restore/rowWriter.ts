import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openDatabase } from '../../dataFolder/openDatabase.ts';
import { openArchiveForWriting } from '../../eventLog/archive/archiveFile.ts';
import { openForWriting } from '../../eventLog/sqlite/database.ts';
import { createParkedTables } from '../../eventLog/sqlite/park.ts';
import { openNoteStore } from '../../integrity/checkpoints/noteStore.ts';
import { openVaultFile } from '../../vault/vaultFile.ts';
import { BackupRefused } from '../format/backupRefused.ts';
import { COPIED_DATABASES, type CopiedDatabase, type StoredValue } from '../format/manifest.ts';
import { columnsOf, quoted } from '../make/tableRows.ts';

/** How each file is created: by the code that uses it, never by SQL of a backup. */
const CREATE: Readonly<Record<CopiedDatabase, (path: string) => DatabaseSync>> = {
  'log.sqlite': (path) => openForWriting({ path }),
  'vault.sqlite': openVaultFile,
  'checkpoints.sqlite': (path) => {
    openNoteStore(path).close();
    return openDatabase(path);
  },
  'archive.sqlite': openArchiveForWriting,
  'outbox.sqlite': (path) => {
    const database = openForWriting({ path });
    createParkedTables(database);
    return database;
  },
};

const ROWS_PER_COMMIT = 5_000;

/** Writes rows of a backup to new SQLite files in a folder. */
export class RowWriter {
  readonly #folder: string;
  readonly #databases = new Map<CopiedDatabase, DatabaseSync>();
  #database: DatabaseSync | undefined;
  #insert: StatementSync | undefined;
  #columns = 0;
  #rows = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The rows that follow are of this table. @throws BackupRefused for one that this svc does not have */
  begin(of: CopiedDatabase, table: string, columns: readonly string[], shownAs: string): void {
    this.#commit();
    const database = COPIED_DATABASES.includes(of) ? this.#open(of) : undefined;
    const known = database && new Set(columnsOf(database, table));
    const isKnown = known && columns.length > 0 && columns.every((name) => known.has(name));
    if (!database || !isKnown || table.startsWith('sqlite_')) {
      throw new BackupRefused(
        `${shownAs} has rows of a table that this svc does not know (${of}, ${table}). Restore it with the version of svc that made it.`,
      );
    }
    this.#insert = database.prepare(
      `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    this.#columns = columns.length;
    this.#database = database;
  }

  /** @throws BackupRefused when the row does not fit into its table, and the errors of SQLite */
  write(row: readonly StoredValue[], shownAs: string): void {
    if (!this.#insert || !this.#database || row.length !== this.#columns)
      throw new BackupRefused(`${shownAs} is damaged, cut or changed: a row does not belong to its table.`);
    if (!this.#database.isTransaction) this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.#insert.run(...row.map(toValue));
    } catch (error) {
      if (isConstraint(error))
        throw new BackupRefused(
          `${shownAs} is damaged, cut or changed: a row contradicts those before it (${(error as Error).message}).`,
        );
      throw error;
    }
    this.#rows += 1;
    if (this.#rows % ROWS_PER_COMMIT === 0) this.#commit();
  }

  /** Makes what was written durable. A folder without one of these files gets it empty. */
  close(): void {
    this.#commit();
    for (const database of this.#databases.values()) {
      // A folder at rest has no write-ahead log.
      database.close();
    }
    this.#databases.clear();
    this.#insert = undefined;
  }

  #open(of: CopiedDatabase): DatabaseSync {
    const opened = this.#databases.get(of) ?? CREATE[of](join(this.#folder, of));
    this.#databases.set(of, opened);
    return opened;
  }

  #commit(): void {
    if (this.#database?.isTransaction) this.#database.exec('COMMIT');
  }
}

const CONSTRAINT = 19;
const MISMATCH = 20;

function isConstraint(error: unknown): boolean {
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  return code === CONSTRAINT || code === MISMATCH;
}

const toValue = (value: StoredValue): null | number | string | Uint8Array =>
  typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value;
