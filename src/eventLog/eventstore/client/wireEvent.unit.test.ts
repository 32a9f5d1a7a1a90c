import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AllEvent } from './readResponse.ts';
import { fromWire, toWire } from './wireEvent.ts';

const ZEROS = '0'.repeat(64);
const ONES = '1'.repeat(64);
const CHAIN = `"previousHash":"${ZEROS}","hash":"${ONES}"`;
const METADATA = `{"schemaVersion":2,"metadataVersion":2,"actor":{"kind":"system","reason":"ü"},"node":"n",${CHAIN}}`;

function storedAs(streamId: string, data: string, metadata: string, type = 'RequestCompleted'): AllEvent {
  const position = { commit: 77n, prepare: 76n };
  return new AllEvent({
    streamId,
    type,
    revision: 3n,
    id: 'an id',
    position,
    json: data,
    metadataText: metadata,
    createdTicks: '50000',
  });
}

/** What `toWire` sends of an event with this data and metadata. */
function sent(streamId: string, data: string, metadata = METADATA): AllEvent {
  const wire = toWire({ id: 'an id', type: 'RequestCompleted', time: 1_700_000_000_000, data }, { metadata });
  return storedAs(streamId, String(wire.data), String(wire.metadata));
}

test('mirrors an event of a request exactly like one that it parses', () => {
  fc.assert(
    fc.property(fc.json(), (data) => {
      const text = JSON.stringify(JSON.parse(data));
      const { stream: _request, ...request } = fromWire(sent('requests-n.b_20260101', text));
      const { stream: _other, ...parsed } = fromWire(sent('firewall-main', text));
      expect(request).toEqual(parsed);
      expect(request).toMatchObject({ data: text, metadata: METADATA, version: 2, time: 1_700_000_000_000 });
      expect(request.chain).toEqual({ previousHash: ZEROS, hash: ONES });
    }),
  );
});

test.each([
  ['is not JSON', 'an intruder'],
  ['lacks the version', `{"time":1,${CHAIN}}`],
  ['lacks the time', METADATA],
  ['has another time than a whole number', `{"time":1.5,${METADATA.slice(1)}`],
])('takes a request event whose metadata %s for one that svc did not write', (_, metadata) => {
  expect(fromWire(storedAs('requests-n.b_20260101', '{}', metadata))).toMatchObject({ version: 0, time: 5 });
});

test('reads metadata of a request event that is spelled in another way', () => {
  const spaced = `{ "schemaVersion": 2, "time": 9, ${CHAIN} }`;
  expect(fromWire(storedAs('requests-n.b_20260101', '{}', spaced))).toMatchObject({
    version: 2,
    time: 9,
    chain: { previousHash: ZEROS, hash: ONES },
  });
});
