import { randomUUID } from 'node:crypto';
import { createBatchWriter } from '../../src/eventLog/sqlite/batchWriter.ts';
import { openForWriting } from '../../src/eventLog/sqlite/database.ts';
import { storedRequests } from './storedRequests.ts';

export interface OldEvent {
  readonly type: string;
  readonly version: number;
  readonly data: object;
}

/**
 * Appends events to a stream as an earlier version of svc did, which bounded no event, in a log or an outbox. No process may
 * have it open.
 */
export function writeOldEvents(path: string, stream: string, events: readonly OldEvent[]): void {
  const database = openForWriting({ path });
  const time = Date.now();
  const { head } = database
    .prepare('SELECT coalesce(max(revision), -1) AS head FROM events WHERE stream = ?')
    .get(stream) as { head: number };
  const [outcome] = createBatchWriter(database)([
    {
      stream,
      expected: head,
      events: events.map(({ type, version, data }) => ({
        id: randomUUID(),
        type,
        version,
        time,
        data: JSON.stringify(data),
        metadata: JSON.stringify({
          schemaVersion: version,
          node: 'old',
          actor: { kind: 'system', reason: 'a test' },
          correlationId: randomUUID(),
        }),
      })),
    },
  ]);
  database.close();
  if (outcome?.kind !== 'committed') throw new Error(`not written: ${JSON.stringify(outcome)}`);
}

/** The end of a request, as version 1 of the event. @param effort a text that the client chose */
export function oldRequest(requestId: string, effort: string, keyId: string | null = null): OldEvent {
  const [template = ''] = storedRequests(1);
  const now = Date.now();
  const { pin: _, ...fields } = JSON.parse(template);
  const data = {
    ...fields,
    requestId,
    keyId,
    accountId: null,
    effort,
    requestedAt: now,
    status: '200',
    usage: { inputTokens: 400, cachedInputTokens: 0, outputTokens: 600, reasoningTokens: 0, isEstimated: false },
    attempts: [],
  };
  return { type: 'RequestCompleted', version: 1, data };
}
