import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '../../eventLog/eventstore/eventStore.ts';
import { findOutboxLoss, type OutboxLoss } from '../../eventLog/outbox/outboxLoss.ts';
import { LogLacksEvents, restoreOrAccept } from '../../eventLog/sqlite/logLoss.ts';

/** A member of a cluster may be behind the one that took the events. */
const MAX_WAIT_MS = 2_000;
const INTERVAL_MS = 250;

/**
 * Finds out whether the outbox lacks events that EventStoreDB does not have either. Waits a moment before it says so.
 * @returns undefined when nothing is missing
 */
export async function findLossAfterCatchUp(
  store: Pick<EventStore, 'catchUp' | 'lastRevision'>,
  { path, markPath }: { readonly path: string; readonly markPath: string },
): Promise<LogLacksEvents | undefined> {
  const find = (): OutboxLoss | undefined =>
    findOutboxLoss({ path, markPath, lastInHistory: (stream) => store.lastRevision(stream) });
  let loss = find();
  for (const deadline = performance.now() + MAX_WAIT_MS; loss && performance.now() < deadline; loss = find()) {
    await delay(INTERVAL_MS);
    await store.catchUp().catch(() => undefined);
  }
  return loss && new LogLacksEvents(path, loss, restoreOrAccept(path));
}
