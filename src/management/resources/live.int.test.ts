import { get, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Browser, logIn, requireTotp, setUp } from '../../../test/support/browser.ts';
import { completed, type Stage, startManagement } from '../../../test/support/management.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import type { Instant } from '../../domain/core/brands.ts';

interface Message {
  readonly event: string;
  readonly data: { position?: number; subjects?: string[]; reason?: string };
}

/** Opens a stream as a page does. @returns the messages received so far, and the state of the stream */
async function openStream(stage: Stage, client?: Browser) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = client?.cookie === undefined ? {} : { cookie: client.cookie };
    get({ port: stage.port, host: '127.0.0.1', path: '/api/live', headers, agent: false }, resolve).on('error', reject);
  });
  onTestFinished(() => void response.destroy());
  const stream = { status: response.statusCode, type: response.headers['content-type'], text: '', hasEnded: false };
  response.setEncoding('utf8').on('data', (text: string) => {
    stream.text += text;
  });
  response.on('end', () => {
    stream.hasEnded = true;
  });
  const messages = () =>
    [...stream.text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(
      ([, event, data]) => ({ event, data: JSON.parse(data ?? '') }) as Message,
    );
  const subjects = () => messages().flatMap(({ data }) => data.subjects ?? []);
  return { stream, messages, subjects, close: () => response.destroy() };
}

const allow = (client: Browser | Stage, ip: string) =>
  client.call('POST', '/api/firewall/ips', { body: { ip_address: ip } });

test('sends the current position first, then what changes', async () => {
  const stage = await startManagement();
  await allow(stage, '10.0.0.1');
  const page = await openStream(stage);
  await vi.waitUntil(() => page.messages().length === 1, waitOptions);
  expect(page.stream).toMatchObject({ status: 200, type: 'text/event-stream; charset=utf-8' });
  expect(page.messages()[0]).toEqual({ event: 'changed', data: { position: 1, subjects: [] } });

  await allow(stage, '10.0.0.2');
  await vi.waitUntil(() => page.messages().length === 2, waitOptions);
  expect(page.messages()[1]).toEqual({ event: 'changed', data: { position: 2, subjects: ['firewall-main'] } });
});

test('names the kind of requests instead of each id', async () => {
  const stage = await startManagement();
  const page = await openStream(stage);
  await stage.append(completed(), completed(), completed());
  await vi.waitUntil(() => page.subjects().length > 0, waitOptions);
  expect(new Set(page.subjects())).toEqual(new Set(['request']));
});

test('sends keepalives', async () => {
  const stage = await startManagement();
  const page = await openStream(stage);
  await vi.waitUntil(() => page.stream.text.includes(': keepalive\n\n'), waitOptions);
});

test('ends the stream with the session, however that ends', async () => {
  const stage = await startManagement();
  await setUp(stage);
  const ends = async (end: () => Promise<unknown>, who: Browser) => {
    const page = await openStream(stage, who);
    await vi.waitUntil(() => page.messages().length > 0, waitOptions);
    await end();
    await vi.waitUntil(() => page.stream.hasEnded, waitOptions);
    return page.messages().at(-1);
  };
  const ended = { event: 'ended', data: { reason: 'session' } };

  const leaving = await logIn(stage);
  expect(await ends(() => leaving.post('logout'), leaving)).toEqual(ended);
  const pending = await logIn(stage);
  const other = await logIn(stage);
  expect(await ends(() => requireTotp(stage, other), pending)).toEqual(ended);
  const late = await startManagement();
  const client = await setUp(late);
  const page = await openStream(late, client);
  late.clock.now = (late.clock.now + 43_200_000) as Instant;
  await vi.waitUntil(() => page.stream.hasEnded, waitOptions);
  expect(page.messages().at(-1)).toEqual(ended);
});

test('ends streams without a session when the first password is set', async () => {
  const stage = await startManagement();
  const page = await openStream(stage);
  await setUp(stage);
  await vi.waitUntil(() => page.stream.hasEnded, waitOptions);
  expect(page.messages().at(-1)?.data).toEqual({ reason: 'session' });
});

test('limits the open streams of a session', async () => {
  const stage = await startManagement();
  const client = await setUp(stage);
  const pages = await Promise.all(Array.from({ length: 8 }, () => openStream(stage, client)));
  const refused = await client.call('GET', '/api/live');
  expect([refused.status, refused.body.error.code]).toEqual([429, 'too_many_live_streams']);
  expect((await openStream(stage, await logIn(stage))).stream.status).toBe(200);

  pages[0]?.close();
  await vi.waitUntil(() => stage.live.size === 8, waitOptions);
  expect((await openStream(stage, client)).stream.status).toBe(200);
});

test('ends all streams on stop', async () => {
  const stage = await startManagement();
  const page = await openStream(stage);
  stage.live.stop();
  await vi.waitUntil(() => page.stream.hasEnded, waitOptions);
  expect(page.messages().at(-1)?.data).toEqual({ reason: 'stopping' });
  expect(stage.live.size).toBe(0);
});
