import { expect, test } from 'vitest';
import { chainEvent, NO_HASH } from './hashChain.ts';
import { chainOf, hashAfter } from './storedChain.ts';

const event = { id: 'id', type: 'IpAllowed', time: 1, data: '{"ip":"10.0.0.1"}', metadata: '{"schemaVersion":1}' };
const first = chainEvent(event, 'firewall-main', 0, NO_HASH);
const second = chainEvent(event, 'firewall-main', 1, first.hash);

test('reads the hash of an event that continues the one before it', () => {
  expect(hashAfter(NO_HASH, first.metadata)).toBe(first.hash);
  expect(hashAfter(first.hash, second.metadata)).toBe(second.hash);
});

test('leaves an event that continues another hash to the slower reader', () => {
  expect(hashAfter(second.hash, second.metadata)).toBeUndefined();
  expect(hashAfter(NO_HASH, second.metadata)).toBeUndefined();
  expect(hashAfter(first.hash, '{}')).toBeUndefined();
  expect(hashAfter(first.hash, '')).toBeUndefined();
  // Parsed, such metadata names the predecessor as well.
  expect(hashAfter(first.hash, JSON.stringify(JSON.parse(second.metadata), null, 1))).toBeUndefined();
});

test('never accepts a predecessor that the metadata does not name, wherever it was damaged', () => {
  let refused = 0;
  for (let at = 0; at < second.metadata.length; at += 1) {
    for (const damage of ['', 'x', '0', '"']) {
      const damaged = second.metadata.slice(0, at) + damage + second.metadata.slice(at + 1);
      const { previousHash } = chainOf(damaged);
      if (previousHash === undefined || previousHash === first.hash) continue;
      refused += 1;
      expect(hashAfter(first.hash, damaged), damaged).toBeUndefined();
    }
  }
  expect(refused).toBeGreaterThan(100);
});
