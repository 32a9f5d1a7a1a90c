import { type EventLog, NO_STREAM } from '../../src/eventLog/eventLog.ts';
import { createEventSink } from '../../src/eventLog/eventSink.ts';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';
import { completedRequest, keyEvents } from './completedRequests.ts';

/** Appends requests through the event sink until the log has so many events. @param clients that wait for their request */
export async function fillLog(
  path: string,
  { events, clients, print }: { events: number; clients: number; print: (line: string) => void },
): Promise<void> {
  const log = await createSqliteEventLog({ path, node: 'bench' });
  const began = performance.now();
  const first = (await log.head()) + 1;
  if (first === 1) await createKeys(log);
  const sink = createEventSink({ log, node: 'bench', boot: `b${first}`, category: 'requests' });
  let next = first;
  const client = async () => {
    while (next <= events) await sink.record(completedRequest(next++));
  };
  await Promise.all(Array.from({ length: clients }, client));
  await log.close();
  const seconds = (performance.now() - began) / 1_000;
  if (next > first)
    print(`${next - first} appended in ${seconds.toFixed(1)} s: ${Math.round((next - first) / seconds)}/s`);
}

async function createKeys(log: EventLog): Promise<void> {
  for (const event of keyEvents()) {
    const { keyId } = event.data as { keyId: string };
    const outcome = await log.append(`apiKey-${keyId}`, NO_STREAM, [event]);
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
  }
}
