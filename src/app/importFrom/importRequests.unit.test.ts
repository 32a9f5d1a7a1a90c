import { expect, test } from 'vitest';
import type { EventLog, StoredEvent } from '../../eventLog/eventLog.ts';
import { IMPORTED_REQUESTS_STREAM, importedRequests } from './importRequests.ts';

/** A log that has only the first events of the stream of imported requests. */
const logWith = (...requestIds: string[]): EventLog =>
  ({
    async *readStream(stream: string) {
      expect(stream).toBe(IMPORTED_REQUESTS_STREAM);
      for (const requestId of requestIds) yield { data: { requestId } } as StoredEvent;
    },
  }) as Partial<EventLog> as EventLog;

test('knows every request that was imported before', async () => {
  expect(await importedRequests(logWith(), { revisions: new Map() })).toEqual(new Set());
  const revisions = new Map([[IMPORTED_REQUESTS_STREAM, 1]]);
  expect(await importedRequests(logWith('a:codex-lb:1', 'b:codex-lb:2'), { revisions })).toEqual(
    new Set(['a:codex-lb:1', 'b:codex-lb:2']),
  );
});

test('refuses to guess which requests it has when the log lacks some of them', async () => {
  const revisions = new Map([[IMPORTED_REQUESTS_STREAM, 2]]);
  await expect(importedRequests(logWith('c:codex-lb:3'), { revisions })).rejects.toThrow(
    /2 requests that were imported before are not in the log any more.*Restore EventStoreDB/,
  );
});
