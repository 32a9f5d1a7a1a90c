import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { validRequest } from '../support/gateway.ts';
import { startProvider } from '../support/provider/provider.ts';
import { stepsOf } from '../support/provider/responseScript.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { recordedEvents } from '../support/recordedEvents.ts';
import { openStrictSocket } from '../support/strictSocket.ts';
import { managementApi } from './support/managementApi.ts';
import { serve } from './support/serve.ts';

test('kill -9 within a response on a websocket leaves it settled as abandoned, on its socket', async () => {
  const folder = await tempDir('killed-socket');
  const provider = await startProvider();
  onTestFinished(async () => {
    await provider.close();
    await folder[Symbol.asyncDispose]();
  });
  const account = provider.addAccount();
  const killed = serve({ folder: folder.path, provider });
  const url = await killed.listening();
  const api = managementApi(url);
  await api.importAccount(account);
  await api.call('POST', '/api/api-keys', {
    name: 'limited',
    limits: [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000 }],
  });
  const socket = await openStrictSocket(`${url}/backend-api/svc/responses`, { headers: { 'thread-id': 't1' } });
  const first = await socket.create(validRequest);
  expect(first.terminal?.type).toBe('response.completed');
  account.next({
    name: 'never ends',
    *steps(context) {
      yield* [...stepsOf(textResponse(), context)].slice(0, 3);
      yield { hold: true };
    },
  });
  const ended = socket.create({ ...validRequest, previous_response_id: first.terminal?.response.id });
  const isAnnounced = async () => (await recordedEvents(folder.path)).some(({ type }) => type === 'RequestAdmitted');
  await vi.waitUntil(isAnnounced, { timeout: 15_000, interval: 100 });

  await killed.kill();
  expect((await ended).terminal).toBeUndefined();
  expect(socket.problems).toEqual([]);

  await using restarted = serve({ folder: folder.path, provider });
  await restarted.listening();
  const completed = (await recordedEvents(folder.path)).filter(({ type }) => type === 'RequestCompleted');
  expect(completed.map(({ data }) => data)).toMatchObject([
    { status: '200', transport: 'websocket', socket: { number: 1, isContinued: false } },
    { status: 'error', errorCode: 'abandoned', transport: 'websocket', socket: { number: 2, isContinued: true } },
  ]);
});
