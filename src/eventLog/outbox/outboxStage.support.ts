import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished, vi } from 'vitest';
import {
  type ReplicationTargetOverLog,
  replicationTargetOverLog,
} from '../../../test/contract/replicationTargetOverLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { position } from '../../domain/core/brands.ts';
import type { EventLog, EventToAppend, StoredEvent } from '../eventLog.ts';
import { createEventSink } from '../eventSink.ts';
import { createSqliteEventLog } from '../sqlite/sqliteEventLog.ts';
import { type Outbox, type OutboxOptions, openOutbox } from './outbox.ts';

export interface Stage {
  readonly store: ReplicationTargetOverLog;
  readonly log: EventLog;
  readonly reports: string[];
  readonly path: string;
  open(options?: Partial<OutboxOptions>): Promise<Outbox>;
  /** The events in the store, in its order. */
  drained(): Promise<StoredEvent[]>;
}

export async function aStage(): Promise<Stage> {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const log = await createSqliteEventLog({ path: join(folder.path, 'store.sqlite'), node: 'n1' });
  onTestFinished(() => log.close());
  const store = replicationTargetOverLog(log);
  const path = join(folder.path, 'outbox.sqlite');
  const reports: string[] = [];
  const report = (error: Error) => void reports.push(error.message);
  return {
    store,
    log,
    reports,
    path,
    async open(options = {}) {
      const outbox = await openOutbox({
        path,
        node: 'n1',
        store,
        maxEvents: 1_000,
        faults: collectFaults(reports),
        report,
        ...options,
      });
      onTestFinished(() => outbox.close(0));
      return outbox;
    },
    drained: () => Array.fromAsync(log.readAll(position(0))),
  };
}

export const sinkOf = (outbox: Outbox, boot = 'b1', category = 'requests') =>
  createEventSink({ log: outbox, node: 'n1', boot, category });

export const ids = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
export const untilDrained = (outbox: Outbox) =>
  vi.waitUntil(() => outbox.pending === 0, { timeout: 10_000, interval: 5 });
export const recordAll = (outbox: Outbox, events: readonly EventToAppend[], boot?: string) => {
  const sink = sinkOf(outbox, boot);
  return Promise.all(events.map((event) => sink.record(event)));
};
export const refusal = (reason: string, scope: 'append' | 'stream' = 'append') =>
  ({ kind: 'rejected', reason, scope }) as const;
export const hashes = (events: readonly StoredEvent[]) => events.map(({ metadata }) => metadata.hash);
/** All events in the file of an outbox. */
export async function rowsOf(path: string): Promise<StoredEvent[]> {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('SELECT * FROM events ORDER BY position').all();
  database.close();
  return rows.map(({ version: _, data, metadata, ...row }) => ({
    ...row,
    data: JSON.parse(String(data)),
    metadata: JSON.parse(String(metadata)),
  })) as unknown as StoredEvent[];
}
