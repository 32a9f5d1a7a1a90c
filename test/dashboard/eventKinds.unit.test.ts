import { expect, test } from 'vitest';
import { EVENT_KINDS } from '../../dashboard/src/routes/(app)/history/eventKinds.ts';
import { eventTypes } from '../../src/domain/eventTypes.ts';

test('the page of the history knows a kind for every type of event, and none that does not exist', () => {
  const known = EVENT_KINDS.flatMap(({ types }) => types);
  expect(known.toSorted()).toEqual([...eventTypes.keys()].toSorted());
});
