import { FakeDatabase } from '../../support/eventstore/fakeDatabase.ts';
import type { LogRow } from './forgeries.ts';

/**
 * The disk of an EventStoreDB that has these rows, as a forger writes it who has the credentials of svc: the server numbers the events
 * of a stream itself. The time stands in the metadata, as svc writes it.
 */
export function databaseOf(rows: readonly LogRow[]): FakeDatabase {
  const database = new FakeDatabase();
  for (const { stream, id, type, time, data, metadata } of rows) {
    const outcome = database.append(stream, 'any', [
      {
        id,
        type,
        contentType: 'application/json',
        data: Buffer.from(data),
        metadata: Buffer.from(`{"time":${time},${metadata.slice(1)}`),
      },
    ]);
    if (outcome.kind !== 'written') throw new Error(`not written: ${outcome.kind}`);
  }
  return database;
}
