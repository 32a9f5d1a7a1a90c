import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { OK, respondingWith, upstreamFixture } from '../upstreamFixture.support.ts';
import { createSocketOpener } from './openSocket.ts';
import { createPlainUpstreamPool } from './plainUpstreamPool.ts';
import { Transfer } from './transfer.ts';
import { UpstreamConnection } from './upstreamConnection.ts';

const startProvider = upstreamFixture(createPlainUpstreamPool);

/** A connection that has served one request, and what it reported. */
async function keptConnection() {
  const { port, connections } = await startProvider(respondingWith(OK));
  const open = createSocketOpener({ origin: new URL(`http://127.0.0.1:${port}`), connectTimeoutMs: 5_000 });
  let socket: Socket | undefined;
  let read: (bytes: Buffer) => void = () => undefined;
  const released = Promise.withResolvers<void>();
  const reported: string[] = [];
  const connection = new UpstreamConnection(
    (onRead) => {
      read = onRead;
      socket = open(onRead);
      return socket;
    },
    {
      onReleased: () => released.resolve(),
      onClosed: () => reported.push('closed'),
      onLost: (_transfer, error) => reported.push(`lost: ${error.message}`),
    },
  );
  const assign = () => {
    const listener = {
      onHead: () => undefined,
      onBody: () => undefined,
      onEnd: () => undefined,
      onError: (error: Error) => reported.push(`failed: ${error.message}`),
    };
    const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n`;
    const transfer = new Transfer(head, [Buffer.from('{}')], listener);
    connection.assign(transfer);
    return transfer;
  };
  connection.write(assign());
  await released.promise;
  return { connection, assign, reported, socket: socket as Socket, read, provider: connections[0]?.socket as Socket };
}

test('reports that it is closed as soon as its end is read', async () => {
  const { reported, socket, provider } = await keptConnection();
  provider.end();
  await once(socket, 'end');
  expect(reported).toEqual(['closed']);
});

test('reports that it is closed as soon as it has read bytes that belong to no request', async () => {
  const { reported, read } = await keptConnection();
  read(Buffer.from(OK));
  expect(reported).toEqual(['closed']);
});

test('takes no bytes that came before the request was written for its response', async () => {
  const { assign, reported, read } = await keptConnection();
  assign();
  read(Buffer.from(OK));
  expect(reported).toEqual(['closed', 'lost: the provider sent bytes without a request']);
});

test('hands over a request that it has not written when its end is read', async () => {
  const { assign, reported, socket, provider } = await keptConnection();
  const transfer = assign();
  provider.end();
  await once(socket, 'end');
  expect(reported).toEqual(['closed', 'lost: the provider closed the connection']);
  expect(transfer.isWritten).toBe(false);
});
