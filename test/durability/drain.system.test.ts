import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { streamSilent, textResponse } from '../support/provider/scripts.ts';
import { gatedResponse } from './support/gatedResponse.ts';
import { type ClientResponse, type SendOptions, sendRequest } from './support/sendRequest.ts';
import { serve } from './support/serve.ts';
import { openStage, requestBody, type Stage } from './support/stage.ts';
import { VerifiedLog } from './support/verifiedLog.ts';

// Every test starts the service at least once.
vi.setConfig({ testTimeout: 60_000 });

// After SIGTERM the service takes no new request, ends open responses within SVC_DRAIN_SECONDS and flushes the log
// (docs/decisions/0032-drain.md).

const SVC = '/backend-api/svc/responses';
const V1 = '/v1/responses';

/** Sends a request. `begun` resolves at the first bytes of the response, `response` at its end. */
function begin(stage: Stage, more: Partial<SendOptions> = {}) {
  const begun = Promise.withResolvers<void>();
  const response = sendRequest({
    url: stage.url,
    path: SVC,
    body: requestBody(),
    onText: () => begun.resolve(),
    ...more,
  });
  return { response, begun: Promise.race([begun.promise, response]) };
}

/** Sends SIGTERM. Resolves when new connections are refused. */
async function terminate(stage: Stage): Promise<void> {
  stage.service.signal('SIGTERM');
  await stage.service.printed(/SIGTERM: finishing open requests/);
  const isRefused = async () =>
    (await sendRequest({ url: stage.url, path: '/health', body: {} })).connectionError === 'ECONNREFUSED';
  await vi.waitUntil(isRefused, { timeout: 15_000, interval: 5 });
}

/** The completed requests of the log, after its hash chain, positions and revisions have been checked. */
function logOf({ folder }: Stage) {
  const log = new VerifiedLog(folder);
  log.readNew();
  expect(log.problems).toEqual([]);
  return log.completed;
}

test('SIGTERM lets open streams finish, refuses new connections and exits with 0', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  const gate = gatedResponse();
  stage.pool[0]?.at.always(gate.script);
  const open = Array.from({ length: 8 }, () => begin(stage));
  await Promise.all(open.map(({ begun }) => begun));
  await terminate(stage);

  gate.open();
  const responses = await Promise.all(open.map(({ response }) => response));
  const { exitCode, stderr } = await stage.service.ended;

  expect(responses.map(({ ending, connectionError }) => ({ ending, connectionError }))).toEqual(
    responses.map(() => ({ ending: 'completed', connectionError: undefined })),
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  const log = logOf(stage);
  for (const { requestId = '' } of responses) expect(log.get(requestId)).toMatchObject({ status: '200' });
  expect(log.size).toBe(responses.length);
});

test('SIGTERM flushes the responses that end with it, and the log needs no recovery', async () => {
  const stage = await openStage();
  stage.pool[0]?.at.always(textResponse({ deltas: 10, betweenMs: 2 }));
  const open = Array.from({ length: 60 }, (_, index) =>
    begin(stage, index % 2 === 0 ? {} : { path: V1, body: requestBody('Say hi', { stream: false }) }),
  );
  await open[0]?.begun;
  const responses = Promise.all(open.map(({ response }) => response));
  const { exitCode } = await stage.stop();

  expect(exitCode).toBe(0);
  // SQLite removes its write-ahead log when the last connection is closed in order.
  for (const file of ['log.sqlite', 'readmodels.sqlite']) {
    expect(existsSync(join(stage.folder, file))).toBe(true);
    expect(existsSync(join(stage.folder, `${file}-wal`)), `${file}-wal`).toBe(false);
  }
  const log = logOf(stage);
  const ended = (await responses).filter(({ ending }) => ending === 'completed' || ending === 'json');
  expect(ended.length).toBeGreaterThan(0);
  for (const { requestId = '' } of ended) expect(log.get(requestId)).toMatchObject({ status: '200' });
});

test('an idle keep-alive connection serves no new request after SIGTERM', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const options = { url: stage.url, path: SVC, body: requestBody() };
  expect(await sendRequest({ ...options, agent })).toMatchObject({ ending: 'completed' });
  const gate = gatedResponse();
  stage.pool[0]?.at.always(gate.script);
  const { response, begun } = begin(stage);
  await begun;
  await terminate(stage);

  expect(await sendRequest({ ...options, agent })).toMatchObject({
    connectionError: expect.stringMatching(/^ECONN(REFUSED|RESET)$/),
  });
  gate.open();
  expect(await response).toMatchObject({ ending: 'completed' });
  expect((await stage.service.ended).exitCode).toBe(0);
  expect(logOf(stage).size).toBe(2);
});

test('a pipelined request behind an open one gets 503 shutting_down', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  const gate = gatedResponse();
  stage.pool[0]?.at.always(gate.script);
  const connection = await openConnection(stage);
  connection.write(httpRequest(requestBody()));
  await connection.until('response.created');
  await terminate(stage);
  connection.write(httpRequest(requestBody()));
  gate.open();

  const [, first, second] = (await connection.closed).split(/^HTTP\/1\.1 /m);
  expect(first).toMatch(/^200 .*event: response\.completed\n/s);
  expect(second).toMatch(/^503 .*"code":"shutting_down"/s);
  expect((await stage.service.ended).exitCode).toBe(0);
});

test('a large response arrives complete, also when it is the last open one', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  const gate = gatedResponse({ deltas: ['at once, ', 'x'.repeat(12_000_000)] });
  stage.pool[0]?.at.always(gate.script);
  const { response } = begin(stage, { path: V1, body: requestBody('Say a lot', { stream: false }) });
  await stage.provider.until(() => stage.pool[0]?.at.inFlight === 1);
  await terminate(stage);
  gate.open();

  expect({ ...(await response), text: '' }).toMatchObject({ status: 200, ending: 'json', connectionError: undefined });
  expect((await stage.service.ended).exitCode).toBe(0);
});

