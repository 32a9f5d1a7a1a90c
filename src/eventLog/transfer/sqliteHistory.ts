import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { position } from '../../domain/core/brands.ts';
import { unwrapInstallationKey } from '../../vault/envelope.ts';
import { keyFromFile, parseMasterKey } from '../../vault/masterKey.ts';
import { readWrappedKeys, writeWrappedKeys } from '../../vault/vaultFile.ts';
import type { StoredEvent } from '../eventLog.ts';
import { openForWriting } from '../sqlite/database.ts';
import { readAllEvents } from '../sqlite/readEvents.ts';
import { createReader } from '../sqlite/reader.ts';
import { archivedDaysOf } from './archivedDaysOf.ts';
import { type HistoryTarget, TransferFailed, WRONG_MASTER_KEY } from './history.ts';

/**
 * Opens the history in a data folder, which this process must have locked.
 * @param masterKey the value of SVC_ENCRYPTION_KEY; `master.key` in the folder is used without it
 */
export function openSqliteHistory(folder: DataFolder, masterKey: string | undefined): HistoryTarget {
  const path = folder.file('log.sqlite');
  const database = openForWriting({ path });
  const reader = createReader(path);
  const vaultPath = folder.file('vault.sqlite');
  const insert = database.prepare(
    'INSERT INTO events (position, stream, revision, id, type, version, time, data, metadata) VALUES (?,?,?,?,?,?,?,?,?)',
  );

  function insertOne({ position: at, stream, revision, id, type, time, data, metadata }: StoredEvent): void {
    const json = [JSON.stringify(data), JSON.stringify(metadata)] as const;
    insert.run(at, stream, revision, id, type, metadata.schemaVersion, time, ...json);
  }

  const head = () =>
    position(
      (database.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get() as { head: number }).head,
    );

  return {
    archivedDays: archivedDaysOf(path),
    head: async () => head(),
    readAll: (after) => readAllEvents(reader, after, head()),
    readKeys: async () => readWrappedKeys(vaultPath),
    async append(events) {
      database.exec('BEGIN IMMEDIATE');
      try {
        for (const event of events) insertOne(event);
        database.exec('COMMIT');
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw new TransferFailed(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
      }
    },
    async writeKeys({ installation, keys }) {
      if (!installation) return;
      const master =
        masterKey === undefined
          ? keyFromFile(folder.file('master.key'), { mayCreate: false })
          : parseMasterKey(masterKey, 'SVC_ENCRYPTION_KEY');
      if (!unwrapInstallationKey(master, installation)) throw new TransferFailed(WRONG_MASTER_KEY);
      const existing = readWrappedKeys(vaultPath).installation;
      if (existing && Buffer.compare(existing, installation) !== 0) {
        throw new TransferFailed(`${vaultPath} is another vault. Import into an empty data folder.`);
      }
      writeWrappedKeys(vaultPath, installation, keys);
    },
    async close() {
      reader.close();
      database.close();
    },
  };
}
