import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { stepsOf } from '../support/provider/responseScript.ts';
import { heldResponse, textResponse } from '../support/provider/scripts.ts';
import { openStrictSocket, type StrictSocket } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

let gateway: Gateway;
let socket: StrictSocket;
beforeEach(async () => {
  gateway = await startGateway({ env: { SVC_DRAIN_SECONDS: '20' } });
  socket = await openStrictSocket(`${gateway.url}/backend-api/svc/responses`, { headers: { 'thread-id': 't1' } });
});
afterEach(async () => {
  await socket.leave();
  await gateway.stop();
});

test('a shutdown closes idle sockets at once, and others after their response', async () => {
  const idle = await openStrictSocket(`${gateway.url}/backend-api/svc/responses`, { headers: { 'thread-id': 't2' } });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  gateway.pool[0]?.at.next(heldResponse(released));
  const ended = socket.create(validRequest);
  await vi.waitUntil(() => gateway.pool[0]?.at.inFlight === 1, waitOptions);

  const stopped = gateway.stop();
  expect(await idle.untilClosed()).toBe(1012);
  release();
  expect((await ended).terminal?.type).toBe('response.completed');
  expect(await socket.untilClosed()).toBe(1012);
  expect(socket.problems).toEqual([]);
  await stopped;
});

test('keeps a silent response alive, also before its first event', { timeout: 40_000 }, async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  gateway.pool[0]?.at.next({
    name: 'silent',
    *steps(context) {
      yield { until: released };
      yield* stepsOf(textResponse(), context);
    },
  });
  const types: string[] = [];
  socket.socket.on('message', (data) => types.push(JSON.parse(String(data)).type));
  const ended = socket.create(validRequest);
  await vi.waitUntil(() => types.includes('keepalive'), { timeout: 20_000 });
  release();
  expect((await ended).terminal?.type).toBe('response.completed');
  expect(socket.problems).toEqual([]);
});
