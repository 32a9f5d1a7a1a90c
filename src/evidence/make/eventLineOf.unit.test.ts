import { expect, test } from 'vitest';
import type { StoredRow } from '../../integrity/leaf/leafEntry.ts';
import { writeEventLine } from '../format/eventLine.ts';
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

test('finds what is hidden at any depth and in any spelling, and keeps all else', () => {
  const hash = 'ab'.repeat(32);
  const data = { list: [{ note: 'a "quoted" text' }, [hash, 1e21, -0], { secret: 1 }] };
  const line = eventLineOf({ ...rowOf({}, {}), data: JSON.stringify(data) }, 'o');
  expect(line).toMatchObject({ dataproof: 'digest', datahidden: '/list/1/0 /list/2/secret' });
  expect(line.data).toEqual({ list: [{ note: 'a "quoted" text' }, [null, 1e21, 0], {}] });
  const own = JSON.parse('{"__proto__":{"hash":2,"kept":null},"a":[[],{}]}');
  const withProto = eventLineOf(rowOf(own, {}), 'o');
  expect(withProto.datahidden).toBe('/__proto__/hash');
  expect(writeEventLine(withProto)).toContain('"data":{"__proto__":{"kept":null},"a":[[],{}]}');
  const escaped = eventLineOf({ ...rowOf({}, {}), metadata: '{"actor":{"name":"\\u0073ealed.v1"}}' }, 'o');
  expect(escaped).toMatchObject({ metadata: '{"actor":{}}', metadatahidden: '/actor/name' });
  const plain = eventLineOf(rowOf({ a: [1, { b: 'c\n' }] }, { actor: {} }), 'o');
  expect(plain).toMatchObject({ dataproof: 'recomputable', metadataproof: 'recomputable', metadata: '{"actor":{}}' });
});
