import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { copyDataFolder } from './support/copyDataFolder.ts';
import { sendRequest } from './support/sendRequest.ts';
import { serve } from './support/serve.ts';
import { openStage, requestBody } from './support/stage.ts';
import { VerifiedLog } from './support/verifiedLog.ts';

vi.setConfig({ testTimeout: 90_000 });

const COPIES = 6;

async function copies(): Promise<(name: string | number) => string> {
  const folder = await tempDir('copies');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return (name) => join(folder.path, String(name));
}

test('a copy of the data folder taken under load has every response that reached a client', async () => {
  const copyAt = await copies();
  const stage = await openStage({ accounts: 2 });
  for (const { at } of stage.pool) at.always(textResponse());
  const received: string[] = [];
  let isStopped = false;
  const client = async () => {
    while (!isStopped) {
      const { requestId, ending } = await sendRequest({ url: stage.url, path: '/v1/responses', body: requestBody() });
      if (requestId !== undefined && ending) received.push(requestId);
    }
  };
  const clients = Array.from({ length: 8 }, client);
  const receivedBefore: number[] = [];
  for (let copy = 0; copy < COPIES; copy += 1) {
    const target = received.length + 1 + Math.floor(Math.random() * 40);
    await vi.waitUntil(() => received.length >= target, { timeout: 30_000, interval: 1 });
    receivedBefore.push(received.length);
    await copyDataFolder(stage.service, stage.folder, copyAt(copy));
  }
  isStopped = true;
  await Promise.all(clients);
  await stage.stop();

  const original = new VerifiedLog(stage.folder);
  original.readNew();
  const all = [...original.completed.keys()];
  expect(all.length).toBe(received.length);
  for (const [copy, count] of receivedBefore.entries()) {
    const log = new VerifiedLog(copyAt(copy));
    log.readNew();
    expect(log.problems).toEqual([]);
    const copied = [...log.completed.keys()];
    expect(copied).toEqual(all.slice(0, copied.length));
    expect(received.slice(0, count).filter((requestId) => !log.completed.has(requestId))).toEqual([]);
  }
});

test('a service over a copied folder keeps its data and writes to streams of its own', async () => {
  const copyAt = await copies();
  const stage = await openStage();
  stage.pool[0]?.at.always(textResponse());
  const { key } = await stage.api.call('POST', '/api/api-keys', { name: 'k' });
  await stage.api.set({ api_key_auth_enabled: true });
  const request = { path: '/v1/responses', key, body: requestBody() };
  await sendRequest({ url: stage.url, ...request });
  await copyDataFolder(stage.service, stage.folder, copyAt('running'));
  await stage.stop();
  cpSync(stage.folder, copyAt('stopped'), { recursive: true });

  for (const name of ['running', 'stopped']) {
    const copy = serve({ folder: copyAt(name), provider: stage.provider, env: { SVC_NODE_ID: name } });
    onTestFinished(() => copy[Symbol.asyncDispose]());
    expect((await sendRequest({ url: await copy.listening(), ...request })).status).toBe(200);
    copy.signal('SIGTERM');
    const ended = await copy.ended;
    expect(ended).toMatchObject({ exitCode: 0, stderr: [] });
    expect(ended.stdout.join('\n')).toMatch(new RegExp(`belonged to the node \\w{8} and now belongs to ${name}, as`));
    const log = new VerifiedLog(copyAt(name));
    log.readNew();
    expect(log.problems).toEqual([]);
    const streams = [...log.completed.values()].map(({ stream }) => stream);
    expect(new Set(streams).size).toBe(2);
  }
});
