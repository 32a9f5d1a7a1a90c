import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openCluster } from '../nodes/cluster.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { brokenDisk, whyNoBrokenDisk } from './support/brokenDisk.ts';
import { managementApi } from './support/managementApi.ts';
import { sendRequest } from './support/sendRequest.ts';
import { openStage, requestBody, type Stage } from './support/stage.ts';
import { untilMarkReachesEnd } from './support/untilMarkReachesEnd.ts';
import { VerifiedLog } from './support/verifiedLog.ts';

// A disk that stops to confirm writes: a failing one, a network volume that is away, a file system after an I/O error.

vi.setConfig({ testTimeout: 90_000 });
const reason = whyNoBrokenDisk();
const onBrokenDisk = (title: string) => (reason === undefined ? title : `${title} (skipped: ${reason})`);
const SOON = { timeout: 15_000, interval: 50 };

// biome-ignore lint/suspicious/noExplicitAny: a test may read any field
const problemsOf = async (url: string): Promise<any[]> =>
  (await managementApi(url).call('GET', '/api/status')).problems.filter(
    ({ code }: { code: string }) => code === 'log_write_failing',
  );

const ask = (url: string) => sendRequest({ url, path: '/v1/responses', body: requestBody() });

/** Responses that arrived to their end, in order. */
async function completed(stage: Stage, count: number): Promise<string[]> {
  const received = [];
  for (let index = 0; index < count; index += 1) {
    const { ending, requestId } = await ask(stage.url);
    expect(ending).toBe('completed');
    received.push(requestId as string);
  }
  return received;
}

const lostIn = (folder: string, requestIds: readonly string[]) => {
  const log = new VerifiedLog(folder);
  log.readNew();
  expect(log.problems).toEqual([]);
  return requestIds.filter((requestId) => !log.completed.has(requestId));
};

test.skipIf(reason !== undefined).each(['hang', 'fail'] as const)(
  onBrokenDisk('while syncs %s, names it and refuses requests before they reach the provider, until it is over'),
  async (how) => {
    const disk = await brokenDisk('log.sqlite');
    const stage = await openStage({ env: disk.env });
    const [{ at } = { at: undefined }] = stage.pool;
    at?.always(textResponse());
    const before = await completed(stage, 2);
    disk.breaks(how);
    const atBreak = ask(stage.url);
    await vi.waitUntil(async () => (await problemsOf(stage.url)).length > 0, SOON);
    expect(await problemsOf(stage.url)).toEqual([
      expect.objectContaining({
        cause: expect.stringContaining('log.sqlite'),
        remedy: expect.stringMatching(/Check the disk/),
        since: expect.any(String),
      }),
    ]);
    const reached = at?.received.length;
    const refused = await Promise.all(Array.from({ length: 40 }, () => ask(stage.url)));
    for (const { status, code } of refused) expect({ status, code }).toEqual({ status: 503, code: 'log_unavailable' });
    expect(at?.received.length).toBe(reached);
    const change = await fetch(`${stage.url}/api/firewall/ips`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ip_address: '127.0.0.1' }),
    });
    expect([change.status, ((await change.json()) as { error: { code: string } }).error.code]).toEqual([
      503,
      'log_unavailable',
    ]);
    disk.breaks();
    await vi.waitUntil(async () => (await problemsOf(stage.url)).length === 0, SOON);
    await atBreak;
    const after = await completed(stage, 2);
    const { stdout, stderr } = await stage.stop();
    expect(stderr).toEqual([]);
    expect(stdout.filter((line) => line.includes('log.sqlite'))).toEqual([
      expect.stringMatching(/Check the disk/),
      expect.stringMatching(/^Over after/),
    ]);
    expect(lostIn(stage.folder, [...before, ...after])).toEqual([]);
  },
);

test.skipIf(reason !== undefined)(
  onBrokenDisk('keeps every acknowledged response through failed syncs, kill -9 and a power cut'),
  async () => {
    const disk = await brokenDisk('log.sqlite');
    const stage = await openStage({ env: disk.env });
    stage.pool[0]?.at.always(textResponse());
    const received = await completed(stage, 3);
    disk.breaks('fail');
    void ask(stage.url);
    await vi.waitUntil(async () => (await problemsOf(stage.url)).length > 0, SOON);
    // What the failed syncs left in memory is read by the next process, and lost with the power.
    await stage.service.kill();
    disk.breaks();
    await stage.start();
    received.push(...(await completed(stage, 3)));
    await stage.service.kill();
    disk.cutPower(stage.folder);
    expect(lostIn(stage.folder, received)).toEqual([]);
    await stage.start();
    received.push(...(await completed(stage, 1)));
    await stage.stop();
    expect(lostIn(stage.folder, received)).toEqual([]);
  },
);

