import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { ask } from './support/ask.ts';
import { LogBook } from './support/logBook.ts';
import { serve } from './support/serve.ts';
import { snapshot } from './support/snapshot.ts';
import { openStage, question } from './support/stage.ts';

vi.setConfig({ testTimeout: 90_000 });

const COPIES = 6;

async function copies(): Promise<(name: string | number) => string> {
  const folder = await tempDir('copies');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return (name) => join(folder.path, String(name));
}

test('a copy of the data folder at any instant of a load holds every answer that was heard, and a beginning of the log', async () => {
  const copyAt = await copies();
  const stage = await openStage({ accounts: 2 });
  for (const { at } of stage.pool) at.always(textResponse());
  const heard: string[] = [];
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const { requestId, ending } = await ask({ url: stage.url, path: '/v1/responses', body: question() });
      if (requestId !== undefined && ending) heard.push(requestId);
    }
  };
  const clients = Array.from({ length: 8 }, client);
  const heardBefore: number[] = [];
  for (let copy = 0; copy < COPIES; copy += 1) {
    const more = heard.length + 1 + Math.floor(Math.random() * 40);
    await vi.waitUntil(() => heard.length >= more, { timeout: 30_000, interval: 1 });
    heardBefore.push(heard.length);
    await snapshot(stage.service, stage.folder, copyAt(copy));
  }
  isOver = true;
  await Promise.all(clients);
  await stage.stop();

  const whole = new LogBook(stage.folder);
  whole.readOn();
  const all = [...whole.completed.keys()];
  expect(all.length).toBe(heard.length);
  for (const [copy, count] of heardBefore.entries()) {
    const book = new LogBook(copyAt(copy));
    book.readOn();
    expect(book.problems).toEqual([]);
    const there = [...book.completed.keys()];
    expect(there).toEqual(all.slice(0, there.length));
    expect(heard.slice(0, count).filter((requestId) => !book.completed.has(requestId))).toEqual([]);
  }
});

test('a service goes on over a copied folder in streams of its own, with all that was there', async () => {
  const copyAt = await copies();
  const stage = await openStage();
  stage.pool[0]?.at.always(textResponse());
  const { key } = await stage.api.call('POST', '/api/api-keys', { name: 'k' });
  await stage.api.set({ api_key_auth_enabled: true });
  const request = { path: '/v1/responses', key, body: question() };
  await ask({ url: stage.url, ...request });
  await snapshot(stage.service, stage.folder, copyAt('running'));
  await stage.stop();
  cpSync(stage.folder, copyAt('stopped'), { recursive: true });

  for (const name of ['running', 'stopped']) {
    const copy = serve({ folder: copyAt(name), provider: stage.provider });
    onTestFinished(() => copy[Symbol.asyncDispose]());
    expect((await ask({ url: await copy.listening(), ...request })).status).toBe(200);
    copy.signal('SIGTERM');
    expect(await copy.ended).toMatchObject({ exitCode: 0, stderr: [] });
    const book = new LogBook(copyAt(name));
    book.readOn();
    expect(book.problems).toEqual([]);
    const streams = [...book.completed.values()].map(({ stream }) => stream);
    expect(new Set(streams).size).toBe(2);
  }
});
