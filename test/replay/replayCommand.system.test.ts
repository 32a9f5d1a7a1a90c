import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ReplayResult, replayLog } from '../../src/replay/replayLog.ts';
import { type ServiceExit, serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { readRows, writeRows } from '../support/forgeries/forgedFiles.ts';
import { rechain } from '../support/forgeries/forgeries.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { serverError, textResponse, throttled } from '../support/provider/scripts.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const REQUESTS = 90;

let gateway: Gateway;
let folders: { readonly path: string } & AsyncDisposable;
/** When half of the requests had been made. */
let middle: number;

beforeAll(async () => {
  folders = await tempDir('replay');
  gateway = await startGateway({ accounts: 4 });
  const keys: string[] = [];
  for (const changes of [
    {},
    { limits: [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 900 }] },
    { allowed_models: ['gpt-5.2'] },
  ]) {
    const { body } = await gateway.api('POST', '/api/api-keys', { name: 'key', ...changes });
    keys.push(body.key);
  }
  await gateway.set({ api_key_auth_enabled: true });
  const usage = { inputTokens: 40, cachedTokens: 10, outputTokens: 30, reasoningTokens: 5 };
  for (const [index, { at }] of gateway.pool.entries()) {
    at.always(textResponse({ usage }));
    if (index % 2 === 0) at.next(throttled({ retryAfter: 1 }), serverError());
  }
  for (let index = 0; index < REQUESTS; index += 1) {
    if (index === REQUESTS / 2) middle = await pause();
    if (index === 20) await gateway.set({ routing_strategy: 'round_robin' });
    const thread = index % 3 === 0 ? { prompt_cache_key: `thread ${index % 7}` } : {};
    const headers = { authorization: `Bearer ${keys[index % 3]}` };
    await (await gateway.ask({ ...validRequest, ...thread }, { headers })).text();
  }
});

afterAll(async () => {
  await gateway.stop();
  await folders[Symbol.asyncDispose]();
});

/** Waits for another millisecond, in which no request is made. */
async function pause(): Promise<number> {
  const now = Date.now();
  await vi.waitUntil(() => Date.now() > now + 2, { interval: 1 });
  return now + 1;
}

const run = (folder: string, ...args: string[]): Promise<ServiceExit> =>
  serve({ folder, provider: gateway.provider, command: [process.execPath, 'src/app/cli.ts', 'replay', ...args] }).ended;

async function json(folder: string, ...args: string[]) {
  const { exitCode, stdout, stderr } = await run(folder, '--json', ...args);
  expect(stdout, stderr.join('\n')).toHaveLength(1);
  return { exitCode, report: JSON.parse(stdout[0] as string) };
}

let copies = 0;
function copy(): string {
  const path = join(folders.path, `copy-${++copies}`);
  cpSync(gateway.folder, path, { recursive: true });
  return path;
}

const stateOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    );

test('repeats every decision beside the service, and counts what the request log has', async () => {
  const { exitCode, report } = await json(gateway.folder);
  const { total } = (await gateway.api('GET', '/api/request-logs')).body;
  const refusals = gateway.events('RequestRefused').length;
  expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, requests: total, refusals, differences: [] });
  expect(total).toBe(REQUESTS);
  expect(refusals).toBeGreaterThan(20);
  expect(report.choices).toBeGreaterThan(REQUESTS - refusals);
  expect(report.repeated).toBeGreaterThan(report.choices + report.admissions);
});

test('repeats the requests of a period, both ends inclusive', async () => {
  const at = new Date(middle).toISOString();
  const [before, after] = [await json(gateway.folder, '--until', at), await json(gateway.folder, '--since', at)];
  expect([before.report.requests, after.report.requests]).toEqual([REQUESTS / 2, REQUESTS / 2]);
  const [first] = gateway.events('RequestCompleted');
  const ofFirst = new Date(first?.data.requestedAt ?? 0).toISOString();
  expect((await json(gateway.folder, '--since', ofFirst, '--until', ofFirst)).report.requests).toBeGreaterThan(0);
});

test('repeats decisions that were recorded much later by a second pass, with the same result', async () => {
  const location = join(gateway.folder, 'log.sqlite');
  const all = await replayLog({ location });
  for (const lag of [0, 1, 3]) expect(await replayLog({ location, lag })).toEqual<ReplayResult>(all);
});

test('names a request that the log gives to another account, with a chain that is right', async () => {
  const folder = copy();
  const rows = readRows(folder);
  const [first, second] = gateway.pool.map(({ id }) => id) as [string, string];
  const given = rows.findLast(
    ({ type, data }) => type === 'RequestCompleted' && data.includes(`"accountId":"${first}"`),
  );
  if (!given) throw new Error('no such request');
  given.data = given.data.replaceAll(`"accountId":"${first}"`, `"accountId":"${second}"`);
  rechain(rows, given.stream);
  writeRows(folder, rows);
  const { exitCode, report } = await json(folder);
  const { requestId } = JSON.parse(given.data);
  expect(exitCode).toBe(1);
  const [difference] = report.differences;
  expect(difference).toMatchObject({
    request_id: requestId,
    position: given.position,
    recorded: second,
    replayed: first,
  });
  expect(difference.decision).toMatch(/^attempt [12]$/);
  expect(difference.decided_at).toBeLessThan(given.position);
  const { stdout } = await run(folder);
  expect(stdout.join('\n')).toContain(`request ${requestId} at position ${given.position}`);
});

test('changes no byte of a folder that nothing uses', async () => {
  const folder = copy();
  const before = stateOf(folder);
  expect((await run(folder)).exitCode).toBe(0);
  expect(stateOf(folder)).toEqual(before);
});

test.each([
  [['--since', 'yesterday'], 'Usage: svc'],
  [['--since', '2026-01-02', '--until', '2026-01-01'], 'Usage: svc'],
  [['--strategy'], 'Usage: svc'],
])('refuses %j with exit code 2', async (args, expected) => {
  const { exitCode, stderr } = await run(gateway.folder, ...args);
  expect({ exitCode, text: stderr.join('\n') }).toEqual({ exitCode: 2, text: expect.stringContaining(expected) });
});

test('says which folder has no log, with exit code 2', async () => {
  const { exitCode, stderr } = await run(join(folders.path, 'empty'), '--json');
  expect({ exitCode, text: stderr.join('\n') }).toEqual({ exitCode: 2, text: expect.stringContaining('SVC_DATA_DIR') });
});
