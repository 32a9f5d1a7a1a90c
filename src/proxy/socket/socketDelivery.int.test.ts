import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { SocketDelivery } from './socketDelivery.ts';

/** A delivery to a real client, and what that has received. */
async function deliver({ perMessageDeflate = false } = {}) {
  const http = createServer();
  const server = new WebSocketServer({ server: http, perMessageDeflate });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const opened = once(server, 'connection');
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.terminate();
    http.close();
  });
  const received: string[] = [];
  client.on('message', (data) => received.push(String(data)));
  const [socket, request] = (await opened) as [WebSocket, { socket: Socket }];
  const connection = request.socket;
  // One call is one system call.
  const writes = vi.spyOn(connection, '_writeGeneric' as 'write');
  const onEnd = vi.fn();
  const delivery = new SocketDelivery({ socket, connection, isStrict: false, sendError: () => undefined, onEnd });
  return { client, socket, received, writes, onEnd, delivery };
}

const frames = (count: number): Buffer[] => Array.from({ length: count }, (_, index) => Buffer.from(`{"n":${index}}`));

test('writes the messages that come in one piece in one piece, and each later one at once', async () => {
  const { received, writes, delivery } = await deliver();
  for (const frame of frames(20)) delivery.pass(frame);
  await vi.waitUntil(() => received.length === 20);
  expect(received).toEqual(frames(20).map(String));
  expect(writes).toHaveBeenCalledTimes(1);
  delivery.pass(Buffer.from('{"n":20}'));
  await vi.waitUntil(() => received.length === 21);
  expect(writes).toHaveBeenCalledTimes(2);
});

test('delivers everything before a close in the same turn', async () => {
  const { client, socket, received, delivery, onEnd } = await deliver();
  const closed = once(client, 'close');
  for (const frame of frames(3)) delivery.pass(frame);
  delivery.finish(Buffer.from('{"n":3}'));
  socket.close(1012);
  expect((await closed)[0]).toBe(1012);
  expect(received).toEqual(frames(4).map(String));
  expect(onEnd).toHaveBeenCalledOnce();
});

test.for([false, true])('delivers messages of all sizes unchanged, compressed: %s', async (perMessageDeflate) => {
  const { received, delivery } = await deliver({ perMessageDeflate });
  const MIB = 1_048_576;
  const sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 8 * MIB, 8 * MIB + 1, 3];
  const messages = sizes.map((size) => 'x'.repeat(size));
  for (const message of messages) delivery.pass(Buffer.from(message));
  await vi.waitUntil(() => received.length === messages.length, waitOptions);
  expect(received.map((message, index) => message === messages[index])).toEqual(sizes.map(() => true));
});

test('sends nothing behind a close frame', async () => {
  const { client, socket, received, delivery } = await deliver();
  const errors: Error[] = [];
  client.on('error', (error) => errors.push(error));
  const closed = once(client, 'close');
  delivery.pass(Buffer.from('{"n":0}'));
  socket.close(1008);
  expect((await closed)[0]).toBe(1008);
  expect([received, errors]).toEqual([[], []]);
});
