import { expect, test } from 'vitest';
import { z } from 'zod';
import { issueMessage } from './wireObject.ts';

const TIME = 'must be a time in ISO 8601 with its offset from UTC, such as 2026-11-01T00:00:00Z';

test.each<[string, z.ZodType, unknown, string]>([
  ['an empty list', z.array(z.string()).min(1), [], 'must have at least 1 entry'],
  ['a list that is too short', z.array(z.string()).min(2), ['x'], 'must have at least 2 entries'],
  ['a list that is too long', z.array(z.string()).max(2), ['x', 'y', 'z'], 'must have at most 2 entries'],
  ['an empty text', z.string().min(1), '', 'must have at least 1 character'],
  ['a text that is too short', z.string().min(3), 'ab', 'must have at least 3 characters'],
  ['a text that is too long', z.string().max(2), 'abc', 'must have at most 2 characters'],
  ['a number that is too small', z.int().min(1), 0, 'must be at least 1'],
  ['a number that is too large', z.int().max(9), 10, 'must be at most 9'],
  ['a day instead of a time', z.iso.datetime({ offset: true }), '2026-11-01', TIME],
  ['a time without its offset', z.iso.datetime({ offset: true }), '2026-11-01T00:00:00', TIME],
  ['a day that does not exist', z.iso.datetime({ offset: true }), '2026-02-30T00:00:00Z', TIME],
  ['an id of another form', z.uuid(), 'x', 'must be a UUID, such as 019ad0a4-6b6f-7c1e-9b1e-0d6d5d1f8a11'],
])('says of %s what is valid', (_what, schema, input, message) => {
  const { error } = schema.safeParse(input, { error: issueMessage });
  expect(error?.issues[0]?.message).toBe(message);
});
