import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { instant, type Position, position } from '../../../src/domain/core/brands.ts';
import { LOSSES_STREAM, LossAccepted } from '../../../src/domain/losses/events.ts';
import { newEventId } from '../../../src/eventLog/eventId.ts';
import type { StoredEvent } from '../../../src/eventLog/eventLog.ts';
import { chainEvent, NO_HASH } from '../../../src/eventLog/hashChain.ts';
import { writeExport } from '../../../src/eventLog/transfer/exportFile.ts';
import type { LogRow } from './forgeries.ts';

const COLUMNS = 'position, stream, revision, id, type, version, time, data, metadata';

export function readRows(folder: string): LogRow[] {
  const database = new DatabaseSync(join(folder, 'log.sqlite'));
  try {
    const rows = database.prepare(`SELECT ${COLUMNS} FROM events ORDER BY position`).all();
    return rows.map((row) => ({ ...row }) as unknown as LogRow);
  } finally {
    database.close();
  }
}

/** Replaces the events of a log, as a forger who edits the file does; its counter of positions fits them. */
export function writeRows(folder: string, rows: readonly LogRow[]): void {
  const path = join(folder, 'log.sqlite');
  const database = new DatabaseSync(path);
  database.exec('BEGIN; DELETE FROM events');
  const insert = database.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  for (const { position: at, stream, revision, id, type, version, time, data, metadata } of rows) {
    insert.run(at, stream, revision, id, type, version, time, data, metadata);
  }
  database.exec(`UPDATE sqlite_sequence SET seq = ${rows.at(-1)?.position ?? 0} WHERE name = 'events'; COMMIT`);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Removes what stands beside a log and says what it contained. */
export function removeWitnesses(folder: string, but?: 'tree.sqlite'): void {
  for (const name of ['log.mark', 'verified.mark', 'snapshots', 'readmodels.sqlite', 'tree.sqlite']) {
    if (name === but) continue;
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(join(folder, name + suffix))) rmSync(join(folder, name + suffix), { recursive: true });
    }
  }
}

/** Writes an export whose digest fits the rows. */
export async function writeForgedExport(path: string, rows: readonly LogRow[]): Promise<void> {
  async function* events() {
    for (const row of rows) {
      const { version: _, data, metadata, ...rest } = row;
      const event = { ...rest, data: JSON.parse(data), metadata: JSON.parse(metadata) };
      yield event as unknown as StoredEvent;
    }
  }
  const head: Position = position(rows.at(-1)?.position ?? 0);
  await writeExport(path, { head, keys: { installation: undefined, keys: [] }, events: events() });
}

/** The event with which an operator accepts that a log lost its last events. */
export function acceptedLoss(left: readonly LogRow[], before: readonly LogRow[]): LogRow {
  const endOf = (rows: readonly LogRow[]) => ({
    position: position(rows.length),
    hash: (JSON.parse((rows.at(-1) as LogRow).metadata) as { readonly hash: string }).hash,
    time: instant((rows.at(-1) as LogRow).time),
  });
  const lost = before.length - left.length;
  const { type, data } = LossAccepted({ of: 'log', known: endOf(before), found: endOf(left), lost });
  const event = {
    id: newEventId(),
    type,
    time: (before.at(-1) as LogRow).time,
    data: JSON.stringify(data),
    metadata: JSON.stringify({
      schemaVersion: 1,
      metadataVersion: 2,
      actor: { kind: 'cli', command: 'accept-loss', user: 'root' },
      correlationId: newEventId(),
      node: 'n1',
    }),
  };
  const { metadata } = chainEvent(event, LOSSES_STREAM, 0, NO_HASH);
  return { ...event, metadata, position: left.length + 1, stream: LOSSES_STREAM, revision: 0, version: 1 };
}
