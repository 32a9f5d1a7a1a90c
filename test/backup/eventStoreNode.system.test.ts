import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { VerifiedLog } from '../durability/support/verifiedLog.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { openCluster } from '../nodes/cluster.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { mustRun, runSvc } from './support/runSvc.ts';

// Over EventStoreDB a backup has what is on one node alone: what its outbox holds exists nowhere else
// (docs/operation.md#backup-and-restore).

vi.setConfig({ testTimeout: 240_000 });
const SOON = { timeout: 60_000, interval: 50 };

/** A node whose outbox has three requests that EventStoreDB has not, and a backup of it from that moment. */
async function nodeWithPendingEvents() {
  const cluster = await openCluster({ hasLink: true });
  const elsewhere = await tempDir('node-elsewhere');
  onTestFinished(() => elsewhere[Symbol.asyncDispose]());
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  const node = await cluster.node('a');
  await node.api.importAccount(account);
  await vi.waitUntil(async () => (await node.ask()) === 200, SOON);
  const outbox = async () => (await node.api.call('GET', '/api/status')).outbox.pending;
  await vi.waitUntil(async () => (await outbox()) === 0, SOON);
  await cluster.stopEventStore();
  expect([await node.ask(), await node.ask(), await node.ask()]).toEqual([200, 200, 200]);
  const file = join(elsewhere.path, 'node.backup');
  const env = { SVC_EVENTSTORE_URL: cluster.url, SVC_ENCRYPTION_KEY: cluster.key, SVC_NODE_ID: 'a' };
  const folder = await cluster.folderOf('a');
  const made = await mustRun(folder, ['backup', file], env);
  const restored = await cluster.folderOf('restored');
  return { cluster, node, outbox, file, env, folder, made, restored };
}

test.each<[name: string, isDrained: boolean]>([
  ['the node is lost before they reach it', false],
  ['the node has delivered them since', true],
])('a restored node has the requests of its outbox in EventStoreDB once when %s', async (_name, isDrained) => {
  const { cluster, node, outbox, file, env, made, restored } = await nodeWithPendingEvents();
  expect(made.stdout.join('\n')).toContain('what is on this node alone: its outbox');
  if (isDrained) {
    await cluster.restartEventStore();
    await vi.waitUntil(async () => (await outbox()) === 0, SOON);
    await node.service.kill();
  } else {
    await node.service.kill();
    await cluster.restartEventStore();
  }
  const { stdout } = await mustRun(restored, ['restore', file], env);
  expect(stdout.at(-1)).toMatch(/the node had read EventStoreDB up to position \d+/);
  const alone = await runSvc(restored, ['serve'], { SVC_ENCRYPTION_KEY: cluster.key });
  expect([alone.exitCode, alone.stderr.join()]).toEqual([1, expect.stringContaining('SVC_EVENTSTORE_URL is not set')]);
  expect((await runSvc(restored, ['doctor'])).stdout.join('\n')).toMatch(/^failed +folder: .* Set SVC_EVENTSTORE_URL/m);
  expect(existsSync(join(restored, 'log.sqlite'))).toBe(false);
  const again = await cluster.node('restored', { SVC_NODE_ID: 'a' });
  await vi.waitUntil(async () => (await again.api.requestLog(0)).total === 4, SOON);
  expect(await again.ask()).toBe(200);
  await vi.waitUntil(async () => (await again.api.requestLog(0)).total === 5, SOON);
  await again.stop();
  const log = new VerifiedLog(restored, 'mirror.sqlite');
  log.readNew();
  expect([log.completed.size, log.problems]).toEqual([5, []]);
  expect((await runSvc(restored, ['verify'], env)).exitCode).toBe(0);
});
