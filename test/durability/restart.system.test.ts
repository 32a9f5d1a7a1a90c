import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { usageWindow } from '../support/provider/scripts.ts';
import { snapshotsOf, takeSnapshot } from '../support/takeSnapshot.ts';
import { checkCounters, checkWholeRequestLog } from './support/checks.ts';
import { keysWithRules } from './support/keys.ts';
import { sendRequest } from './support/sendRequest.ts';
import { type RunningService, serve } from './support/serve.ts';
import { openStage, openStageInProcess, requestBody, type StageOf, type StageOptions } from './support/stage.ts';
import { VerifiedLog } from './support/verifiedLog.ts';

// Every test starts the service at least once.
vi.setConfig({ testTimeout: 60_000 });

type Stage = StageOf<RunningService>;

const V1 = '/v1/responses';

/** The current state as management reports it, and two states of the past. */
async function managementState({ api }: Stage) {
  const paths = [
    'accounts',
    'api-keys',
    'settings',
    'firewall/ips',
    'request-logs?limit=1000',
    'accounts?at=9',
    'api-keys?at=12',
  ];
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await api.call('GET', `/api/${path}`)] as const)),
  );
}

async function restart(stage: Stage, meanwhile: () => void = () => {}): Promise<void> {
  expect(await stage.stop()).toMatchObject({ exitCode: 0, stderr: [] });
  meanwhile();
  await stage.start();
}

/** Sends streamed, JSON and refused requests, with a key or without. */
async function sendRequests(stage: Stage, key?: string): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await sendRequest({ url: stage.url, path: V1, key, body: requestBody(`stream ${turn}`) });
    await sendRequest({
      url: stage.url,
      path: V1,
      key,
      body: requestBody(`json ${turn}`, { stream: false, model: 'gpt-5.5' }),
    });
  }
  await sendRequest({ url: stage.url, path: V1, key, body: requestBody('refused because of store', { store: true }) });
}

const starts: [string, (stage: Stage) => void, (options: StageOptions) => Promise<Stage>][] = [
  ['a restart', () => {}, openStage],
  ['a restart from a snapshot', ({ folder }) => void takeSnapshot(folder), openStageInProcess],
];

test.each(starts)(
  'after %s accounts, keys, counters, settings, firewall and request log are unchanged',
  async (_, meanwhile, open) => {
    const stage = await open({ accounts: 3 });
    const { api } = stage;
    const [, paused, deleted] = stage.pool;
    await api.call('POST', `/api/accounts/${paused?.id}/pause`);
    await api.call('DELETE', `/api/accounts/${deleted?.id}`);
    const keys = await Promise.all(keysWithRules.map((key) => api.call('POST', '/api/api-keys', key)));
    const { key: regenerated } = await api.call('POST', `/api/api-keys/${keys[0].id}/regenerate`);
    await api.call('PATCH', `/api/api-keys/${keys[1].id}`, { is_active: false });
    await api.call('DELETE', `/api/api-keys/${keys[2].id}`);
    await api.call('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    await api.call('POST', '/api/firewall/ips', { ip_address: '2001:db8::7' });
    await api.set({ routing_strategy: 'round_robin', api_key_auth_enabled: true, import_without_overwrite: true });
    await sendRequests(stage, regenerated);
    await sendRequests(stage, keys[3].key);
    await api.call('PATCH', `/api/api-keys/${keys[3].id}`, { reset_usage: true });
    await sendRequest({ url: stage.url, path: V1, key: keys[3].key, body: requestBody('after the reset') });
    const before = await managementState(stage);

    await restart(stage, () => meanwhile(stage));
    expect(await managementState(stage)).toEqual(before);
    expect(before.accounts.accounts.map(({ status }: { status: string }) => status)).toEqual(['active', 'paused']);
    expect(before['request-logs?limit=1000'].total).toBe(15);
    expect(
      before['api-keys'].some(({ limits }: { limits: { current_value: number }[] }) => limits[0]?.current_value),
    ).toBe(true);

    const statusWith = async (key: string) =>
      (await sendRequest({ url: stage.url, path: V1, key, body: requestBody('again') })).status;
    expect(await statusWith(regenerated)).toBe(200);
    expect(await statusWith(keys[3].key)).toBe(200);
    for (const { key } of keys.slice(0, 3)) expect(await statusWith(key)).toBe(401);
  },
);

test.each(starts)(
  'after %s a conversation stays with its account, also when another has more usage left',
  async (_, meanwhile) => {
    const stage = await openStageInProcess({ accounts: 2, env: { SVC_USAGE_REFRESH_SECONDS: '1' } });
    const accountOf = async (conversation: string) => {
      const body = requestBody(conversation, { prompt_cache_key: conversation });
      const { requestId } = await sendRequest({ url: stage.url, path: V1, body });
      const { rows } = await stage.api.requestLog(5);
      return rows.find(({ request_id }) => request_id === requestId)?.account_id;
    };
    const home = await accountOf('the old conversation');
    const [used, fresh] = stage.pool.toSorted(({ id }) => (id === home ? -1 : 1));
    if (used) used.at.usage = { ...used.at.usage, secondary: usageWindow({ usedPercent: 60, windowSeconds: 604_800 }) };

    await restart(stage, () => meanwhile(stage));
    const remaining = async () => {
      const { accounts } = await stage.api.call('GET', '/api/accounts');
      return accounts.find(({ account_id }: { account_id: string }) => account_id === home).usage
        .secondary_remaining_percent;
    };
    await vi.waitUntil(async () => (await remaining()) === 40, { timeout: 10_000, interval: 20 });
    expect(await accountOf('a new conversation')).toBe(fresh?.id);
    expect(await accountOf('the old conversation')).toBe(used?.id);
  },
);

test.each([
  ['deleted', (path: string) => rmSync(path)],
  ['overwritten with other bytes', (path: string) => writeFileSync(path, 'no database '.repeat(1_000))],
])('a read model file that was %s is rebuilt from the log with the same rows', async (_, damage) => {
  const stage = await openStageInProcess();
  await sendRequests(stage);
  const before = await managementState(stage);
  await restart(stage, () => {
    const path = join(stage.folder, 'readmodels.sqlite');
    expect(existsSync(path)).toBe(true);
    damage(path);
  });
  expect(await managementState(stage)).toEqual(before);
  await sendRequests(stage);
  const log = new VerifiedLog(stage.folder);
  log.readNew();
  expect(log.problems).toEqual([]);
  expect(checkWholeRequestLog(log, (await stage.api.requestLog()).rows)).toEqual([]);
  expect(await checkCounters(log, stage.api)).toEqual([]);
});

test.each([
  ['an event of an unknown type', { type: 'KeyRevokedByDecree', version: 1 }, /type "KeyRevokedByDecree"/],
  ['an event of an unknown version', { type: 'IpAllowed', version: 7 }, /"IpAllowed" in schema version 7/],
])('%s in the log stops the start with one line', async (_, event, reason) => {
  const stage = await openStageInProcess();
  await stage.stop();
  appendByHand(stage.folder, event);
  const service = serve({ folder: stage.folder });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const { exitCode, stderr } = await service.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: [expect.stringMatching(reason)] });
  expect(stderr[0]).toContain('Start a newer version.');
});

