import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instant, position } from '../domain/core/brands.ts';
import { findJsonLoss } from './canonicalJson.ts';
import type { EventMetadata, StoredEvent } from './eventLog.ts';
import { chainEvent, emptyChain, hashOf, isBreak, NO_HASH, verifyStream } from './hashChain.ts';

const head = { schemaVersion: 1, actor: { kind: 'system', reason: '"quoted" \\ \u2028' }, correlationId: 'ö' } as const;

function stored(revision: number, previousHash: string, data: unknown): StoredEvent {
  const event = { id: `id-${revision}`, type: 'Type', time: instant(1_000 + revision) };
  const metadata = JSON.stringify({ ...head, causationId: null, node: 'n' });
  const link = chainEvent({ ...event, data: JSON.stringify(data), metadata }, 'stream-"1"', revision, previousHash);
  const parsed = JSON.parse(link.metadata) as EventMetadata;
  return { ...event, stream: 'stream-"1"', revision, position: position(revision + 1), data, metadata: parsed };
}

/** An event that stands in the place of another one. */
function standInFor(event: StoredEvent): StoredEvent {
  const data = { eventId: event.id, eventType: event.type, hash: event.metadata.hash, bytes: 9, reason: 'too large' };
  const { revision, time, position: at, stream, metadata: old } = event;
  const serialised = { id: `stand-in-${revision}`, type: 'EventParked', time, data: JSON.stringify(data) };
  const metadata = JSON.stringify({ ...head, causationId: null, node: 'n' });
  const link = chainEvent({ ...serialised, metadata }, stream, revision, old.previousHash);
  return { ...serialised, stream, revision, position: at, data, metadata: JSON.parse(link.metadata) };
}

function aChain(length: number): StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let revision = 0; revision < length; revision += 1) {
    events.push(stored(revision, events.at(-1)?.metadata.hash ?? NO_HASH, { revision }));
  }
  return events;
}

test('hashes the same bytes as JSON.stringify of the event', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.nat(), (json, revision) => {
      const data: unknown = JSON.parse(json);
      fc.pre(findJsonLoss(data) === undefined);
      const { stream, id, type, time, metadata } = stored(revision, NO_HASH, data);
      const { hash, ...others } = metadata;
      const bytes = JSON.stringify({ stream, revision, id, type, time, data, metadata: others });
      expect(Object.keys(others).at(-1)).toBe('previousHash');
      expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'));
    }),
  );
});

test('returns the head of an intact chain and of an empty one', () => {
  const events = aChain(5);
  expect(verifyStream(events)).toEqual({ revision: 4, hash: events[4]?.metadata.hash });
  expect(verifyStream([])).toEqual(emptyChain);
});

describe('finds the break where', () => {
  const events = aChain(5);
  const replaced = (revision: number, change: Partial<StoredEvent>): StoredEvent[] =>
    events.map((event) => (event.revision === revision ? { ...event, ...change } : event));

  test.each<[string, StoredEvent[], number, string]>([
    ['data was edited', replaced(2, { data: { revision: 7 } }), 2, 'content'],
    ['a time was edited', replaced(0, { time: instant(0) }), 0, 'content'],
    ['an event was removed', events.filter(({ revision }) => revision !== 3), 4, 'revision 4 was found where 3'],
    ['the beginning was cut off', events.slice(1), 1, 'revision 1 was found where 0'],
    ['two events were swapped', [0, 2, 1, 3, 4].map((index) => events[index] as StoredEvent), 2, 'revision 2'],
    ['an event of another stream was inserted', replaced(1, { stream: 'other' }), 1, 'belongs to other'],
  ])('%s', (_, broken, revision, reason) => {
    expect(verifyStream(broken)).toMatchObject({ revision, reason: expect.stringContaining(reason) });
  });

  test('an event was edited and its hash recomputed', () => {
    const edited = { ...(events[2] as StoredEvent), data: { revision: 7 } };
    const forged = { ...edited, metadata: { ...edited.metadata, hash: hashOf(edited) } };
    const result = verifyStream(replaced(2, forged));
    expect(isBreak(result) && result).toMatchObject({
      revision: 3,
      reason: expect.stringContaining('hash of the previous event'),
    });
  });
});

test('continues the chain of a parked event at its stand-in, and only that chain', () => {
  const chain = aChain(4);
  const withStandIn = chain.with(2, standInFor(chain[2] as StoredEvent));
  expect(isBreak(verifyStream(withStandIn))).toBe(false);
  expect(verifyStream(withStandIn.slice(0, 3))).toEqual({ revision: 2, hash: chain[2]?.metadata.hash });
  const [, , standIn] = withStandIn as [StoredEvent, StoredEvent, StoredEvent];
  const forged = { ...standIn, data: { ...(standIn.data as object), hash: 'f'.repeat(64) } };
  expect(verifyStream(withStandIn.with(2, forged))).toMatchObject({ revision: 2 });
  expect(verifyStream(withStandIn.with(3, stored(3, standIn.metadata.hash, { revision: 3 })))).toMatchObject({
    revision: 3,
  });
});
