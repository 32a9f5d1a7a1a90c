import { randomUUID } from 'node:crypto';
import { type Instant, type Position, position } from '../../../src/domain/core/brands.ts';
import type { DomainEvent } from '../../../src/domain/core/event.ts';
import type { KnownEvent } from '../../../src/domain/eventTypes.ts';
import type { Actor, EventLog } from '../../../src/eventLog/eventLog.ts';
import { NOW } from '../../support/specification.ts';

/** An event with its time (`NOW` by default) and actor. */
export type TestEvent = DomainEvent & { readonly time?: Instant; readonly actor?: Actor; readonly stream?: string };

/** Appends each event to the end of its stream, and events that name no stream together to a new one. */
export function appendingTo(log: EventLog): (...events: TestEvent[]) => Promise<Position> {
  const revisions = new Map<string, number>();
  const append = async (stream: string, events: readonly TestEvent[]): Promise<Position> => {
    const outcome = await log.append(
      stream,
      revisions.get(stream) ?? -1,
      events.map(({ time = NOW, actor = { kind: 'system', reason: 'test' }, type, data }) => ({
        ...({ type, data } as KnownEvent),
        time,
        actor,
        id: randomUUID(),
        correlationId: 'test',
      })),
    );
    if (outcome.kind !== 'committed') throw new Error(`not appended: ${JSON.stringify(outcome)}`);
    revisions.set(stream, outcome.revision);
    return outcome.position;
  };
  return async (...events) => {
    if (events.length === 0) return position(0);
    if (events.every(({ stream }) => stream === undefined)) return append(`test-${randomUUID()}`, events);
    let head = position(0);
    for (const event of events) head = await append(event.stream ?? `test-${randomUUID()}`, [event]);
    return head;
  };
}