test.skipIf(reason !== undefined)(
  onBrokenDisk('keeps every acknowledged response through failed syncs that end, and a power cut'),
  async () => {
    const disk = await brokenDisk('log.sqlite');
    const stage = await openStage({ env: disk.env });
    stage.pool[0]?.at.always(textResponse());
    const received = await completed(stage, 3);
    for (let round = 0; round < 3; round += 1) {
      disk.breaks('fail');
      const atBreak = ask(stage.url);
      await vi.waitUntil(async () => (await problemsOf(stage.url)).length > 0, SOON);
      disk.breaks();
      await vi.waitUntil(async () => (await problemsOf(stage.url)).length === 0, SOON);
      const { ending, requestId } = await atBreak;
      if (ending === 'completed') received.push(requestId as string);
      received.push(...(await completed(stage, 2)));
    }
    await stage.service.kill();
    disk.cutPower(stage.folder);
    expect(lostIn(stage.folder, received)).toEqual([]);
  },
);

test.skipIf(reason !== undefined)(
  onBrokenDisk('refuses an import whose key the disk does not take, names the vault, and takes it later'),
  async () => {
    const disk = await brokenDisk('vault.sqlite');
    const stage = await openStage({ env: disk.env });
    const account = stage.provider.addAccount();
    account.always(textResponse());
    disk.breaks('fail');
    await expect(stage.api.importAccount(account)).rejects.toThrow(/responded 503: .*log_unavailable/);
    disk.breaks();
    await stage.api.importAccount(account);
    const { stdout, stderr } = await stage.stop();
    expect(stderr).toEqual([]);
    expect(stdout.filter((line) => line.includes('vault.sqlite'))).toEqual([
      expect.stringMatching(
        /vault\.sqlite cannot be written: disk I\/O error\. Check the disk and its file system, then/,
      ),
    ]);
    await stage.start();
    expect(await stage.api.call('GET', '/api/accounts')).toMatchObject({ accounts: [{}, {}] });
  },
);

test.skipIf(reason !== undefined)(
  onBrokenDisk('names an outbox that the disk does not confirm, and refuses requests until it is over'),
  async () => {
    const disk = await brokenDisk('outbox.sqlite');
    const cluster = await openCluster();
    const account = cluster.provider.addAccount();
    account.always(textResponse());
    const node = await cluster.node('a', disk.env);
    await node.api.importAccount(account);
    await vi.waitUntil(async () => (await node.ask()) === 200, SOON);
    disk.breaks('hang');
    const atBreak = node.ask();
    await vi.waitUntil(async () => (await problemsOf(node.url)).length > 0, SOON);
    expect((await problemsOf(node.url))[0].cause).toContain('outbox.sqlite');
    const reached = account.received.length;
    expect(await node.ask()).toBe(503);
    expect(account.received.length).toBe(reached);
    disk.breaks();
    await vi.waitUntil(async () => (await problemsOf(node.url)).length === 0, SOON);
    await atBreak;
    expect(await node.ask()).toBe(200);
  },
);

// Without the mark a start would not notice lost events, but nothing is lost by that: requests go on.
test.skipIf(reason !== undefined).each(['fail', 'write'] as const)(
  onBrokenDisk('answers requests while the mark of the log cannot be written (%s), and catches up by itself'),
  async (how) => {
    const disk = await brokenDisk('log.mark');
    const stage = await openStage({ env: disk.env });
    stage.pool[0]?.at.always(textResponse());
    const received = await completed(stage, 2);
    const problems = async () => (await managementApi(stage.url).call('GET', '/api/status')).problems;
    disk.breaks(how);
    received.push(...(await completed(stage, 2)));
    await vi.waitUntil(async () => (await problems()).length > 0, SOON);
    received.push(...(await completed(stage, 2)));
    expect(await problems()).toEqual([
      expect.objectContaining({
        code: 'high_water_mark_stale',
        subject: join(stage.folder, 'log.mark'),
        cause: expect.stringMatching(/log\.mark cannot be written \(.*EIO/),
        remedy: expect.stringMatching(/^Check the disk .* svc retries by itself\.$/),
      }),
    ]);

    // Without another event: what failed is written again.
    disk.breaks();
    await vi.waitUntil(async () => (await problems()).length === 0, SOON);
    await untilMarkReachesEnd(stage.folder, 'log');
    const { stdout } = await stage.service.kill();
    expect(stdout.filter((line) => line.includes('log.mark'))).toEqual([
      expect.stringMatching(/cannot be written/),
      expect.stringMatching(/^Over after/),
    ]);
    disk.cutPower(stage.folder);
    await untilMarkReachesEnd(stage.folder, 'log');
    await stage.start();
    received.push(...(await completed(stage, 1)));
    // A mark that stays behind refuses no start.
    disk.breaks(how);
    received.push(...(await completed(stage, 2)));
    await stage.service.kill();
    disk.breaks();
    disk.cutPower(stage.folder);
    await stage.start();
    received.push(...(await completed(stage, 1)));
    const { exitCode } = await stage.stop();
    expect([exitCode, lostIn(stage.folder, received)]).toEqual([0, []]);
  },
);
