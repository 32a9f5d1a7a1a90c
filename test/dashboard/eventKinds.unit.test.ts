import { expect, test } from 'vitest';
import { z } from 'zod';
import { EVENT_KINDS } from '../../dashboard/src/routes/(app)/history/eventKinds.ts';
import { SIGN_IN_METHODS } from '../../dashboard/src/routes/(app)/history/signInMethods.ts';
import { eventTypes } from '../../src/domain/eventTypes.ts';
import { signInMethodSchema } from '../../src/domain/session/events.ts';

test('every event type belongs to one kind of the history filter', () => {
  const known = EVENT_KINDS.flatMap(({ types }) => types);
  expect(known.toSorted()).toEqual([...eventTypes.keys()].toSorted());
});

test('every way of a failed sign-in has a label', () =>
  expect(signInMethodSchema(z).options.filter((method) => SIGN_IN_METHODS[method] === undefined)).toEqual([]));
