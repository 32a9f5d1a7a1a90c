import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { imports } from './requests/imports.ts';
import { managementBodies } from './requests/managementBodies.ts';
import { managementPaths } from './requests/managementPaths.ts';
import type { BadRequest } from './support/badRequest.ts';
import { problemsOf } from './support/badRequest.ts';
import { answerTo, complaintsOf, type Examined, totalsOf } from './support/examine.ts';

const complained = vi.spyOn(console, 'error');
const all: Examined[] = [];
let gateway: Gateway;
let keyId: string;
let log: DatabaseSync;
let before: unknown;

const everything = async () => {
  const paths = ['/api/accounts', '/api/api-keys', '/api/settings', '/api/firewall/ips', '/api/request-logs'];
  return Promise.all(paths.map(async (path) => (await gateway.api('GET', path)).body));
};
const lastPosition = () => log.prepare('SELECT max(position) AS last FROM events').get()?.last as number;

beforeAll(async () => {
  gateway = await startGateway();
  keyId = (await gateway.api('POST', '/api/api-keys', { name: 'there already' })).body.id;
  await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
  log = new DatabaseSync(join(gateway.folder, 'log.sqlite'), { readOnly: true });
  before = await everything();
});
afterAll(async () => {
  log.close();
  await gateway.stop();
});

const families: readonly [string, () => BadRequest[], number][] = [
  ['bodies that are wrong', () => managementBodies(keyId), 250],
  ['ids, queries, methods and paths that lead nowhere, and clients from elsewhere', () => managementPaths(keyId), 200],
  ['uploads that are no auth file', () => imports(gateway.pool[0]?.at.authFile() ?? {}), 80],
];

test.each(families)('management refuses %s, and nothing changes', { timeout: 60_000 }, async (_name, make, least) => {
  const requests = make();
  expect(requests.length).toBeGreaterThanOrEqual(least);
  const problems: string[] = [];
  for (const request of requests) {
    const position = lastPosition();
    const { answer, problem } = await answerTo(gateway.url, request);
    all.push({ request, answer });
    const found = [
      ...(problem ? [problem] : []),
      ...(answer && request.expected ? problemsOf(answer, request.expected) : []),
    ];
    if (lastPosition() !== position) found.push('there is a new event in the log');
    problems.push(...found.map((text) => `${request.name}: ${text}`));
  }
  expect(problems).toEqual([]);
});

test('everything is as it was, and nothing was said of it', async () => {
  expect(await everything()).toEqual(before);
  expect(complaintsOf(gateway)).toEqual([]);
  expect(complained.mock.calls).toEqual([]);
  process.stdout.write(`management refused: ${totalsOf(all)}\n`);
});
