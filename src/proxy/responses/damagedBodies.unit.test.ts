import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import * as arbitrary from './arbitraryBodies.support.ts';
import { expectSameAsReference, svc, v1 } from './expectSameAsReference.support.ts';
import { RequestCache } from './requestCache.ts';
import { bodyWith, json, samples } from './sampleBodies.support.ts';

test.each(Object.entries(samples))('a body of %s that is cut off anywhere is refused as before', (_, sample) => {
  const memory = new RequestCache();
  const raw = json(sample);
  expectSameAsReference(raw, memory, svc);
  for (let length = 0; length < raw.length; length++) expectSameAsReference(raw.subarray(0, length), memory, svc);
});

const SUBSTITUTES = [0x00, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x5b, 0x5c, 0x5d, 0x61, 0x7b, 0x7d, 0x80, 0xc3, 0xff];

test.each(Object.entries(samples))(
  'a known body of %s is read anew when one byte differs, whichever',
  (_, sample) => {
    const memory = new RequestCache();
    const raw = json(sample);
    expectSameAsReference(raw, memory, svc);
    for (let at = 0; at < raw.length; at++) {
      // All substitutes at every position would take minutes.
      for (let step = 0; step < 4; step++) {
        const changed = Buffer.from(raw);
        changed[at] = SUBSTITUTES[(at + step * 4) % SUBSTITUTES.length] as number;
        expectSameAsReference(changed, memory, svc);
      }
      const shorter = Buffer.concat([raw.subarray(0, at), raw.subarray(at + 1)]);
      expectSameAsReference(shorter, memory, svc);
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
])('bytes that are not UTF-8 %s are refused as before', (_, text) => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf]]) {
    const [before, after] = text.split('?') as [string, string];
    const raw = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    expectSameAsReference(raw, new RequestCache(), v1);
  }
});

test('bodies with any damage are read as before, whatever else was read', () => {
  const memory = new RequestCache(200_000);
  const damage = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), fc.uint8Array({ maxLength: 3 }));
  fc.assert(
    fc.property(
      arbitrary.text,
      arbitrary.call,
      fc.array(damage, { minLength: 1, maxLength: 2 }),
      (text, call, damages) => {
        let raw = Buffer.from(text);
        expectSameAsReference(raw, memory, call);
        for (const [position, removed, added] of damages) {
          const at = Math.floor(position * raw.length);
          raw = Buffer.concat([raw.subarray(0, at), added, raw.subarray(at + removed)]);
        }
        expectSameAsReference(raw, memory, call);
      },
    ),
    runs(500),
  );
});
