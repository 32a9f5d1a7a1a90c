import { describe, expect, test, vi } from 'vitest';
import { openCluster } from '../nodes/cluster.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { brokenDisk, whyNoBrokenDisk } from './support/brokenDisk.ts';
import { mountedDisk, whyNoMount } from './support/fullDisk.ts';
import { reasonsOf } from './support/reasonsOf.ts';
import { sendRequest } from './support/sendRequest.ts';
import { openStage, requestBody } from './support/stage.ts';

// A load balancer that looks at /ready learns of what a model request would fail on before one does. What the pool has is
// tested in test/metrics/readiness.int.test.ts, a full outbox, a sink and descriptors where these faults are made. A node that
// stops closes its idle connections and refuses new ones (drain.system.test.ts), so that a probe gets no response.

vi.setConfig({ testTimeout: 90_000 });
const SOON = { timeout: 30_000, interval: 100 };
/** The service itself writes nothing meanwhile. */
const IDLE = { SVC_USAGE_REFRESH_SECONDS: '3600' };

describe.skipIf(whyNoBrokenDisk() !== undefined)('no request is sent', () => {
  test.each(['write', 'hang', 'room'] as const)(
    'finds out that the log cannot be written any more (%s)',
    async (how) => {
      const disk = await brokenDisk('log.sqlite');
      const stage = await openStage({ env: { ...disk.env, ...IDLE } });
      await vi.waitFor(async () => expect(await reasonsOf(stage.url)).toEqual([]), SOON);
      disk.breaks(how);
      await vi.waitFor(async () => expect(await reasonsOf(stage.url)).toEqual(['log_unavailable']), SOON);
      disk.breaks();
      await vi.waitFor(async () => expect(await reasonsOf(stage.url)).toEqual([]), SOON);
      expect((await stage.stop()).exitCode).toBe(0);
    },
  );

  test('with EventStoreDB away it is the outbox that counts', async () => {
    const disk = await brokenDisk('outbox.sqlite');
    const cluster = await openCluster();
    const account = cluster.provider.addAccount();
    account.always(textResponse());
    const node = await cluster.node('a', { ...disk.env, ...IDLE });
    await node.api.importAccount(account);
    await vi.waitFor(async () => expect(await reasonsOf(node.url)).toEqual([]), SOON);
    await cluster.stopEventStore();
    await vi.waitUntil(async () => (await node.api.call('GET', '/api/status')).events.cut_off_since !== null, SOON);
    expect([await reasonsOf(node.url), await node.ask()]).toEqual([[], 200]);
    disk.breaks('write');
    await vi.waitFor(async () => expect(await reasonsOf(node.url)).toEqual(['log_unavailable']), SOON);
    disk.breaks();
    await vi.waitFor(async () => expect(await reasonsOf(node.url)).toEqual([]), SOON);
    expect(await node.ask()).toBe(200);
  });
});

describe.skipIf(whyNoMount() !== undefined)('on a small file system', () => {
  test('says that the disk is nearly full while requests are still served', async () => {
    const stage = await openStage({ prepare: mountedDisk().prepare, env: IDLE });
    stage.pool[0]?.at.always(textResponse());
    expect(await reasonsOf(stage.url)).toEqual(['disk_space_low']);
    const { status } = await sendRequest({ url: stage.url, path: '/v1/responses', body: requestBody() });
    expect(status).toBe(200);
  });
});
