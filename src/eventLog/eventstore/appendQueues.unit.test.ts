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

const nobody = {
  call: () => Promise.reject(new Error('nobody should be asked')),
} as unknown as Connection;

/** Appends over a mirror that is written by its own thread: just after it was asked for a head, and whole at the next word. */
async function appendedMeanwhile(stream: string, mirroredIn: string) {
  const event = anEvent();
  const append = prepareAppend(stream, NO_STREAM, [event], { node: 'n1' });
  const there: { stream: string; id: string; position: Position }[] = [];
  const lookup: Partial<MirrorLookup> = {
    headOf(of) {
      const revision = there.filter((one) => one.stream === of).length - 1;
      if (there.length === 0) there.push({ stream: mirroredIn, id: event.id, position: position(7) });
      return { ...emptyChain, revision };
    },
    behind: (of, revision, most) => there.filter((one) => one.stream === of).slice(revision + 1, revision + 1 + most),
    hasAnyOf: (ids) => there.some(({ id }) => ids.includes(id)),
  };
  const queues = createAppendQueues({
    connection: nobody,
    mirror: { lookup } as Mirror,
    catchUp: async () => undefined,
  });
  return queues.append(append);
}

test('a repeated append that is mirrored between two looks is committed, not refused', async () => {
  const stream = aStream();
  expect(await appendedMeanwhile(stream, stream)).toEqual({ kind: 'committed', revision: 0, position: 7 });
});

test('an id that stands in another stream is refused', async () => {
  expect(await appendedMeanwhile(aStream(), aStream())).toEqual({ kind: 'rejected', reason: ID_TAKEN });
});
