import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AllEvent, decodeReadResponse } from './readResponse.ts';

const { ReadEvent } = streams.ReadResp;
const ID = '018f0000-0000-7000-8000-00000000000a';

interface Stored {
  readonly stream: string;
  readonly type: string;
  readonly contentType: string;
  readonly created: bigint;
  readonly revision: bigint;
  readonly commit: bigint;
  readonly prepare: bigint;
  readonly data: string;
  readonly metadata: string;
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const serialized = (response: streams.ReadResp): Buffer => Buffer.from(response.serializeBinary());

/** What a server sends of an event, in the protocol's own code. */
function responseOf(stored: Stored, id: shared.UUID): Buffer {
  const event = new ReadEvent.RecordedEvent().setId(id);
  event.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(bytesOf(stored.stream)));
  event.setStreamRevision(String(stored.revision));
  event.setCommitPosition(String(stored.commit)).setPreparePosition(String(stored.prepare));
  event.setData(bytesOf(stored.data)).setCustomMetadata(bytesOf(stored.metadata));
  event.getMetadataMap().set('type', stored.type).set('content-type', stored.contentType);
  event.getMetadataMap().set('created', String(stored.created)).set('of a later server', 'ignored');
  // A link is written behind its event.
  const link = new ReadEvent.RecordedEvent().setData(bytesOf('link'));
  const resolved = new ReadEvent().setEvent(event).setLink(link).setCommitPosition(String(stored.commit));
  return serialized(new streams.ReadResp().setEvent(resolved));
}

const textId = () => new shared.UUID().setString(ID);
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const stored: fc.Arbitrary<Stored> = fc.record({
  stream: text,
  type: text,
  contentType: fc.constantFrom('application/json', 'application/octet-stream'),
  created: fc.bigInt({ min: 0n, max: 2n ** 62n }),
  revision: uint64,
  commit: uint64,
  prepare: uint64,
  data: fc.oneof(text, fc.json()),
  metadata: fc.oneof(text, fc.json()),
});

test('decodes what the code of the protocol writes of any event', () => {
  fc.assert(
    fc.property(stored, (event) => {
      const decoded = decodeReadResponse(responseOf(event, textId())) as AllEvent;
      expect(decoded).toBeInstanceOf(AllEvent);
      expect(decoded).toMatchObject({
        streamId: event.stream,
        type: event.type,
        revision: event.revision,
        id: ID,
        position: { commit: event.commit, prepare: event.prepare },
        json: event.contentType === 'application/json' ? event.data : undefined,
        metadataText: event.metadata,
      });
      expect(decoded.createdMs).toBe(Number(event.created / 10_000n));
    }),
  );
});

test('decodes an id in two halves', () => {
  const halves = new shared.UUID.Structured()
    .setMostSignificantBits(String(BigInt.asIntN(64, 0x018f_0000_0000_7000n)))
    .setLeastSignificantBits(String(BigInt.asIntN(64, 0x8000_0000_0000_000an)));
  const event = { stream: 's', type: 'T', contentType: 'application/json', data: '{}', metadata: '' };
  const response = responseOf(
    { ...event, created: 0n, revision: 0n, commit: 1n, prepare: 1n },
    new shared.UUID().setStructured(halves),
  );
  expect(decodeReadResponse(response)).toMatchObject({ id: ID });
});

test.each([
  ['confirmation', new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation())],
  ['caughtUp', new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())],
  ['fellBehind', new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind())],
  ['other', new streams.ReadResp().setLastStreamPosition('18446744073709551615')],
  ['other', new streams.ReadResp().setCheckpoint(new streams.ReadResp.Checkpoint().setCommitPosition('1'))],
  ['other', new streams.ReadResp()],
])('decodes %s', (signal, response) => {
  expect(decodeReadResponse(serialized(response))).toBe(signal);
});

test('refuses an event whose bytes are cut off anywhere', () => {
  const event = { stream: 'requests-n.b_20260101', type: 'T', contentType: 'application/json' };
  const whole = responseOf(
    { ...event, data: '{"a":1}', metadata: '{}', created: 1n, revision: 7n, commit: 2n ** 60n, prepare: 3n },
    textId(),
  );
  for (let length = 1; length < whole.length; length += 1)
    expect(() => decodeReadResponse(whole.subarray(0, length)), `${length}`).toThrow(RangeError);
});