test('a request whose body is incomplete at SIGTERM gets a complete response', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '30' } });
  stage.pool[0]?.at.always(textResponse({ deltas: 4, betweenMs: 500 }));
  const bytes = httpRequest(requestBody());
  const connection = await openConnection(stage);
  connection.write(bytes.slice(0, -20));
  // Once this later request has its response, the head of the first one has been read.
  await sendRequest({ url: stage.url, path: V1, body: {} });
  await terminate(stage);
  connection.write(bytes.slice(-20));

  expect(await connection.closed).toMatch(
    /^HTTP\/1\.1 (503 .*"code":"shutting_down"|200 .*event: response\.(completed|failed)\n)/s,
  );
  expect((await stage.service.ended).exitCode).toBe(0);
});

test('requests open after SVC_DRAIN_SECONDS end with response.failed or 503 and are settled', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '1' } });
  stage.pool[0]?.at.always(streamSilent({ events: 5 }));
  const stream = begin(stage);
  await stream.begun;
  const json = begin(stage, { path: V1, body: requestBody('Say hi', { stream: false }) });
  await stage.provider.until(() => stage.pool[0]?.at.inFlight === 2);
  const since = performance.now();
  const { exitCode, stderr } = await stage.stop();

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  expect(performance.now() - since).toBeGreaterThan(950);
  expect(await stream.response).toMatchObject({ status: 200, ending: 'failed', code: 'shutting_down' });
  expect(await json.response).toMatchObject({ status: 503, ending: 'error', code: 'shutting_down' });
  const log = logOf(stage);
  const settledAs = async (response: Promise<ClientResponse>) => log.get((await response).requestId ?? '');
  expect(await settledAs(stream.response)).toMatchObject({ status: 'error', errorCode: 'shutting_down' });
  expect(await settledAs(json.response)).toMatchObject({ status: '503', errorCode: 'shutting_down' });
  expect((await settledAs(stream.response))?.usage).toMatchObject({ isEstimated: true });
  await stage.provider.until(() => stage.pool[0]?.at.inFlight === 0);
});

test('SIGTERM right after "listening on" is printed ends the service in order', async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    await using folder = await tempDir('signal');
    await using service = serve({ folder: folder.path });
    await service.listening();
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ exitCode: 0, stderr: [] });
  }
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s that npm repeats lets open streams finish', async (signal) => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '60' } });
  const gate = gatedResponse();
  stage.pool[0]?.at.always(gate.script);
  const { response, begun } = begin(stage);
  await begun;
  stage.service.signal(signal);
  stage.service.signal(signal);
  await stage.service.printed(new RegExp(`${signal}: finishing open requests`));
  stage.service.signal(signal);
  gate.open();
  expect(await response).toMatchObject({ ending: 'completed' });
  expect(await stage.service.ended).toMatchObject({ exitCode: 0, stderr: [] });
});

test('a second SIGTERM ends open streams, flushes the log and exits with 0', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '60' } });
  stage.pool[0]?.at.always(streamSilent({ events: 5 }));
  const { response, begun } = begin(stage);
  await begun;
  await terminate(stage);
  const since = performance.now();
  const repeating = setInterval(() => stage.service.signal('SIGTERM'), 100);
  onTestFinished(() => clearInterval(repeating));
  await stage.service.printed(/SIGTERM: ending open requests now/);
  clearInterval(repeating);
  const { exitCode, stderr } = await stage.service.ended;

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  expect(performance.now() - since).toBeLessThan(10_000);
  const { requestId = '', ending } = await response;
  expect(ending).toBe('failed');
  expect(logOf(stage).get(requestId)).toMatchObject({ errorCode: 'shutting_down' });
});

test('a third SIGTERM ends the service before it has stopped in order', async () => {
  const stage = await openStage({ env: { SVC_DRAIN_SECONDS: '60' } });
  const connection = await openConnection(stage);
  // After the second signal the rest of the body still has a second to arrive.
  connection.write(httpRequest(requestBody()).slice(0, -20));
  await sendRequest({ url: stage.url, path: V1, body: {} });
  await terminate(stage);
  const repeating = setInterval(() => stage.service.signal('SIGTERM'), 10);
  onTestFinished(() => clearInterval(repeating));
  const { exitCode, stdout } = await stage.service.ended;
  clearInterval(repeating);
  expect(exitCode).toBe(130);
  expect(stdout.filter((line) => line.includes('SIGTERM'))).toHaveLength(3);
  await stage.start();
  expect(await stage.api.call('GET', '/health')).toEqual({ status: 'ok' });
});

/** A raw TCP connection to the service. */
async function openConnection({ url }: Stage) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let text = '';
  const listeners = new Set<() => void>();
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (const listener of listeners) listener();
  });
  return {
    write: (bytes: string) => socket.write(bytes),
    until: (part: string) =>
      new Promise<void>((resolve) => {
        listeners.add(() => {
          if (text.includes(part)) resolve();
        });
      }),
    /** Resolves with all text received, when the connection has closed. */
    closed: new Promise<string>((resolve) => {
      socket.on('error', () => undefined).on('close', () => resolve(text));
    }),
  };
}

function httpRequest(body: object): string {
  const payload = JSON.stringify(body);
  const head = ['host: 127.0.0.1', 'content-type: application/json', `content-length: ${Buffer.byteLength(payload)}`];
  return `POST ${SVC} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${payload}`;
}
