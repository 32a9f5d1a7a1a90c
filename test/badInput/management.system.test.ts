import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { imports } from './requests/imports.ts';
import { managementBodies } from './requests/managementBodies.ts';
import { managementPaths } from './requests/managementPaths.ts';
import type { BadRequest } from './support/badRequest.ts';
import { problemsOf } from './support/badRequest.ts';
import { reportsOf, type SentRequest, send, summaryOf } from './support/sendBadRequests.ts';

const consoleError = vi.spyOn(console, 'error');
const all: SentRequest[] = [];
let gateway: Gateway;
let keyId: string;
let log: DatabaseSync;
let before: unknown;

const readState = async () => {
  const paths = ['/api/accounts', '/api/api-keys', '/api/settings', '/api/firewall/ips', '/api/request-logs'];
  return Promise.all(paths.map(async (path) => (await gateway.api('GET', path)).body));
};
const lastPosition = () => log.prepare('SELECT max(position) AS last FROM events').get()?.last as number;

beforeAll(async () => {
  gateway = await startGateway();
  keyId = (await gateway.api('POST', '/api/api-keys', { name: 'existing' })).body.id;
  await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
  log = new DatabaseSync(join(gateway.folder, 'log.sqlite'), { readOnly: true });
  before = await readState();
});
afterAll(async () => {
  log.close();
  await gateway.stop();
});

const families: readonly [string, () => BadRequest[], number][] = [
  ['invalid bodies', () => managementBodies(keyId), 250],
  ['invalid ids, queries, methods and paths, and untrusted clients', () => managementPaths(keyId), 200],
  ['uploads that are not an auth file', () => imports(gateway.pool[0]?.at.authFile() ?? {}), 80],
];

test.each(families)('rejects %s without changing anything', { timeout: 60_000 }, async (_name, make, minCount) => {
  const requests = make();
  expect(requests.length).toBeGreaterThanOrEqual(minCount);
  const problems: string[] = [];
  for (const request of requests) {
    const position = lastPosition();
    const { response, problem } = await send(gateway.url, request);
    all.push({ request, response });
    const requestProblems = [
      ...(problem ? [problem] : []),
      ...(response && request.expected ? problemsOf(response, request.expected) : []),
    ];
    if (lastPosition() !== position) requestProblems.push('appended an event to the log');
    problems.push(...requestProblems.map((text) => `${request.name}: ${text}`));
  }
  expect(problems).toEqual([]);
});

test('leaves the state unchanged and reports nothing', async () => {
  expect(await readState()).toEqual(before);
  expect(reportsOf(gateway)).toEqual([]);
  expect(consoleError.mock.calls).toEqual([]);
  process.stdout.write(`management API rejected ${summaryOf(all)}\n`);
});
