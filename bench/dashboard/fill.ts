import { hash } from 'node:crypto';
import { instant } from '../../src/domain/core/brands.ts';
import type { CompletedRequest } from '../../src/domain/request/events.ts';
import { type EventToAppend, NO_STREAM } from '../../src/eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';
import { completedRequest, keyEvents } from '../startup/completedRequests.ts';

const EVERY_MS = 600;
const BATCH = 500;
const BATCHES_AT_ONCE = 20;
const PER_STREAM = 50_000;

/** Fills a log with keys and so many of their requests, the last of them a moment ago: a million are seven days. */
export async function fill(path: string, rows: number): Promise<void> {
  const log = await createSqliteEventLog({ path, node: 'bench' });
  const append = async (stream: string, revision: number, events: readonly EventToAppend[]) => {
    const outcome = await log.append(stream, revision, events, { isValidated: true });
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
  };
  for (const event of keyEvents())
    await append(`apiKey-${(event.data as { keyId: string }).keyId}`, NO_STREAM, [event]);

  const began = Date.now() - rows * EVERY_MS;
  const underWay = new Set<Promise<void>>();
  for (let first = 0; first < rows; first += BATCH) {
    const count = Math.min(BATCH, rows - first);
    const events = Array.from({ length: count }, (_, index) => requestAt(first + index, began));
    const stream = `requests-bench.${Math.floor(first / PER_STREAM)}_20260101`;
    const within = first % PER_STREAM;
    const done = append(stream, within === 0 ? NO_STREAM : within - 1, events).finally(() => underWay.delete(done));
    underWay.add(done);
    if (underWay.size >= BATCHES_AT_ONCE) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  await log.close();
}

function requestAt(index: number, began: number): EventToAppend {
  const event = completedRequest(index);
  const { latencyMs, status, errorCode, ...data } = event.data as CompletedRequest;
  const time = instant(began + index * EVERY_MS);
  const requestedAt = instant(time - latencyMs);
  return { ...event, time, data: { ...data, latencyMs, requestedAt, ...outcomeOf(index, status, errorCode) } };
}

/** Some failures of each kind, so that the filters have something to offer. */
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
