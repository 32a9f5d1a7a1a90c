import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { createSharedArchive } from '../../../src/app/wiring/sharedArchive.ts';
import { archiveDays } from '../../../src/archive/archiveDays.ts';
import type { ArchiveHost } from '../../../src/archive/archiveHost.ts';
import { restoreDay } from '../../../src/archive/restoreDay.ts';
import { instant } from '../../../src/domain/core/brands.ts';
import { parseConnectionString } from '../../../src/eventLog/eventstore/client/connectionString.ts';
import {
  type EventStore,
  type EventStoreOptions,
  openEventStore,
} from '../../../src/eventLog/eventstore/eventStore.ts';
import { openForReading } from '../../../src/eventLog/sqlite/database.ts';
import { LeafSource } from '../../../src/integrity/tree/leafSource.ts';
import { Faults } from '../../../src/lib/faults.ts';

/** A node without a service: EventStoreDB with its mirror in a folder, and what archives days of it. */
export async function openArchivingNode(
  url: string,
  folder: string,
  name: string,
  options: Partial<EventStoreOptions> = {},
) {
  const path = join(folder, 'mirror.sqlite');
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const faults = new Faults({ print, now: Date.now });
  const settings = parseConnectionString(url);
  const store: EventStore = await openEventStore({ settings, path, node: name, print, faults, ...options });
  await store.keys.getOrCreateInstallationKey(() => randomBytes(60));
  const node = { node: name, boot: `${name}-${process.pid}` };
  const shared = createSharedArchive({ eventStore: store, folder: node, report: () => undefined });
  const host: ArchiveHost = {
    log: store.log,
    logPath: path,
    shared,
    actor: { kind: 'system', reason: 'test' },
    now: () => instant(Date.now()),
  };
  const archives = join(folder, 'archives');
  return {
    store,
    path,
    faults,
    lines,
    shared,
    archive: (until: string, heldBecause?: (day: string) => string | undefined) =>
      shared.exclusively((signal) =>
        archiveDays({ host, folder: archives, until, signal, ...(heldBecause && { heldBecause }) }),
      ),
    restore: (what: string) => shared.exclusively((signal) => restoreDay({ host, folder: archives, what, signal })),
    close: () => store.close(),
  };
}

/** The leaf entries of a mirror, rows and archived ones. */
export function leavesOf(path: string): string[] {
  const leaves = new LeafSource(path);
  try {
    const all: string[] = [];
    for (let page = leaves.after(0, 500); page.entries.length > 0; page = leaves.after(all.length, 500))
      all.push(...page.entries);
    return all;
  } finally {
    leaves.close();
  }
}

/** The positions and streams of the rows of a mirror. */
export function rowsOf(path: string): { position: number; stream: string; id: string }[] {
  using database = openForReading(path);
  const rows = database.prepare('SELECT position, stream, id FROM events ORDER BY position').all();
  return rows as unknown as { position: number; stream: string; id: string }[];
}

export const folderOf = (path: string): string => dirname(path);
