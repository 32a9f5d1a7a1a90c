import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openTileReader } from '../../src/integrity/tiles/sqliteTileStore.ts';
import { TreeReader } from '../../src/integrity/tiles/tileTree.ts';
import { managementApi } from '../durability/support/managementApi.ts';
import { sendRequest } from '../durability/support/sendRequest.ts';
import { serve } from '../durability/support/serve.ts';
import { requestBody } from '../durability/support/stage.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { rootOfLog } from '../support/integrity/rootOfLog.ts';
import { startProvider } from '../support/provider/provider.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { createRandom } from '../support/random.ts';
import { runs } from '../support/runs.ts';

const ROUNDS = runs(5).numRuns;
const SEED = Number(process.env.SVC_TEST_KILL_SEED ?? Date.now() % 1_000_000);
const CLIENTS = 4;

test('the tree of a service that is killed is that of the log, and grows on', {
  timeout: 60_000 + ROUNDS * 30_000,
}, async () => {
  const folder = await tempDir('killed-tree');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const provider = await startProvider({ maxReceived: 10 });
  onTestFinished(() => provider.close());
  const account = provider.addAccount();
  account.always(textResponse());
  const random = createRandom(SEED);
  const logPath = join(folder.path, 'log.sqlite');

  async function start() {
    const service = serve({ folder: folder.path, provider });
    onTestFinished(() => service[Symbol.asyncDispose]());
    const url = await service.listening();
    return { service, url, api: managementApi(url) };
  }

  /** Requests, of which some receipts are read, so that the tree grows at once and not only once a second. */
  function load(url: string) {
    let isOver = false;
    const grown = Promise.withResolvers<void>();
    const client = async () => {
      while (!isOver) {
        const { requestId } = await sendRequest({ url, path: '/v1/responses', body: requestBody() });
        if (!requestId) continue;
        const receipt = await fetch(`${url}/api/receipts/${requestId}`).catch(() => undefined);
        if (receipt?.ok) grown.resolve();
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    const end = async () => {
      isOver = true;
      await Promise.all(clients);
    };
    return { grown: grown.promise, end };
  }

  const first = await start();
  await first.api.importAccount(account);
  await first.service.kill();
  let before = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { service, url } = await start();
    const { grown, end } = load(url);
    // A busy machine may need seconds before the tree grows, and some kills shall come before that.
    if (round % 2 === 0) await grown;
    await wait(random.between(300, 2_800));
    await service.kill();
    await end();
    const treePath = join(folder.path, 'tree.sqlite');
    expect(existsSync(treePath)).toBe(true);
    const tiles = openTileReader(treePath);
    const tree = new TreeReader(tiles);
    const [size, root] = [tree.size(), tree.root()];
    tiles.close();
    expect(size, `seed ${SEED}`).toBeGreaterThanOrEqual(before);
    expect(root, `seed ${SEED}, round ${round}`).toEqual(rootOfLog(logPath, size));
    before = size;
  }
  expect(before).toBeGreaterThan(ROUNDS);
  const { service, api } = await start();
  const { position } = (await api.call('GET', '/api/history?limit=1')).events[0];
  await vi.waitUntil(async () => (await api.call('GET', '/api/integrity')).tree_size >= position, {
    timeout: 20_000,
    interval: 100,
  });
  const { stderr } = await service.stop();
  expect(stderr).toEqual([]);
  const compared = serve({
    folder: folder.path,
    command: [process.execPath, 'src/start.mjs', 'rebuild', '--compare'],
  });
  expect(await compared.ended).toMatchObject({ exitCode: 0, stderr: [] });
});
