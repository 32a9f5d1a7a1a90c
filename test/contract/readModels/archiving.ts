import { dirname, join } from 'node:path';
import { archiveDays } from '../../../src/archive/archiveDays.ts';
import type { ArchiveHost } from '../../../src/archive/archiveHost.ts';
import { restoreDay } from '../../../src/archive/restoreDay.ts';
import { instant, type Position } from '../../../src/domain/core/brands.ts';
import type { SqliteEventLog } from '../../../src/eventLog/sqlite/sqliteEventLog.ts';

/** Archives days of a log whose read models are tested. */
export interface TestArchive {
  /** Archives the days up to one. @returns the names of the files, and the end of the log */
  archive(until: string): Promise<{ readonly files: readonly string[]; readonly head: Position }>;
  restore(day: string): Promise<Position>;
}

/** @param notify tells the read models that the log has advanced */
export function archivingOf(log: SqliteEventLog, logPath: string, notify: (head: Position) => void): TestArchive {
  const host: ArchiveHost = {
    log,
    logPath,
    removeRows: log.removeRows,
    restoreRows: log.restoreRows,
    actor: { kind: 'system', reason: 'test' },
    now: () => instant(Date.UTC(2030, 0, 1)),
  };
  const folder = join(dirname(logPath), 'archives');
  const advanced = async () => {
    const head = await log.head();
    notify(head);
    return head;
  };
  return {
    async archive(until) {
      const { archived } = await archiveDays({ host, folder, until });
      return { files: archived.map(({ file }) => file.name), head: await advanced() };
    },
    async restore(day) {
      await restoreDay({ host, folder, what: day });
      return advanced();
    },
  };
}
