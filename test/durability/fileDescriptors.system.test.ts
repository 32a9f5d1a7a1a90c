import { once } from 'node:events';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { gatedResponse } from './support/gatedResponse.ts';
import { reasonsOf } from './support/reasonsOf.ts';
import { type ClientResponse, sendRequest } from './support/sendRequest.ts';
import { openStage, requestBody, type Stage } from './support/stage.ts';
import { VerifiedLog } from './support/verifiedLog.ts';

vi.setConfig({ testTimeout: 60_000 });

// A process with few file descriptors refuses model requests before the log, calls to the provider and management run out
// of them (docs/operation.md#file-descriptors).

const V1 = '/v1/responses';
const CODE = 'out_of_file_descriptors';
const LIMIT = 160;
const TAKER = fileURLToPath(new URL('./support/takeDescriptors.mjs', import.meta.url));

/** The command of a service that may have `LIMIT` file descriptors. */
const limited = (flags = '') => [
  '/bin/sh',
  '-c',
  `ulimit -n ${LIMIT} && exec "$0" ${flags} src/start.mjs serve`,
  process.execPath,
];

const problemsOf = async ({ api }: Stage): Promise<{ code: string }[]> =>
  (await api.call('GET', '/api/status')).problems;

async function availabilityOf({ api }: Stage): Promise<string[]> {
  const { accounts } = await api.call('GET', '/api/accounts');
  return accounts.map(({ availability }: { availability: { state: string } }) => availability.state);
}

/** Sends requests at the same time. `begun` gets each stream that has begun, `ended` each response that has ended. */
function sendMany(stage: Stage, count: number, agent?: Agent) {
  const ended: ClientResponse[] = [];
  const begun = new Set<ClientResponse>();
  const all = Array.from({ length: count }, async () => {
    const response = await sendRequest({
      url: stage.url,
      path: V1,
      body: requestBody(),
      agent,
      onText: (received) => void (received.status === 200 && begun.add(received)),
    });
    ended.push(response);
    return response;
  });
  return { all: Promise.all(all), ended, begun };
}

/** Stops the service in order, and checks its output and its log. @returns the outcomes of the requests that it did not refuse */
async function stopAndCheck(stage: Stage): Promise<{ statuses: string[]; lines: readonly string[] }> {
  const { exitCode, stdout, stderr } = await stage.stop();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  const log = new VerifiedLog(stage.folder);
  log.readNew();
  expect(log.problems).toEqual([]);
  // The log has only those that were admitted before the last descriptor was gone.
  const outcomes = [...log.completed.values()].map(({ status, errorCode }) => errorCode ?? status);
  const statuses = outcomes.filter((outcome) => outcome !== CODE);
  return { statuses, lines: stdout.filter((line) => line.includes('file descriptors')) };
}

test('serves as many streams as there are descriptors for, and refuses the others with 503', async () => {
  const stage = await openStage({ accounts: 2, command: limited() });
  const gate = gatedResponse();
  for (const { at } of stage.pool) at.always(gate.script);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());

  const { all, ended, begun } = sendMany(stage, 200, agent);
  await vi.waitUntil(() => ended.length + begun.size >= 200, { timeout: 30_000, interval: 10 });

  // Half of what an idle svc leaves of the limit, without the reserve.
  expect(begun.size).toBeGreaterThan(20);
  // Refused connections take some of the reserve until their clients have read why.
  const openFiles = () => readdirSync(`/proc/${stage.service.pid}/fd`).length;
  await vi.waitUntil(() => openFiles() < LIMIT - 10, { timeout: 10_000, interval: 20 });
  expect(ended.map(({ status, code, retryAfter }) => ({ status, code, retryAfter }))).toEqual(
    ended.map(() => ({ status: 503, code: CODE, retryAfter: '2' })),
  );
  expect((await fetch(`${stage.url}/health`)).status).toBe(200);
  expect(await problemsOf(stage)).toMatchObject([
    { code: CODE, cause: expect.stringContaining('file descriptors'), remedy: expect.stringContaining('ulimit -n') },
  ]);
  expect(await availabilityOf(stage)).toEqual(['available', 'available']);

  gate.open();
  const streams = (await all).filter(({ status }) => status === 200);
  expect(streams.map(({ ending }) => ending)).toEqual(streams.map(() => 'completed'));
  await vi.waitUntil(async () => (await problemsOf(stage)).length === 0, { timeout: 20_000, interval: 100 });
  expect(await reasonsOf(stage.url)).toEqual([]);
  const again = await sendMany(stage, 20).all;
  expect(again.map(({ status }) => status)).toEqual(again.map(() => 200));

  const { statuses, lines } = await stopAndCheck(stage);
  expect(statuses).toEqual([...streams, ...again].map(() => '200'));
  expect(lines).toEqual([expect.stringContaining('LimitNOFILE'), expect.stringMatching(/^Over after/)]);
});

