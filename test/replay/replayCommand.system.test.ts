import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AccountId } from '../../src/domain/core/brands.ts';
import { type ReplayResult, replayLog } from '../../src/replay/replayLog.ts';
import { simulateLog } from '../../src/replay/whatIf/simulateLog.ts';
import type { WhatIf } from '../../src/replay/whatIf/whatIf.ts';
import { type ServiceExit, serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { readRows, writeRows } from '../histories/forged/forgedFiles.ts';
import { rechain } from '../histories/forged/forgeries.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { serverError, textResponse, throttled } from '../support/provider/scripts.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const REQUESTS = 90;
const DAILY = { limit_type: 'total_tokens', limit_window: 'daily', max_value: 1 };
const UNKNOWN = '00000000-0000-4000-8000-00000000abcd';

let gateway: Gateway;
let firstKey: string;
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
  [firstKey = ''] = keys;
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
  serve({ folder, provider: gateway.provider, command: [process.execPath, 'src/start.mjs', 'replay', ...args] }).ended;

async function json(folder: string, ...args: string[]) {
  const { exitCode, stdout, stderr } = await run(folder, '--json', ...args);
  expect(stdout, stderr.join('\n')).toHaveLength(1);
  return { exitCode, report: JSON.parse(stdout[0] as string) };
}

/** The account that has served the most requests. */
function busiest(): string {
  const served = Map.groupBy(gateway.events('RequestCompleted'), ({ data }) => data.accountId ?? '');
  const [id = ''] = [...served].toSorted(([, a], [, b]) => b.length - a.length).map(([id]) => id);
  return id;
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

test('simulates with decisions that were recorded much later by a second pass, with the same result', async () => {
  const location = join(gateway.folder, 'log.sqlite');
  const whatIf: WhatIf = { withoutAccounts: [busiest() as AccountId], settings: { routingStrategy: 'usage_weighted' } };
  const all = await simulateLog({ location, whatIf });
  expect(all.whatIf.requests.different).toBeGreaterThan(10);
  for (const lag of [0, 1, 3]) expect(await simulateLog({ location, whatIf, lag })).toEqual(all);
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

test('reads a log whose start is refused: an event is missing in it, and the last ones are gone', async () => {
  const folder = copy();
  const rows = readRows(folder);
  const gone = rows.findIndex(({ type, position }) => type === 'AccountUsageObserved' && position > 5);
  writeRows(
    folder,
    rows.filter((_, index) => index !== gone && index < rows.length - 3),
  );
  const refused = await serve({
    folder,
    provider: gateway.provider,
    command: [process.execPath, 'src/start.mjs', 'serve'],
  }).ended;
  expect(refused.exitCode).toBe(1);
  const before = stateOf(folder);
  for (const args of [[], ['--since', new Date(middle).toISOString()], ['--strategy', 'round_robin']]) {
    const { exitCode, report } = await json(folder, ...args);
    expect([0, 1], args.join(' ')).toContain(exitCode);
    expect(report.requests).toBeGreaterThan(REQUESTS / 2 - 5);
  }
  expect(stateOf(folder)).toEqual(before);
  // The second pass folds the log by the reader that a start uses.
  const location = join(folder, 'log.sqlite');
  expect((await replayLog({ location, lag: 0 })).requests).toBeGreaterThan(REQUESTS - 5);
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

/** Writes a file for an option. */
function file(content: unknown): string {
  const path = join(folders.path, `input-${++copies}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** A recorded figure beside its simulated one, anywhere in a report. */
const pairsIn = (report: unknown): [string, string][] =>
  [...JSON.stringify(report).matchAll(/\{"recorded":([^{},]+),"simulated":([^{},]+)\}/g)].map(
    ([, recorded = '', simulated = '']) => [recorded, simulated],
  );

test('comes to what was recorded when the what-if changes nothing', async () => {
  const limits = { limit_type: 'total_tokens', limit_window: 'daily', max_value: 900 };
  const [, limited] = (await gateway.api('GET', '/api/api-keys')).body as { id: string; name: string }[];
  for (const args of [
    ['--settings', file({})],
    ['--limits', file({ keys: { [limited?.id ?? '']: [limits] } })],
    [
      '--settings',
      file({ sticky_threads_enabled: true, totp_required_on_login: false }),
      '--limits',
      file({ keys: {} }),
    ],
  ]) {
    const { exitCode, report } = await json(gateway.folder, ...args);
    const { what_if } = report;
    expect({ exitCode, ...what_if.requests }).toEqual({
      exitCode: 0,
      compared: REQUESTS,
      same: REQUESTS,
      different: 0,
      not_simulated: 0,
    });
    for (const [recorded, simulated] of pairsIn(what_if)) expect(simulated).toBe(recorded);
    expect(pairsIn(what_if).length).toBeGreaterThan(40);
    expect(what_if.outcomes.refused.recorded).toBe(report.refusals);
  }
});

test('shows what would have happened beside what did, and what it cannot know', async () => {
  const gone = busiest();
  const args = [
    '--without-account',
    gone,
    '--plus-account',
    'pro',
    '--limits',
    file({ keys: { '*': [] } }),
    '--strategy',
    'round_robin',
  ];
  const { exitCode, report } = await json(gateway.folder, ...args);
  const { what_if } = report;
  expect(exitCode).toBe(0);
  const account = (id: string) => what_if.accounts.find(({ account_id }: { account_id: string }) => account_id === id);
  expect(account(gone)).toMatchObject({ change: 'removed', requests: { simulated: 0 } });
  expect(account(gone).requests.recorded).toBeGreaterThan(5);
  expect(account('plus-1')).toMatchObject({ change: 'added', plan_type: 'pro', requests: { recorded: 0 } });
  expect(account('plus-1').requests.simulated).toBeGreaterThan(5);
  const limit = what_if.refusals.find(({ rule }: { rule: string | null }) => rule !== null);
  expect(limit).toMatchObject({ reason: 'limit_reached', rule: '900 total_tokens daily', requests: { simulated: 0 } });
  expect(what_if.outcomes.served.simulated).toBeGreaterThan(what_if.outcomes.served.recorded);
  const codes = what_if.not_known.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(expect.arrayContaining(['answers', 'estimated_usage', 'clients']));
  const named = what_if.different_requests.map(({ request_id }: { request_id: string }) => request_id);
  const known = gateway.events('RequestCompleted').map(({ data }) => data.requestId);
  expect([...known, ...gateway.events('RequestRefused').map(({ data }) => data.requestId)]).toEqual(
    expect.arrayContaining(named),
  );
  const again = await json(gateway.folder, ...args);
  expect(again.report).toEqual(report);
  const { stdout } = await run(gateway.folder, ...args);
  const text = stdout.join('\n');
  expect(text).toContain(`${gone} (removed)`);
  expect(text).toContain('What the simulation cannot know:');
});

test('prices the same tokens by other prices', async () => {
  const models = [{ model: validRequest.model, input: 0, output: 1_000 }];
  const { report } = await json(gateway.folder, '--prices', file({ since: '2026-01-01', models }));
  const { cost_usd, requests, changes } = report.what_if;
  expect(requests.different).toBe(0);
  expect(changes.prices).toMatch(/^2026-01-01\./);
  expect(cost_usd.simulated).toBeGreaterThan(10 * cost_usd.recorded);
});

test('writes one figure a line of CSV, in which cells do no harm', async () => {
  const hostile = '=HYPERLINK("http://x")';
  await (
    await gateway.ask({ ...validRequest, model: hostile }, { headers: { authorization: `Bearer ${firstKey}` } })
  ).text();
  const { exitCode, stdout } = await run(gateway.folder, '--csv', '--strategy', 'round_robin');
  expect(exitCode).toBe(0);
  expect(stdout[0]).toBe('part,name,detail,measure,recorded,simulated');
  expect(stdout.filter((line) => line.startsWith('cost,') && line.includes('HYPERLINK'))).toHaveLength(3);
  const cells = stdout.flatMap((line) => line.match(/"(?:[^"]|"")*"|[^,]+/g) ?? []);
  for (const each of cells) expect(each.replace(/^"/, '')).not.toMatch(/^[=+@-]/);
  expect(stdout).toContain(stdout.find((line) => /^account,.*,requests,\d+,\d+$/.test(line)));
});

test('escapes what clients have sent on the terminal', async () => {
  const model = '\u001b[2J\u202ehidden';
  await (await gateway.ask({ ...validRequest, model }, { headers: { authorization: `Bearer ${firstKey}` } })).text();
  const { stdout } = await run(gateway.folder, '--strategy', 'round_robin');
  const text = stdout.join('\n');
  expect(text).toContain('\\u001b[2J\\u202ehidden');
  for (const character of ['\u001b', '\u202e']) expect(text).not.toContain(character);
});

test.each<[string, () => string[], string]>([
  ['a strategy that svc does not have', () => ['--strategy', 'fastest'], '--strategy fastest must be one of'],
  ['an unknown field', () => ['--settings', file({ sticky: true })], 'sticky is not a known field'],
  [
    'an unknown field of a limit',
    () => ['--limits', file({ keys: { '*': [{ limit: 1 }] } })],
    'keys.*.0.limit is not a known field',
  ],
  ['a limit twice', () => ['--limits', file({ keys: { '*': [DAILY, DAILY] } })], 'repeats a rule'],
  [
    'an unknown field of a price',
    () => ['--prices', file({ since: '2026-01-01', models: [], extra: 1 })],
    'has unknown fields: extra',
  ],
  ['a file that is not JSON', () => ['--settings', file('{')], 'is not JSON'],
  ['a file that does not exist', () => ['--prices', '/nowhere.json'], '--prices /nowhere.json cannot be read (ENOENT)'],
  ['an account that the log does not know', () => ['--without-account', 'acc_x'], 'No account acc_x is in the log'],
  [
    'a key that the log does not know',
    () => ['--limits', file({ keys: { [UNKNOWN]: [] } })],
    `No API key ${UNKNOWN} is in the log`,
  ],
  ['a plan without a name', () => ['--plus-account', file({ primary: {} })], 'plan_type is missing'],
])('refuses %s by name, with exit code 2', async (_what, args, expected) => {
  const { exitCode, stdout, stderr } = await run(gateway.folder, '--json', ...args());
  expect({ exitCode, stdout, text: stderr.join('\n') }).toEqual({
    exitCode: 2,
    stdout: [],
    text: expect.stringContaining(expected),
  });
});
