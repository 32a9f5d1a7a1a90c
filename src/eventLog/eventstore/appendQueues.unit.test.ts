import { expect, test } from 'vitest';
import { anEvent, aStream } from '../../../test/contract/events.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import { ID_TAKEN, NO_STREAM } from '../eventLog.ts';
import { emptyChain } from '../hashChain.ts';
import { prepareAppend } from '../prepareAppend.ts';
import { createAppendQueues } from './appendQueues.ts';
import type { Connection } from './client/connection.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { MirrorLookup } from './mirror/mirrorLookup.ts';

const unusedConnection = {
  call: () => Promise.reject(new Error('the server must not be called')),
} as unknown as Connection;

/** Appends an event that the mirror's thread writes into the stream `mirroredIn` between two lookups of the append. */
async function appendWhileMirrored(stream: string, mirroredIn: string) {
  const event = anEvent();
  const append = prepareAppend(stream, NO_STREAM, [event], { node: 'n1' });
  const mirrored: { stream: string; id: string; position: Position }[] = [];
  const lookup: Partial<MirrorLookup> = {
    headOf(name) {
      const revision = mirrored.filter((one) => one.stream === name).length - 1;
      if (mirrored.length === 0) mirrored.push({ stream: mirroredIn, id: event.id, position: position(7) });
      return { ...emptyChain, revision };
    },
    eventsAfter: (name, revision, maxCount) =>
      mirrored.filter((one) => one.stream === name).slice(revision + 1, revision + 1 + maxCount),
    hasAnyOf: (ids) => mirrored.some(({ id }) => ids.includes(id)),
  };
  const queues = createAppendQueues({
    connection: unusedConnection,
    mirror: { lookup } as Mirror,
    catchUp: async () => undefined,
  });
  return queues.append(append);
}

test('commits a repeated append that is mirrored between two lookups', async () => {
  const stream = aStream();
  expect(await appendWhileMirrored(stream, stream)).toEqual({ kind: 'committed', revision: 0, position: 7 });
});

test('rejects an id that is mirrored in another stream', async () => {
  expect(await appendWhileMirrored(aStream(), aStream())).toMatchObject({ kind: 'rejected', reason: ID_TAKEN });
});

/** Appends an event over a server that answers with success and no position. @param mirrored whether the mirror has it then */
async function appendHidden(mirrored: boolean) {
  const event = anEvent();
  let calls = 0;
  let isCaughtUp = false;
  const connection = {
    write: async () => {
      calls += 1;
      return { success: true, nextExpectedRevision: 0n, position: undefined };
    },
  } as unknown as Connection;
  const isThere = () => mirrored && isCaughtUp;
  const lookup: Partial<MirrorLookup> = {
    headOf: () => ({ ...emptyChain, revision: isThere() ? 0 : -1 }),
    eventsAfter: () => (isThere() ? [{ id: event.id, position: position(7) }] : []),
    hasAnyOf: () => isThere(),
  };
  const queues = createAppendQueues({
    connection,
    mirror: { lookup } as Mirror,
    catchUp: async () => {
      isCaughtUp = true;
    },
  });
  const outcome = await queues.append(prepareAppend('apiKey-1', NO_STREAM, [event], { node: 'n1' }));
  await queues.waitUntilSettled();
  return { outcome, calls };
}

test('looks up the position of an append that succeeds without one', async () => {
  expect(await appendHidden(true)).toEqual({
    outcome: { kind: 'committed', revision: 0, position: 7 },
    calls: 1,
  });
});

test('ends an append whose events were removed from the store, and names the stream', async () => {
  expect(await appendHidden(false)).toEqual({
    outcome: { kind: 'rejected', reason: expect.stringContaining('these events of apiKey-1'), isLogFine: true },
    calls: 1,
  });
});
