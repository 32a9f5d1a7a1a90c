import { expect, test } from 'vitest';
import { certificate } from '../../../../test/support/certificate.ts';
import { OK, respondingWith, send, upstreamFixture } from '../upstreamFixture.support.ts';
import { createPlainUpstreamPool } from './plainUpstreamPool.ts';

const startProvider = upstreamFixture(createPlainUpstreamPool);

test('sends no headers but host, content-length and those of the request', async () => {
  const { pool, connections, port } = await startProvider(
    ({ socket, received }) => received.endsWith('"b"}') && socket.write(OK),
  );
  const body = [Buffer.from('{"a":'), Buffer.from('"b"}')];
  await send(pool(), body, ['accept', 'text/event-stream', 'x-two', 'w\u00f6rld']).ended;
  expect(connections[0]?.received).toBe(
    `POST /responses HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\nx-two: w\u00f6rld\r\ncontent-length: 9\r\n\r\n{"a":"b"}`,
  );
});

test('resumes the TLS session of an earlier connection', async () => {
  const { pool, connections } = await startProvider(
    respondingWith(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok`),
    { isSecure: true },
  );
  const shared = pool({ ca: certificate.cert });
  for (let turn = 0; turn < 2; turn++) await send(shared).ended;
  expect(connections.map(({ socket }) => Boolean(socket.isSessionReused?.()))).toEqual([false, true]);
});
