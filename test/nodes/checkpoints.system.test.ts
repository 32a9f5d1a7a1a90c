import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseVkey } from '../../src/integrity/notes/noteKeys.ts';
import { checkPublished } from '../../src/integrity/published/checkPublished.ts';
import { readPublished } from '../../src/integrity/published/readPublished.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { openCluster } from './cluster.ts';

vi.setConfig({ testTimeout: 150_000 });

const soon = { timeout: 60_000, interval: 50 };

test('nodes share key and checkpoints, and another one publishes when the leader is killed', async () => {
  const folder = await tempDir('published');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const published = folder.path;
  const cluster = await openCluster();
  const env = { SVC_CHECKPOINT_DIR: published };
  const [a, b] = [await cluster.node('n1', env), await cluster.node('n2', env)];
  const change = (node: typeof a, name: string) => node.api.call('POST', '/api/api-keys', { name });
  const status = async (node: typeof a) => (await node.api.call('GET', '/api/integrity')) as Integrity;
  await change(a, 'first');
  await change(b, 'second');
  await vi.waitFor(async () => expect((await status(a)).checkpoint).not.toBeNull(), soon);
  await vi.waitFor(async () => expect((await status(b)).public_key).toBe((await status(a)).public_key), soon);
  await a.service.kill();
  await change(b, 'third');
  // At its stop, when it publishes as the new leader.
  await vi.waitFor(async () => expect((await status(b)).publishing[0]?.size).toBeGreaterThan(0), soon);
  await b.stop();
  const vkey = readFileSync(join(await cluster.folderOf('n2'), 'checkpoint.pub'), 'utf8').trim();
  const { problems, origins } = checkPublished(readPublished(published), [parseVkey(vkey)]);
  expect(problems).toEqual([]);
  expect(origins).toHaveLength(1);
  const last = origins[0]?.checkpoints.at(-1)?.size ?? 0;
  const again = await cluster.node('n1', env);
  await vi.waitFor(async () => expect((await status(again)).checkpoint?.size).toBeGreaterThanOrEqual(last), soon);
  expect((await again.api.call('GET', '/api/status')).problems).toEqual([]);
  expect(existsSync(join(await cluster.folderOf('n1'), 'checkpoint.key'))).toBe(true);
});

interface Integrity {
  readonly public_key: string;
  readonly checkpoint: { readonly size: number } | null;
  readonly publishing: readonly { readonly size: number }[];
}
