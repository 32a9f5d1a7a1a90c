import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createLateSurface } from './lateSurface.ts';

function request(path: string): [IncomingMessage, ServerResponse, string] {
  const incoming = new IncomingMessage(new Socket());
  return [incoming, new ServerResponse(incoming), path];
}

function prepare() {
  const surface = { serve: vi.fn(), endLive: vi.fn(), stop: vi.fn(() => Promise.resolve()) };
  const loading = Promise.withResolvers<typeof surface>();
  const onFailure = vi.fn();
  const start = vi.fn(() => loading.promise);
  return { surface, loading, onFailure, start, late: createLateSurface(start, onFailure) };
}

test('requests wait in order until the surface runs, and later ones do not', async () => {
  const { surface, loading, late } = prepare();
  const requests = [request('/a'), request('/b'), request('/c')] as const;
  late.serve(...requests[0]);
  late.start();
  await nextTurn();
  late.serve(...requests[1]);
  expect(surface.serve).not.toHaveBeenCalled();
  loading.resolve(surface);
  await nextTurn();
  late.serve(...requests[2]);
  expect(surface.serve.mock.calls).toEqual(requests);
});

test('loads nothing before the parts that wait for the service to listen were notified', async () => {
  const { start, late } = prepare();
  late.start();
  await Promise.resolve();
  expect(start).not.toHaveBeenCalled();
  await nextTurn();
  expect(start).toHaveBeenCalledOnce();
});

test('a stop during the load waits for it, ends its streams and stops what was started', async () => {
  const { surface, loading, late } = prepare();
  late.start();
  await nextTurn();
  late.endLive();
  const stopped = late.stop();
  loading.resolve(surface);
  await stopped;
  expect(surface.endLive).toHaveBeenCalledOnce();
  expect(surface.stop).toHaveBeenCalledOnce();
});

test('a stop before the load begins leaves nothing to load', async () => {
  const { start, late } = prepare();
  late.start();
  late.endLive();
  await late.stop();
  await nextTurn();
  expect(start).not.toHaveBeenCalled();
});

test('a surface that cannot be loaded is reported once, and stops', async () => {
  const { loading, onFailure, late } = prepare();
  late.start();
  await nextTurn();
  const error = new Error('no such file');
  loading.reject(error);
  await nextTurn();
  await late.stop();
  expect(onFailure.mock.calls).toEqual([[error]]);
});