test('a snapshot has no token and no e-mail address, and a damaged one is reported and removed', async () => {
  const stage = await openStageInProcess();
  const at = stage.pool[0]?.at as SimulatedAccount;
  await sendRequests(stage);
  const { tokens } = at.authFile();
  await stage.stop();
  const path = takeSnapshot(stage.folder);
  const snapshot = readFileSync(path, 'latin1');
  expect(snapshot).toContain(stage.pool[0]?.id);
  for (const secret of [at.email, tokens.access_token, tokens.refresh_token, tokens.id_token]) {
    expect(secret.length).toBeGreaterThan(5);
    expect(snapshot.includes(secret)).toBe(false);
  }
  writeFileSync(path, snapshot.slice(0, -1), 'latin1');
  await stage.start();
  expect(existsSync(path)).toBe(false);
  expect((await stage.stop()).stdout[0]).toMatch(
    /^the snapshot hot-\d{15}\.snapshot is not authentic: .* It is removed/,
  );
});

test('a service whose snapshot contradicts the log exits with one line and restarts without it', async () => {
  const stage = await openStageInProcess();
  await sendRequests(stage);
  const before = await managementState(stage);
  await stage.stop();
  const path = takeSnapshot(stage.folder);
  const folder = snapshotsOf(stage.folder);
  const snapshot = folder.read(basename(path));
  const { state } = snapshot.fold;
  state.settings = { ...state.settings, apiKeyAuthEnabled: true };
  folder.write(snapshot);
  const service = serve({ folder: stage.folder });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const { exitCode, stderr } = await service.ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: [
      expect.stringMatching(
        /^The snapshot of the hot state .* the log gives different settings\. The snapshots are removed/,
      ),
    ],
  });
  await stage.start();
  expect(await managementState(stage)).toEqual(before);
});

function appendByHand(folder: string, { type, version }: { type: string; version: number }): void {
  const database = new DatabaseSync(join(folder, 'log.sqlite'));
  database
    .prepare('INSERT INTO events (stream, revision, id, type, version, time, data, metadata) VALUES (?,?,?,?,?,?,?,?)')
    .run('future-main', 0, randomUUID(), type, version, Date.now(), '{}', '{}');
  database.close();
}
