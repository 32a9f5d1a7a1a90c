import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { completedRequest } from '../../bench/startup/completedRequests.ts';
import { instant, position } from '../../src/domain/core/brands.ts';
import type { CompletedRequest } from '../../src/domain/request/events.ts';
import type { EventToAppend } from '../../src/eventLog/eventLog.ts';
import { parseConnectionString } from '../../src/eventLog/eventstore/client/connectionString.ts';
import { type EventStore, openEventStore } from '../../src/eventLog/eventstore/eventStore.ts';
import { Faults } from '../../src/lib/faults.ts';
import { tempFolder } from '../contract/tempFolder.ts';

const DAY_MS = 86_400_000;

/** A UTC day so many days ago. */
export const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Opens EventStoreDB beside the nodes of a test, with a mirror of its own. */
export async function openBeside(url: string, node = 'beside'): Promise<EventStore & { readonly path: string }> {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, 'mirror.sqlite');
  const print = () => undefined;
  const faults = new Faults({ print, now: Date.now });
  const store = await openEventStore({ settings: parseConnectionString(url), path, node, print, faults });
  onTestFinished(() => store.close());
  return Object.assign(store, { path });
}

/** A request that ended at a time. */
export function requestAt(index: number, time: number): EventToAppend {
  const request = completedRequest(index);
  const data = request.data as CompletedRequest;
  const admission = data.admission && { ...data.admission, decidedAt: position(1) };
  const attempts = data.attempts.map((attempt) => ({ ...attempt, decidedAt: position(1) }));
  const requestId = `req_${data.requestId.replaceAll('-', '')}`;
  const changed = { ...data, requestId, admission, attempts };
  return { ...request, data: changed, correlationId: requestId, time: instant(time) } as EventToAppend;
}

/** Writes requests of a day so many days ago, as two nodes wrote them in turn. @returns how many */
export async function writeRequests(store: EventStore, daysAgo: number, count: number, boot = 'b1'): Promise<number> {
  const day = dayAgo(daysAgo);
  const revisions = new Map<string, number>();
  for (let at = 0; at < count; ) {
    // Many are written with fewer appends.
    const size = Math.min(count > 1_000 ? 150 + (at % 7) : 1 + (at % 7), count - at);
    const stream = `requests-old${at % 2}.${boot}_${day.replaceAll('-', '')}`;
    const revision = revisions.get(stream) ?? -1;
    const time = Date.parse(`${day}T08:00:00Z`);
    const events = Array.from({ length: size }, (_, index) =>
      requestAt(daysAgo * 100_000 + at + index + (boot === 'b1' ? 0 : 50_000), time + at + index),
    );
    const outcome = await store.log.append(stream, revision, events);
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
    revisions.set(stream, outcome.revision);
    at += size;
  }
  return count;
}
