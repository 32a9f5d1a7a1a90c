import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { archiveDays } from '../../../src/archive/archiveDays.ts';
import type { ArchiveHost } from '../../../src/archive/archiveHost.ts';
import type { ArchiveRun } from '../../../src/archive/archiveOptions.ts';
import { instant } from '../../../src/domain/core/brands.ts';
import { archivePathOf } from '../../../src/eventLog/archive/archiveFile.ts';
import { createSqliteEventLog } from '../../../src/eventLog/sqlite/sqliteEventLog.ts';

/** Runs work on the log of a stopped data folder, as `svc archive` does. */
export async function withArchiveHost<Result>(
  folder: string,
  work: (host: ArchiveHost) => Promise<Result>,
): Promise<Result> {
  const logPath = join(folder, 'log.sqlite');
  const log = await createSqliteEventLog({
    path: logPath,
    node: 'n1',
    archivePath: archivePathOf(logPath),
    mark: { path: join(folder, 'log.mark'), isPruned: false },
    onMarkFailure: () => undefined,
  });
  try {
    return await work({
      log,
      logPath,
      removeRows: log.removeRows,
      restoreRows: log.restoreRows,
      actor: { kind: 'cli', command: 'archive', user: 'test' },
      now: () => instant(Date.now()),
    });
  } finally {
    await log.close();
  }
}

/** Archives all closed days of a stopped data folder. */
export const archiveFolder = (folder: string): Promise<ArchiveRun> =>
  withArchiveHost(folder, (host) => archiveDays({ host, folder: join(folder, 'archives'), until: '9999-12-31' }));

/** Changes a digest in an archived leaf entry of a stopped data folder. */
export function changeArchivedEntry(folder: string): void {
  const database = new DatabaseSync(join(folder, 'archive.sqlite'));
  const row = database.prepare('SELECT block, lines FROM entries LIMIT 1').get();
  const text = zstdDecompressSync(row?.lines as Uint8Array).toString();
  const lines = zstdCompressSync(text.replace(/"dataSha256":"./, '"dataSha256":"x'));
  database.prepare('UPDATE entries SET lines = ? WHERE block = ?').run(lines, row?.block as number);
  database.close();
}
