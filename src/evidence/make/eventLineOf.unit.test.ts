import { expect, test } from 'vitest';
import type { StoredRow } from '../../integrity/leaf/leafEntry.ts';
import { eventLineOf } from './eventLineOf.ts';

const rowOf = (data: object, metadata: object): StoredRow => ({
  position: 7,
  stream: 'requests-n1.b1_20261127',
  revision: 3,
  id: '00000000-0000-4000-8000-000000000001',
  type: 'RequestCompleted',
  version: 2,
  time: 1_764_000_000_000,
  data: JSON.stringify(data),
  metadata: JSON.stringify(metadata),
});

test('leaves out where a request came from, and the digest by which its address is found', () => {
  const client = { sealed: 'sealed.v1.k.text', addressDigest: '0123456789abcdef', name: 'codex_exec' };
  expect(eventLineOf(rowOf({ requestId: 'r', client }, {}), 'o')).toMatchObject({
    data: { requestId: 'r', client: { name: 'codex_exec' } },
    dataproof: 'digest',
    datahidden: '/client/sealed /client/addressDigest',
  });
  // The digest alone, as without the sealed text.
  const { sealed: _, ...digestOnly } = client;
  const line = eventLineOf(rowOf({ client: digestOnly }, { actor: { addressDigest: 'd' } }), 'o');
  expect(line).toMatchObject({ datahidden: '/client/addressDigest', metadatahidden: '/actor/addressDigest' });
  expect(JSON.stringify(line)).not.toContain('0123456789abcdef');
});
