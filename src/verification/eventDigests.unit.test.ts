import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashOfNames } from '../eventLog/hashChain.ts';
import { EventDigests } from './eventDigests.ts';

const sha256 = (text: string): string => hash('sha256', text, 'hex');
const METADATA = `{"schemaVersion":1,"previousHash":"${'a'.repeat(64)}","hash":"${'b'.repeat(64)}"}`;

test.each([
  ['of ASCII', '{"a":1}', METADATA],
  ['with characters of two, three and four bytes', '{"a":"é — 🙂"}', METADATA.replace('1,', '1,"actor":"Zoë",')],
  ['with half a surrogate pair', '{"a":"\ud800"}', METADATA],
  ['without a hash in its metadata', '{}', '{}'],
  ['without anything', '', ''],
  ['with two bytes for the quote behind its hash', '{}', METADATA.replace(/"\}$/, 'é}')],
  ['with a surrogate pair where its hash begins', '{}', `{"actor":"🙂${'x'.repeat(74)}`],
  ['of the largest size that fits', `{"a":"${'x'.repeat(87_000)}"}`, METADATA],
  ['that is too large to be copied', `{"a":"${'é'.repeat(300_000)}"}`, METADATA],
])('computes the digests of an event %s as its texts have them', (_what, data, metadata) => {
  const digests = new EventDigests();
  const names = ['"stream-1"', 7, '"id"', '"Type"', 1_700_000_000_000] as const;
  // The second event is copied over the first one.
  for (let time = 0; time < 2; time += 1) {
    expect(digests.of(...names, data, metadata)).toEqual({
      chain: hashOfNames(...names, data, metadata),
      data: sha256(data),
      metadata: sha256(metadata),
    });
    digests.of(...names, `{"other":"${'y'.repeat(2_000)}"}`, METADATA);
  }
});
