import { type Instant, instant } from '../../src/domain/core/brands.ts';
import { IpAllowed, IpRevoked } from '../../src/domain/firewall/events.ts';
import type { IpAddress } from '../../src/domain/firewall/ipAddress.ts';
import { newEventId } from '../../src/eventLog/eventId.ts';
import { type EventToAppend, NO_STREAM } from '../../src/eventLog/eventLog.ts';
import { prepareAppend } from '../../src/eventLog/prepareAppend.ts';
import { createBatchWriter } from '../../src/eventLog/sqlite/batchWriter.ts';
import { openForWriting } from '../../src/eventLog/sqlite/database.ts';
import { accountEvents } from '../replay/decidedRequests.ts';
import { completedRequest, keyEvents } from '../startup/completedRequests.ts';

const BATCH = 50;
const EVENTS_A_STREAM = 20_000;

/**
 * Writes accounts, keys, requests and, every 50th event, a change by one of 20 operators into a new log, with the function with which
 * the thread of the log writes.
 */
export function fillHistory(path: string, events: number): void {
  const database = openForWriting({ path });
  try {
    const write = createBatchWriter(database);
    const revisions = new Map<string, number>();
    const prepare = (stream: string, batch: readonly EventToAppend[]) => {
      const expected = revisions.get(stream) ?? NO_STREAM;
      revisions.set(stream, expected + batch.length);
      return prepareAppend(stream, expected, batch, { node: 'bench', isValidated: true, isLossless: true });
    };
    const append = (...batches: [stream: string, batch: readonly EventToAppend[]][]) => {
      for (const outcome of write(batches.map(([stream, batch]) => prepare(stream, batch))))
        if (outcome.kind !== 'committed') throw new Error(`not written: ${JSON.stringify(outcome)}`);
    };
    append(
      ...accountEvents().map((event) => [`account-${idIn(event, 'accountId')}`, [event]] as [string, [typeof event]]),
    );
    append(...keyEvents().map((event) => [`apiKey-${idIn(event, 'keyId')}`, [event]] as [string, [typeof event]]));
    for (let next = 1; next <= events; next += BATCH) {
      const requests = Array.from({ length: BATCH - 1 }, (_, index) => completedRequest(next + index));
      append(
        [`requests-bench.b1_${Math.floor(next / EVENTS_A_STREAM)}`, requests],
        [`firewall-${next % 40}`, [change(next)]],
      );
    }
  } finally {
    database.close();
  }
}

const idIn = ({ data }: EventToAppend, name: string): string => String((data as Record<string, unknown>)[name]);

/** When the last event of so many was written. */
export const timeAt = (position: number): Instant => completedRequest(position).time;

function change(index: number): EventToAppend {
  const turn = Math.trunc(index / BATCH);
  const ip = `10.${turn % 100}.${turn % 7}.${turn % 9}` as IpAddress;
  return {
    ...(turn % 3 === 0 ? IpRevoked({ ip }) : IpAllowed({ ip })),
    id: newEventId(),
    time: instant(completedRequest(index + BATCH - 2).time),
    actor: {
      kind: 'operator',
      sessionId: null,
      address: `10.0.0.${turn % 20}`,
      userAgent: 'bench',
      usedTotp: false,
    },
    correlationId: 'bench',
  };
}