test('closes idle connections of clients for new ones', async () => {
  const stage = await openStage({ command: limited() });
  stage.pool[0]?.at.always(textResponse({ deltas: 1 }));
  const port = Number(new URL(stage.url).port);
  let closed = 0;
  for (let index = 0; index < 2 * LIMIT; index += 1) {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .resume();
    socket.on('close', () => {
      closed += 1;
    });
    onTestFinished(() => void socket.destroy());
  }
  await vi.waitUntil(() => closed >= LIMIT, { timeout: 10_000, interval: 10 });
  // The others have said nothing for a second by the time that they are in the way.
  const isServed = async () => (await sendMany(stage, 1).all)[0]?.status === 200;
  await vi.waitUntil(isServed, { timeout: 10_000, interval: 100 });
  expect(await availabilityOf(stage)).toEqual(['available']);
  await stopAndCheck(stage);
});

test('ends streams, answers operators and blames no account when something else takes every descriptor', async () => {
  const temp = await tempDir('descriptors');
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const control = join(temp.path, 'take');
  const stage = await openStage({
    accounts: 2,
    command: limited(`--import ${TAKER}`),
    env: { TAKE_DESCRIPTORS: control },
  });
  const gate = gatedResponse();
  for (const { at } of stage.pool) at.always(gate.script);
  const streams = sendMany(stage, 4);
  await vi.waitUntil(() => streams.begun.size === 4, { timeout: 10_000, interval: 10 });
  const [client, operator] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  onTestFinished(() => {
    for (const agent of [client, operator]) agent.destroy();
  });
  await Promise.all([client, client, client, operator].map((agent) => getJson(agent, `${stage.url}/health`)));

  writeFileSync(control, '');
  const openDescriptors = () => readdirSync(`/proc/${stage.service.pid}/fd`).length;
  await vi.waitUntil(() => openDescriptors() >= LIMIT, { timeout: 10_000, interval: 10 });
  const refused = await sendMany(stage, 3, client).all;
  expect(refused.map(({ status, code, connectionError }) => ({ status, code, connectionError }))).toEqual(
    refused.map(() => ({ status: 503, code: CODE })),
  );
  const { problems } = await getJson(operator, `${stage.url}/api/status`);
  expect(problems.map(({ code, cause }: { code: string; cause: string }) => [code, cause])).toEqual([
    [CODE, expect.anything()],
  ]);
  const { reasons } = await getJson(operator, `${stage.url}/ready`);
  expect(reasons).toContainEqual(expect.objectContaining({ code: CODE }));
  gate.open();
  const ended = await streams.all;
  expect(ended.map(({ ending }) => ending)).toEqual(ended.map(() => 'completed'));

  rmSync(control);
  const isServed = async () => (await sendMany(stage, 1).all)[0]?.status === 200;
  await vi.waitUntil(isServed, { timeout: 10_000, interval: 50 });
  await vi.waitUntil(async () => (await problemsOf(stage)).length === 0, { timeout: 20_000, interval: 100 });
  expect(await availabilityOf(stage)).toEqual(['available', 'available']);
  const { statuses, lines } = await stopAndCheck(stage);
  expect(statuses).toEqual([...ended, 'the last'].map(() => '200'));
  expect(lines).toHaveLength(2);
});

/** GETs a document on a connection of the agent. */
async function getJson(agent: Agent, url: string) {
  const [response] = await once(get(url, { agent }), 'response');
  return JSON.parse(await text(response));
}
