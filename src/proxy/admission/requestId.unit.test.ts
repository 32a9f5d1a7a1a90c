import { expect, test } from 'vitest';
import { newRequestId } from './requestId.ts';

test('request ids are unique, also within a millisecond', () => {
  const ids = Array.from({ length: 1_000 }, () => newRequestId(1_767_225_600_000));
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
});

test('request ids sort by time', () => {
  const times = [1, 0xf, 0x10, 1_767_225_600_000, 1_767_225_600_001, 9_999_999_999_999];
  const ids = times.map((time) => newRequestId(time));
  expect(ids.toSorted()).toEqual(ids);
});

test('the time of a request id is that of the clock', () => {
  const before = Date.now();
  const time = Number.parseInt(newRequestId().slice(4, 16), 16);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});
