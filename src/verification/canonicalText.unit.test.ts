import { expect, test } from 'vitest';
import { CanonicalMetadata, isCanonical } from './canonicalText.ts';

const HASH = '0123456789abcdef'.repeat(4);

const metadata = (changes: object = {}): string =>
  JSON.stringify({
    schemaVersion: 2,
    metadataVersion: 2,
    actor: { kind: 'apiKey', keyId: 'k1' },
    correlationId: 'c1',
    node: 'n1',
    previousHash: HASH,
    hash: HASH,
    ...changes,
  });

const written = metadata();

test.each([
  ['as svc writes it', written],
  ['with a cause', written.replace('"node"', '"causationId":"e1","node"')],
  ['with another order', written.replace(/("correlationId":"c1"),("node":"n1")/, '$2,$1')],
  ['with an unusual actor', metadata({ actor: { kind: 'cli', user: 'Zoë "the" \\ user,"correlationId":"c2"' } })],
  ['with an id of other characters', metadata({ correlationId: 'a b"c' })],
  ['without hashes', metadata({ previousHash: undefined, hash: undefined })],
  ['with a space', written.replace('"node":', '"node": ')],
  ['with a space in the actor', written.replace('"kind":', '"kind": ')],
  ['with an escape in a hash', written.replace(`${HASH}","hash`, `\\u0030${HASH.slice(6)}","hash`)],
  ['with an escape in the id', written.replace('c1', 'c\\u0031')],
  ['with a name that is there twice', written.replace('"node"', '"correlationId":"c1","node"')],
  [
    'with the actor twice',
    written.replace('"correlationId"', '"actor":{"kind":"apiKey","keyId":"k1"},"correlationId"'),
  ],
  ['with a number in another form', written.replace('"schemaVersion":2', '"schemaVersion":2.0')],
  ['that is cut off', written.slice(0, -1)],
  ['that is empty', ''],
])('judges metadata %s as JSON.stringify does, and names its correlation id', (_what, text) => {
  const spelling = new CanonicalMetadata();
  // The second time it may be known.
  for (let time = 0; time < 2; time += 1) {
    const { isCanonical: judged, correlationJson } = spelling.spellingOf(text, 'c1');
    expect(judged).toBe(isCanonical(text));
    if (correlationJson !== undefined) expect(correlationJson).toBe(JSON.stringify(JSON.parse(text).correlationId));
    spelling.spellingOf(written);
  }
});
