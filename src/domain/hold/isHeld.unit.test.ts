import { expect, test } from 'vitest';
import { DAY, earlier, later, NOW } from '../../../test/support/specification.ts';
import { holdsOn, isHeld } from './isHeld.ts';

const everything = { subject: null, from: null, until: null };
/** NOW is noon of 2026-01-15. */
const afternoon = { ...everything, from: NOW, until: later(DAY / 2) };

test.each([
  [{ day: '2026-01-15' }, true],
  [{ day: '2026-01-16' }, false],
  [{ day: '2026-01-14' }, false],
  [{ stream: 'requests-n1.b1_20260115' }, true],
  [{ stream: 'requests-n1.b1_20260115_2' }, true],
  [{ stream: 'requests-n1.b1_20260116' }, false],
  [{ from: later(DAY / 2) }, false],
  [{ until: NOW }, false],
  [{ from: earlier(DAY), until: later(1) }, true],
  [{}, true],
])('a hold on an afternoon is on %j: %s', (what, expected) => expect(isHeld([afternoon], what)).toBe(expected));

test('a hold without an end is on all later days, one without a begin on all earlier ones', () => {
  expect(isHeld([{ ...everything, from: NOW }], { day: '2030-01-01' })).toBe(true);
  expect(isHeld([{ ...everything, until: NOW }], { day: '2030-01-01' })).toBe(false);
  expect(isHeld([{ ...everything, until: NOW }], { day: '2020-01-01' })).toBe(true);
});

test('a hold on a subject is on a day unless the subjects of the day are known', () => {
  const onKey = { ...everything, subject: 'apiKey-1' };
  expect(isHeld([onKey], { day: '2026-01-15' })).toBe(true);
  expect(isHeld([onKey], { subjects: new Set(['apiKey-2', 'account-1']) })).toBe(false);
  expect(isHeld([onKey], { subjects: new Set(['apiKey-2', 'apiKey-1']) })).toBe(true);
  expect(isHeld([onKey], { subject: 'apiKey-1' })).toBe(true);
  expect(isHeld([onKey], { stream: 'apiKey-1' })).toBe(true);
  expect(isHeld([onKey], { stream: 'apiKey-2' })).toBe(false);
});

test('names the holds that match', () => {
  const holds = [
    { ...afternoon, id: 'a' },
    { ...everything, id: 'b' },
    { ...everything, subject: 'account-1', id: 'c' },
  ];
  expect(holdsOn(holds, { day: '2026-01-15' }).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(holdsOn(holds, { subject: 'account-2' }).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(holdsOn([], {})).toEqual([]);
});
