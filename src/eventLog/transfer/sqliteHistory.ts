import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { position } from '../../domain/core/brands.ts';
import { unwrapInstallationKey } from '../../vault/envelope.ts';
import { keyFromFile, parseMasterKey } from '../../vault/masterKey.ts';
import { readWrappedKeys, writeWrappedKeys } from '../../vault/vaultFile.ts';
import type { StoredEvent } from '../eventLog.ts';
import { openForWriting } from '../sqlite/database.ts';
import { allEvents } from '../sqlite/readEvents.ts';
import { createReader } from '../sqlite/reader.ts';
import { type HistoryTarget, TransferFailed, WRONG_MASTER_KEY } from './history.ts';

/**
 * The history in the files of a data folder that no service works in.
 * @param masterKey the value of SVC_ENCRYPTION_KEY; without it `master.key` in the folder
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
    const texts = [JSON.stringify(data), JSON.stringify(metadata)] as const;
    insert.run(at, stream, revision, id, type, metadata.schemaVersion, time, ...texts);
  }

  const head = () =>
    position(
      (database.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get() as { head: number }).head,
    );

  return {
    head: async () => head(),
    readAll: (after) => allEvents(reader, after, head()),
    wrappedKeys: async () => readWrappedKeys(vaultPath),
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
      const keyFile = () => keyFromFile(folder.file('master.key'), { mayCreate: false });
      const master = masterKey === undefined ? keyFile() : parseMasterKey(masterKey, 'SVC_ENCRYPTION_KEY');
      if (!unwrapInstallationKey(master, installation)) throw new TransferFailed(WRONG_MASTER_KEY);
      const there = readWrappedKeys(vaultPath).installation;
      if (there && Buffer.compare(there, installation) !== 0) {
        throw new TransferFailed(`${vaultPath} is another vault; take an empty data folder`);
      }
      writeWrappedKeys(vaultPath, installation, keys);
    },
    async close() {
      reader.close();
      database.close();
    },
  };
}
