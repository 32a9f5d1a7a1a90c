import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keysWithRules } from '../durability/support/keys.ts';
import { type Key, startLoad } from '../durability/support/load.ts';
import { managementApi } from '../durability/support/managementApi.ts';
import { serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { startProvider } from '../support/provider/provider.ts';
import { createRandom } from '../support/random.ts';

const ROUNDS = 4;

// A sink gets each event at least once, in order; a kill repeats at most the last batch.
test('a sink has every event and no half line after kill -9 under load', { timeout: 180_000 }, async () => {
  const folder = await tempDir('killed-sink');
  const provider = await startProvider({ maxReceived: 100 });
  onTestFinished(async () => {
    await provider.close();
    await folder[Symbol.asyncDispose]();
  });
  const path = join(folder.path, 'events.jsonl');
  const start = async () => {
    const service = serve({ folder: join(folder.path, 'data'), provider, env: { SVC_SINK_FILE: path } });
    const url = await service.listening();
    return { service, url, api: managementApi(url) };
  };
  let running = await start();
  await running.api.importAccount(provider.addAccount());
  const keys: Key[] = [];
  for (const key of keysWithRules) keys.push(await running.api.call('POST', '/api/api-keys', key));
  const random = createRandom(Date.now() % 1_000_000);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = positionsIn(path).length;
    const load = startLoad({
      url: running.url,
      random,
      clients: 8,
      name: String(round),
      keys,
      onEnding: () => undefined,
    });
    await vi.waitFor(() => expect(positionsIn(path).length).toBeGreaterThan(before + 40), {
      timeout: 20_000,
      interval: 20,
    });
    load.stop();
    await running.service.kill();
    await load.finished();
    running = await start();
  }
  const { position } = (await running.api.call('GET', '/api/status')).events as { position: number };
  await running.service.stop();

  const positions = positionsIn(path);
  expect(positions.at(-1)).toBeGreaterThan(position);
  expect([...new Set(positions)].toSorted((left, right) => left - right)).toEqual(
    Array.from({ length: positions.at(-1) as number }, (_, index) => index + 1),
  );
  // Behind a kill the last batch may come again, from its first event on: nothing jumps ahead.
  const jumps = positions.filter((at, index) => at > (positions[index - 1] ?? 0) + 1);
  expect(jumps).toEqual([]);
  const repeats = positions.filter((at, index) => at <= (positions[index - 1] ?? 0));
  expect(repeats.length).toBeLessThanOrEqual(ROUNDS);
});

/** @throws when a whole line is not JSON */
function positionsIn(path: string): number[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => Number((JSON.parse(line) as { position: string }).position));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
