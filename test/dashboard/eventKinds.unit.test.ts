import { expect, test } from 'vitest';
import { EVENT_KINDS } from '../../dashboard/src/routes/(app)/history/eventKinds.ts';
import { eventTypes } from '../../src/domain/eventTypes.ts';

test('every event type belongs to one kind of the history filter', () => {
  const known = EVENT_KINDS.flatMap(({ types }) => types);
  expect(known.toSorted()).toEqual([...eventTypes.keys()].toSorted());
});
