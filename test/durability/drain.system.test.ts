import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { streamSilent, textResponse } from '../support/provider/scripts.ts';
import { type Answer, type AskOptions, ask } from './support/ask.ts';
import { gatedAnswer } from './support/gate.ts';
import { LogBook } from './support/logBook.ts';
import { serve } from './support/serve.ts';
import { openStage, question, type Stage } from './support/stage.ts';

// Every test starts the service once or more.
vi.setConfig({ testTimeout: 60_000 });

// SIGTERM (docs/decisions/0032-drain.md): nothing new, open responses end within SVC_DRAIN_SECONDS, the log is flushed.

const SVC = '/backend-api/svc/responses';
const V1 = '/v1/responses';

/** Asks, and resolves with the answer under way once it has begun. */
function begin(stage: Stage, more: Partial<AskOptions> = {}) {
  const begun = Promise.withResolvers<void>();
  const answer = ask({ url: stage.url, path: SVC, body: question(), onText: () => begun.resolve(), ...more });
  return { answer, begun: Promise.race([begun.promise, answer]) };
}

/** SIGTERM; resolves when it has taken effect: new connections are refused. */
async function terminate(stage: Stage): Promise<void> {
  stage.service.signal('SIGTERM');
  await stage.service.saying(/SIGTERM: finishing open requests/);
  const isRefused = async () => (await ask({ url: stage.url, path: '/health', body: {} })).broke === 'ECONNREFUSED';
  await vi.waitUntil(isRefused, { timeout: 5_000, interval: 5 });
}

/** What the log has in the end, checked as a whole. */
function logOf({ folder }: Stage) {
  const book = new LogBook(folder);
  book.readOn();
  expect(book.problems).toEqual([]);
  return book.completed;
}

test('open streams finish while new connections are refused, and the exit code is 0', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  const gate = gatedAnswer();
  stage.pool[0]?.at.always(gate.script);
  const open = Array.from({ length: 8 }, () => begin(stage));
  await Promise.all(open.map(({ begun }) => begun));
  await terminate(stage);

  gate.open();
  const answers = await Promise.all(open.map(({ answer }) => answer));
  const { exitCode, stderr } = await stage.service.ended;

  expect(answers.map(({ ending, broke }) => ({ ending, broke }))).toEqual(
    answers.map(() => ({ ending: 'completed', broke: undefined })),
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  const log = logOf(stage);
  for (const { requestId = '' } of answers) expect(log.get(requestId)).toMatchObject({ status: '200' });
  expect(log.size).toBe(answers.length);
});

test('a burst of answers that end at the signal is flushed: all of them are in the log, which needs no recovery', async () => {
  const stage = await openStage();
  stage.pool[0]?.at.always(textResponse({ deltas: 10, betweenMs: 2 }));
  const open = Array.from({ length: 60 }, (_, index) =>
    begin(stage, index % 2 === 0 ? {} : { path: V1, body: question('Say hi', { stream: false }) }),
  );
  await open[0]?.begun;
  const answers = Promise.all(open.map(({ answer }) => answer));
  const { exitCode } = await stage.stop();

  expect(exitCode).toBe(0);
  // SQLite removes its journal when the last connection is closed in order.
  for (const file of ['log.sqlite', 'readmodels.sqlite']) {
    expect(existsSync(join(stage.folder, file))).toBe(true);
    expect(existsSync(join(stage.folder, `${file}-wal`)), `${file}-wal`).toBe(false);
  }
  const log = logOf(stage);
  const seen = (await answers).filter(({ ending }) => ending === 'completed' || ending === 'json');
  expect(seen.length).toBeGreaterThan(0);
  for (const { requestId = '' } of seen) expect(log.get(requestId)).toMatchObject({ status: '200' });
});

test('an idle connection that is kept alive serves no new request', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const asked = { url: stage.url, path: SVC, body: question() };
  expect(await ask({ ...asked, agent })).toMatchObject({ ending: 'completed' });
  const gate = gatedAnswer();
  stage.pool[0]?.at.always(gate.script);
  const { answer, begun } = begin(stage);
  await begun;
  await terminate(stage);

  expect(await ask({ ...asked, agent })).toMatchObject({
    broke: expect.stringMatching(/^ECONN(REFUSED|RESET)$/),
  });
  gate.open();
  expect(await answer).toMatchObject({ ending: 'completed' });
  expect((await stage.service.ended).exitCode).toBe(0);
  expect(logOf(stage).size).toBe(2);
});

