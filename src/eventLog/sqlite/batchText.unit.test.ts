import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packBatch, unpackBatch } from './batchText.ts';

const json = fc.json({ noUnicodeString: false } as never).map((text) => JSON.stringify(JSON.parse(text)));
const event = fc.record({
  id: fc.uuid(),
  type: fc.constantFrom('RequestCompleted', 'AccountImported'),
  version: fc.integer({ min: 1, max: 9 }),
  time: fc.nat(Number.MAX_SAFE_INTEGER),
  data: json,
  metadata: json,
});
const append = fc.record({
  stream: fc.constantFrom('requests-node.boot_20261121', 'account-1', 'ünï-☃'),
  expected: fc.integer({ min: -1, max: 1_000_000 }),
  events: fc.array(event, { minLength: 1, maxLength: 5 }),
});

test('unpacks exactly what was packed', () => {
  fc.assert(
    fc.property(fc.array(append, { maxLength: 5 }), (appends) => {
      expect(unpackBatch(structuredClone(packBatch(appends)))).toEqual(appends);
    }),
  );
});

test('keeps line breaks within data, because JSON escapes them', () => {
  const data = JSON.stringify({ text: 'two\nlines\r\n', separator: '\u2028' });
  const appends = [
    { stream: 's', expected: -1, events: [{ id: 'id', type: 'T', version: 1, time: 2, data, metadata: '{}' }] },
  ];
  expect(unpackBatch(packBatch(appends))).toEqual(appends);
});
