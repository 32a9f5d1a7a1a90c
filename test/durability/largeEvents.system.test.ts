import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openCluster } from '../nodes/cluster.ts';
import { type OldEvent, oldRequest, writeOldEvents } from '../support/oldEvents.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { takeSnapshot } from '../support/takeSnapshot.ts';
import { type ServiceExit, serve } from './support/serve.ts';
import { openStage } from './support/stage.ts';

// Earlier versions bounded no event, so logs and outboxes have events of megabytes. They stay readable
// (docs/decisions/0060-size-of-an-event.md).

vi.setConfig({ testTimeout: 120_000 });
const SOON = { timeout: 30_000, interval: 50 };
const USED = 1_000;
const INTACT = expect.stringMatching(/^\d+ events in .*: intact$/);

/** Events in front of and behind large ones, so that it shows what a reader leaves out. */
const oldEvents = (keyId: string | null, sizes: readonly number[]): OldEvent[] => [
  oldRequest('req_old_first', 'low', keyId),
  ...sizes.map((size) => oldRequest(`req_old_${size}`, 'x'.repeat(size), keyId)),
  oldRequest('req_old_last', 'low', keyId),
];
const idsOf = (events: readonly OldEvent[]): string[] =>
  events.map(({ data }) => (data as { requestId: string }).requestId);

test('every reader reads events of megabytes that an earlier version wrote', async () => {
  const stage = await openStage();
  const { provider, folder } = stage;
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000 }];
  const { id: keyId } = await stage.api.call('POST', '/api/api-keys', { name: 'old', limits });
  await stage.stop();
  const [log, file, home] = ['log.sqlite', 'export.ndjson', 'home'].map((name) => join(folder, name)) as Paths;
  const requests = oldEvents(keyId, [70_000, 1_048_577, 2_097_152]);
  writeOldEvents(log, 'requests-old.b1_20260101', requests);
  const slug = `long-${'x'.repeat(300_000)}`;
  writeOldEvents(log, 'modelCatalogue-main', [
    { type: 'ModelDescribed', version: 1, data: { slug, version: 'v1', entry: JSON.stringify({ slug }) } },
    { type: 'ModelsListed', version: 1, data: { planType: 'old', from: [], to: [{ slug, version: 'v1' }] } },
  ]);

  const run = (args: readonly string[], env = {}): Promise<ServiceExit> =>
    serve({ folder, provider, env, command: [process.execPath, 'src/start.mjs', ...args] }).ended;
  const readAll = async () => {
    await stage.start();
    const { call } = stage.api;
    const { rows } = await stage.api.requestLog();
    const [key] = await stage.api.keys();
    const { events } = await call('GET', '/api/history?type=RequestCompleted&limit=100');
    const [listed] = (await call('GET', '/api/history?type=ModelsListed&search=long-xxx')).events;
    const largest = Math.max(...events.map(({ position }: { position: number }) => position)) - 1;
    const details = await call('GET', `/api/history/${largest}`);
    return {
      ids: rows.map(({ request_id }) => request_id).toSorted(),
      used: key?.limits[0]?.current_value,
      events: events.length,
      listed: listed.type,
      effort: details.data.effort.length,
    };
  };
  const expected = {
    ids: idsOf(requests).toSorted(),
    used: requests.length * USED,
    events: requests.length,
    listed: 'ModelsListed',
    effort: 2_097_152,
  };
  expect(await readAll()).toEqual(expected);
  expect(await run(['verify'])).toMatchObject({ exitCode: 0, stdout: [INTACT] });
  expect(await run(['rebuild', '--compare'])).toMatchObject({ exitCode: 0, stderr: [] });
  expect((await stage.stop()).stderr).toEqual([]);
  takeSnapshot(folder);
  expect(await readAll()).toEqual(expected);
  await stage.stop();

  const vault = { SVC_ENCRYPTION_KEY: readFileSync(join(folder, 'master.key'), 'utf8').trim() };
  expect(await run(['export', file])).toMatchObject({ exitCode: 0, stderr: [] });
  expect(await run(['verify', file])).toMatchObject({ exitCode: 0, stdout: [INTACT] });
  expect(await run(['import', file], { ...vault, SVC_DATA_DIR: home })).toMatchObject({ exitCode: 0, stderr: [] });
  expect(await run(['verify'], { ...vault, SVC_DATA_DIR: home })).toMatchObject({ exitCode: 0, stdout: [INTACT] });
});

test('drains old events larger than 64 KiB to EventStoreDB, and parks what it cannot take', async () => {
  const cluster = await openCluster();
  const first = await cluster.node('a');
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await first.api.importAccount(account);
  await first.stop();
  const folder = await cluster.folderOf('a');
  const [fitting, poison] = [oldEvents(null, [70_000, 900_000]), oldRequest('req_poison', 'x'.repeat(1_048_577))];
  writeOldEvents(join(folder, 'outbox.sqlite'), 'requests-a.b0_20260101', [...fitting, poison]);
  writeOldEvents(join(folder, 'outbox.sqlite'), 'requests-a.b0_20260102', [oldRequest('req_behind', 'low')]);

  const [second, other] = [await cluster.node('a'), await cluster.node('b')];
  const isDrained = async () => (await second.api.call('GET', '/api/status')).outbox.pending === 0;
  await vi.waitUntil(isDrained, SOON);
  const { outbox, problems } = await second.api.call('GET', '/api/status');
  expect(outbox.parked).toBe(1);
  expect(problems.map(({ code }: { code: string }) => code)).toEqual(['event_parked']);
  const expected = [...idsOf(fitting), 'req_behind'].toSorted();
  const idsAt = async ({ api }: typeof other) =>
    (await api.requestLog()).rows.map(({ request_id }) => request_id).toSorted();
  for (const node of [second, other]) {
    await vi.waitUntil(async () => (await idsAt(node)).length >= expected.length, SOON);
    expect((await idsAt(node)).filter((id) => id !== 'req_poison')).toEqual(expected);
  }
  expect(await second.ask()).toBe(200);
  await vi.waitUntil(isDrained, SOON);
  await Promise.all([second.stop(), other.stop()]);
  const { exitCode, stderr } = await cluster.command('b', 'export', join(await cluster.folderOf('b'), 'export.ndjson'));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
});

type Paths = [log: string, file: string, home: string];
