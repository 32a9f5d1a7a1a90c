import type { EventToAppend } from '../../src/eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';
import { decidedRequests } from './decidedRequests.ts';

/** Writes a log of requests whose decisions a replay repeats. @param path of a log that does not exist */
export async function fillDecided(path: string, requests: number): Promise<void> {
  const log = await createSqliteEventLog({ path, node: 'bench' });
  const revisions = new Map<string, number>();
  let batch: EventToAppend[] = [];
  let stream = '';
  const flush = async () => {
    if (batch.length === 0) return;
    const revision = revisions.get(stream) ?? -1;
    revisions.set(stream, revision + batch.length);
    const outcome = await log.append(stream, revision, batch, { isValidated: true });
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
    batch = [];
  };
  for (const { stream: next, ...event } of decidedRequests(requests)) {
    if (next !== stream || batch.length >= 500) await flush();
    stream = next;
    batch.push(event);
  }
  await flush();
  await log.close();
}
