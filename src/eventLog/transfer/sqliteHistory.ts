import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { position } from '../../domain/core/brands.ts';
import { unwrapInstallationKey } from '../../vault/envelope.ts';
import { keyFromFile, parseMasterKey } from '../../vault/masterKey.ts';
import { readWrappedKeys, writeWrappedKeys } from '../../vault/vaultFile.ts';
import { openForWriting } from '../sqlite/database.ts';
import { EVENT_COLUMNS, type EventTuple } from '../sqlite/eventTuple.ts';
import { readAllEvents } from '../sqlite/readEvents.ts';
import { createReader } from '../sqlite/reader.ts';
import { archivedDaysOf } from './archivedDaysOf.ts';
import { type BatchLimits, type HistoryTarget, TransferFailed, WRONG_MASTER_KEY } from './history.ts';

/** A commit waits for the disk, so that small ones take longer than all else. */
const BATCHES: BatchLimits = { events: 2_000, bytes: 4 * 2 ** 20, isOneStream: false };
const EVENTS_PER_READ = 512;

/**
 * Opens the history in a data folder, which this process must have locked.
 * @param masterKey the value of SVC_ENCRYPTION_KEY; `master.key` in the folder is used without it
 */
export function openSqliteHistory(folder: DataFolder, masterKey: string | undefined): HistoryTarget {
  const path = folder.file('log.sqlite');
  const database = openForWriting({ path });
  const reader = createReader(path);
  const vaultPath = folder.file('vault.sqlite');
  const insert = database.prepare(`INSERT INTO events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const page = database.prepare(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ${EVENTS_PER_READ}`,
  );
  page.setReturnArrays(true);

  const head = () =>
    position(
      (database.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get() as { head: number }).head,
    );

  return {
    archivedDays: archivedDaysOf(path),
    head: async () => head(),
    readAll: (after) => readAllEvents(reader, after, head()),
    async *readPages() {
      for (let after = 0; ; ) {
        const events = page.all(after) as unknown as EventTuple[];
        const last = events.at(-1);
        if (!last) return;
        yield events;
        [after] = last;
      }
    },
    batches: BATCHES,
    readKeys: async () => readWrappedKeys(vaultPath),
    async append(events) {
      database.exec('BEGIN IMMEDIATE');
      try {
        for (const event of events) insert.run(...event);
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