test('a request behind an open one on the same connection is told shutting_down', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  const gate = gatedAnswer();
  stage.pool[0]?.at.always(gate.script);
  const wire = await openWire(stage);
  wire.write(onTheWire(question()));
  await wire.until('response.created');
  await terminate(stage);
  wire.write(onTheWire(question()));
  gate.open();

  const [, first, second] = (await wire.closed).split(/^HTTP\/1\.1 /m);
  expect(first).toMatch(/^200 .*event: response\.completed\n/s);
  expect(second).toMatch(/^503 .*"code":"shutting_down"/s);
  expect((await stage.service.ended).exitCode).toBe(0);
});

test('a large answer arrives whole, also when it is the last one that was open', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  const gate = gatedAnswer({ deltas: ['at once, ', 'x'.repeat(12_000_000)] });
  stage.pool[0]?.at.always(gate.script);
  const { answer } = begin(stage, { path: V1, body: question('Say a lot', { stream: false }) });
  await stage.provider.until(() => stage.pool[0]?.at.inFlight === 1);
  await terminate(stage);
  gate.open();

  expect({ ...(await answer), text: '' }).toMatchObject({ status: 200, ending: 'json', broke: undefined });
  expect((await stage.service.ended).exitCode).toBe(0);
});

test('a request whose body is still on its way at the signal gets an end that its client can read', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  stage.pool[0]?.at.always(textResponse({ deltas: 4, betweenMs: 500 }));
  const bytes = onTheWire(question());
  const wire = await openWire(stage);
  wire.write(bytes.slice(0, -20));
  // What comes later on another connection is answered later.
  await ask({ url: stage.url, path: V1, body: {} });
  await terminate(stage);
  wire.write(bytes.slice(-20));

  expect(await wire.closed).toMatch(
    /^HTTP\/1\.1 (503 .*"code":"shutting_down"|200 .*event: response\.(completed|failed)\n)/s,
  );
  expect((await stage.service.ended).exitCode).toBe(0);
});

test('what outlasts SVC_DRAIN_SECONDS ends in response.failed or 503 and is settled', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '1' } });
  stage.pool[0]?.at.always(streamSilent({ events: 5 }));
  const stream = begin(stage);
  await stream.begun;
  const json = begin(stage, { path: V1, body: question('Say hi', { stream: false }) });
  await stage.provider.until(() => stage.pool[0]?.at.inFlight === 2);
  const since = performance.now();
  const { exitCode, stderr } = await stage.stop();

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  expect(performance.now() - since).toBeGreaterThan(950);
  expect(await stream.answer).toMatchObject({ status: 200, ending: 'failed', code: 'shutting_down' });
  expect(await json.answer).toMatchObject({ status: 503, ending: 'error', code: 'shutting_down' });
  const log = logOf(stage);
  const settledAs = async (answer: Promise<Answer>) => log.get((await answer).requestId ?? '');
  expect(await settledAs(stream.answer)).toMatchObject({ status: 'error', errorCode: 'shutting_down' });
  expect(await settledAs(json.answer)).toMatchObject({ status: '503', errorCode: 'shutting_down' });
  expect((await settledAs(stream.answer))?.usage).toMatchObject({ isEstimated: true });
  await stage.provider.until(() => stage.pool[0]?.at.inFlight === 0);
});

test('a SIGTERM in the very moment in which it says that it listens ends it in order', async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    await using folder = await tempDir('signal');
    await using service = serve({ folder: folder.path });
    await service.listening();
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ exitCode: 0, stderr: [] });
  }
});

test('a second SIGTERM ends at once', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '60' } });
  stage.pool[0]?.at.always(streamSilent({ events: 5 }));
  const { answer, begun } = begin(stage);
  await begun;
  await terminate(stage);
  const since = performance.now();
  stage.service.signal('SIGTERM');
  const { exitCode } = await stage.service.ended;

  expect(exitCode).toBe(130);
  expect(performance.now() - since).toBeLessThan(5_000);
  expect(await answer).toMatchObject({ ending: undefined, broke: 'ECONNRESET' });
  await stage.start();
  expect(await stage.api.call('GET', '/health')).toEqual({ status: 'ok' });
});

/** A connection without an HTTP client between. */
async function openWire({ url }: Stage) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let text = '';
  const looks = new Set<() => void>();
  socket.on('data', (more: string) => {
    text += more;
    for (const look of looks) look();
  });
  return {
    write: (bytes: string) => socket.write(bytes),
    until: (part: string) =>
      new Promise<void>((resolve) => {
        looks.add(() => {
          if (text.includes(part)) resolve();
        });
      }),
    /** Everything that came, once the connection has ended. */
    closed: new Promise<string>((resolve) => {
      socket.on('error', () => undefined).on('close', () => resolve(text));
    }),
  };
}

function onTheWire(body: object): string {
  const payload = JSON.stringify(body);
  const head = ['host: 127.0.0.1', 'content-type: application/json', `content-length: ${Buffer.byteLength(payload)}`];
  return `POST ${SVC} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${payload}`;
}
