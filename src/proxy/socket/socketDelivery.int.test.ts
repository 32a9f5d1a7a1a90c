import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { SocketDelivery } from './socketDelivery.ts';

/** A delivery to a real client, and what that has received. */
async function deliver() {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
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
  const write = vi.spyOn(connection, '_writev' as 'write');
  const onEnd = vi.fn();
  const delivery = new SocketDelivery({ socket, connection, isStrict: false, sendError: () => undefined, onEnd });
  return { client, socket, received, write, onEnd, delivery };
}

const frames = (count: number): Buffer[] => Array.from({ length: count }, (_, index) => Buffer.from(`{"n":${index}}`));

test('writes the messages that come in one piece in one piece, and each later one at once', async () => {
  const { received, write, delivery } = await deliver();
  for (const frame of frames(20)) delivery.pass(frame);
  await vi.waitUntil(() => received.length === 20);
  expect(received).toEqual(frames(20).map(String));
  expect(write).toHaveBeenCalledTimes(1);
  delivery.pass(Buffer.from('{"n":20}'));
  await vi.waitUntil(() => received.length === 21);
  expect(write).toHaveBeenCalledTimes(2);
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
