import { expect, test } from 'vitest';
import { directionOf, NEWEST_FIRST, sortAfterClick, sortFrom } from './logSort.ts';

test('reads a sort of the URL and ignores one that does not exist', () => {
  expect(sortFrom(new URLSearchParams('sort=-latency_ms'))).toBe('-latency_ms');
  for (const text of ['', 'sort=', 'sort=model', 'sort=toString'])
    expect(sortFrom(new URLSearchParams(text))).toBe(NEWEST_FIRST);
});

test('clicks on a title sort largest first, smallest first, then newest first', () => {
  expect(sortAfterClick('took', NEWEST_FIRST)).toBe('-latency_ms');
  expect(sortAfterClick('took', '-latency_ms')).toBe('latency_ms');
  expect(sortAfterClick('took', 'latency_ms')).toBe(NEWEST_FIRST);
  expect(sortAfterClick('cost', 'latency_ms')).toBe('-cost_usd');
  expect(sortAfterClick('time', NEWEST_FIRST)).toBe('requested_at');
  expect(sortAfterClick('time', 'requested_at')).toBe(NEWEST_FIRST);
  expect([directionOf('time', NEWEST_FIRST), directionOf('took', NEWEST_FIRST)]).toEqual(['descending', 'none']);
});
