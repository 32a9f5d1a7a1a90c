import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import * as arbitrary from './arbitraryBodies.support.ts';
import { expectSameAsReference, svc, v1 } from './expectSameAsReference.support.ts';
import { RequestCache } from './requestCache.ts';
import { bodyWith, json, samples } from './sampleBodies.support.ts';

test.each(Object.entries(samples))(
  'rejects a body of %s that is truncated anywhere like the reference',
  (_, sample) => {
    const cache = new RequestCache();
    const raw = json(sample);
    expectSameAsReference(raw, cache, svc);
    for (let length = 0; length < raw.length; length++) expectSameAsReference(raw.subarray(0, length), cache, svc);
  },
);

const SUBSTITUTES = [0x00, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x5b, 0x5c, 0x5d, 0x61, 0x7b, 0x7d, 0x80, 0xc3, 0xff];

test.each(Object.entries(samples))(
  'reads a cached body of %s like the reference when any byte differs',
  (_, sample) => {
    const cache = new RequestCache();
    const raw = json(sample);
    expectSameAsReference(raw, cache, svc);
    for (let at = 0; at < raw.length; at++) {
      // All substitutes at every position would take minutes.
      for (let step = 0; step < 4; step++) {
        const changed = Buffer.from(raw);
        changed[at] = SUBSTITUTES[(at + step * 4) % SUBSTITUTES.length] as number;
        expectSameAsReference(changed, cache, svc);
      }
      const shorter = Buffer.concat([raw.subarray(0, at), raw.subarray(at + 1)]);
      expectSameAsReference(shorter, cache, svc);
    }
  },
  120_000,
);

test.each([
  ['in a value', bodyWith('"a":"?"')],
  ['in a long value', bodyWith(`"instructions":"${'a'.repeat(200)}?"`)],
  ['in an item', '{"model":"m","input":[{"role":"user","content":"?"}]}'],
  ['in a name', bodyWith('"?":1')],
  ['between members', bodyWith('? "a":1')],
])('rejects invalid UTF-8 %s like the reference', (_, text) => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf]]) {
    const [before, after] = text.split('?') as [string, string];
    const raw = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    expectSameAsReference(raw, new RequestCache(), v1);
  }
});

test('reads damaged bodies like the reference, whatever is cached', () => {
  const cache = new RequestCache(200_000);
  const damage = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), fc.uint8Array({ maxLength: 3 }));
  fc.assert(
    fc.property(
      arbitrary.text,
      arbitrary.call,
      fc.array(damage, { minLength: 1, maxLength: 2 }),
      (text, call, damages) => {
        let raw = Buffer.from(text);
        expectSameAsReference(raw, cache, call);
        for (const [position, removed, added] of damages) {
          const at = Math.floor(position * raw.length);
          raw = Buffer.concat([raw.subarray(0, at), added, raw.subarray(at + removed)]);
        }
        expectSameAsReference(raw, cache, call);
      },
    ),
    runs(500),
  );
});
