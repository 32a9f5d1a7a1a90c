import { expect, test } from 'vitest';
import { RecentTexts } from './recentTexts.ts';

test('has a text once it was added, and no text that only ends like it', () => {
  const recent = new RecentTexts();
  for (const text of ['', 'a', '{"kind":"apiKey","keyId":"k1"}', 'é'.repeat(20)]) {
    expect(recent.has(text)).toBe(false);
    recent.add(text);
    expect(recent.has(text)).toBe(true);
    expect(recent.has(`x${text}`)).toBe(false);
  }
});

test('has the latest of two texts of one slot, and never confuses them', () => {
  const recent = new RecentTexts();
  // They differ before the characters that choose the slot.
  const [first, second] = ['key 1 of 12345678', 'key 2 of 12345678'];
  recent.add(first);
  expect(recent.has(second)).toBe(false);
  recent.add(second);
  expect([recent.has(first), recent.has(second)]).toEqual([false, true]);
});
