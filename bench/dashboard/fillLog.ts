import { hash } from 'node:crypto';
import { instant } from '../../src/domain/core/brands.ts';
import type { CompletedRequest } from '../../src/domain/request/events.ts';
import { type EventToAppend, NO_STREAM } from '../../src/eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';
import { completedRequest, keyEvents } from '../startup/completedRequests.ts';

const REQUEST_INTERVAL_MS = 600;
const BATCH_SIZE = 500;
const MAX_PENDING_BATCHES = 4;
const EVENTS_PER_STREAM = 50_000;

/** Writes keys and `rows` of their requests, one every 600 ms until now: a million requests are seven days. */
export async function fillLog(path: string, rows: number): Promise<void> {
  const log = await createSqliteEventLog({ path, node: 'bench' });
  const append = async (stream: string, revision: number, events: readonly EventToAppend[]) => {
    const outcome = await log.append(stream, revision, events, { isValidated: true });
    if (outcome.kind === 'unknown') throw outcome.error;
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
  };
  for (const event of keyEvents())
    await append(`apiKey-${(event.data as { keyId: string }).keyId}`, NO_STREAM, [event]);

  const startedAt = Date.now() - rows * REQUEST_INTERVAL_MS;
  const pending = new Set<Promise<void>>();
  for (let first = 0; first < rows; first += BATCH_SIZE) {
    const count = Math.min(BATCH_SIZE, rows - first);
    const events = Array.from({ length: count }, (_, index) => requestAt(first + index, startedAt));
    const stream = `requests-bench.${Math.floor(first / EVENTS_PER_STREAM)}_20260101`;
    const revision = first % EVENTS_PER_STREAM;
    const done = append(stream, revision === 0 ? NO_STREAM : revision - 1, events).finally(() => pending.delete(done));
    pending.add(done);
    if (pending.size >= MAX_PENDING_BATCHES) await Promise.race(pending);
  }
  await Promise.all(pending);
  await log.close();
}

function requestAt(index: number, startedAt: number): EventToAppend {
  const event = completedRequest(index);
  const { latencyMs, status, errorCode, ...data } = event.data as CompletedRequest;
  const time = instant(startedAt + index * REQUEST_INTERVAL_MS);
  const requestedAt = instant(time - latencyMs);
  return { ...event, time, data: { ...data, latencyMs, requestedAt, ...outcomeOf(index, status, errorCode) } };
}

/** Replaces some failures by others, so that the filters have several values. */
function outcomeOf(index: number, status: string, errorCode: string | null) {
  if (errorCode === null) return { status, errorCode };
  const kinds = [
    ['error', errorCode],
    ['429', 'rate_limit_exceeded'],
    ['502', 'upstream_error'],
  ] as const;
  const [otherStatus, otherCode] =
    kinds[hash('sha256', String(index), 'buffer').readUInt8() % kinds.length] ?? kinds[0];
  return { status: otherStatus, errorCode: otherCode };
}
