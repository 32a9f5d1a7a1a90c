import { EventEmitter } from 'node:events';
import { binaryEvent, EventStoreDBClient, jsonEvent, NO_STREAM as NATIVE_NO_STREAM } from '@eventstore/db-client';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { expect, test } from 'vitest';
import { NO_STREAM } from '../../eventLog.ts';
import { sendClassicAppend } from './classicAppend.ts';

const ID = '018f0000-0000-7000-8000-00000000000a';

/** A client that answers every append with one response, and keeps what is sent. */
function collect(response: streams.AppendResp) {
  const sent: string[] = [];
  const append = (_metadata: unknown, _options: unknown, callback: (error: null, response: unknown) => void) =>
    Object.assign(new EventEmitter(), {
      write(request: streams.AppendReq) {
        sent.push(Buffer.from(request.serializeBinary()).toString('hex'));
        return true;
      },
      end: () => callback(null, response),
    });
  return { sent, client: { append } as unknown as StreamsClient };
}

const success = () => {
  const position = new streams.AppendResp.Position().setCommitPosition('77').setPreparePosition('77');
  return new streams.AppendResp().setSuccess(
    new streams.AppendResp.Success().setCurrentRevision('6').setPosition(position),
  );
};

test.each([
  ['a new stream', NO_STREAM, NATIVE_NO_STREAM],
  ['a stream', 4, 4n],
] as const)('sends the bytes that the library sends to %s', async (_, expected, expectedRevision) => {
  const json = { text: 'ü – 😀 \u2028', nothing: null, count: 1 };
  const metadata = Buffer.from('{"time":1,"hash":"ü"}');
  const ours = collect(success());
  const appended = await sendClassicAppend(ours.client, [{} as never, {}], {
    stream: 'requests-ü_1',
    expected,
    events: [
      { id: ID, type: 'T', contentType: 'application/json', data: Buffer.from(JSON.stringify(json)), metadata },
      { id: ID, type: 'T', contentType: 'application/json', data: json },
      binaryEvent({ id: ID, type: 'part', data: Buffer.from([0, 255, 10]) }),
    ],
  });
  expect(appended).toEqual({ revision: 6, position: { commit: 77n, prepare: 77n } });

  const theirs = collect(success());
  const library = {
    execute: (_client: unknown, _name: string, action: (client: StreamsClient) => unknown) => action(theirs.client),
    callArguments: () => [{}, {}],
    supports: async () => false,
    throwOnAppendFailure: true,
  };
  await EventStoreDBClient.prototype.appendToStream.call(
    library as never,
    'requests-ü_1',
    [
      jsonEvent({ id: ID, type: 'T', data: json, metadata }),
      jsonEvent({ id: ID, type: 'T', data: json }),
      binaryEvent({ id: ID, type: 'part', data: Buffer.from([0, 255, 10]) }),
    ],
    { expectedRevision },
  );
  expect(ours.sent).toEqual(theirs.sent);
  expect(ours.sent).toHaveLength(4);
});

test('names the revision that the stream has instead', async () => {
  const wrong = new streams.AppendResp.WrongExpectedVersion().setCurrentRevision('9').setExpectedRevision('4');
  const { client } = collect(new streams.AppendResp().setWrongExpectedVersion(wrong));
  const event = { id: ID, type: 'T', contentType: 'application/json', data: {} } as const;
  await expect(
    sendClassicAppend(client, [{} as never, {}], { stream: 's', expected: 4, events: [event] }),
  ).rejects.toMatchObject({ type: 'wrong-expected-version', streamName: 's', actualVersion: 9n, expectedVersion: 4n });
});
