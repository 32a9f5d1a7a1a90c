import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';
import { type FakeClock, fakeClock, whyNoFakeClock } from './support/fakeClock.ts';
import { managementApi } from './support/managementApi.ts';
import { sendRequest } from './support/sendRequest.ts';
import { serve } from './support/serve.ts';
import { requestBody } from './support/stage.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

// A clock that was wrong opens no limit, whether it jumps while svc runs or between two starts
// (docs/decisions/0057-clock-of-limit-windows.md).

const HOUR_MS = 3_600_000;
const usage = { inputTokens: 400, cachedTokens: 0, outputTokens: 600, reasoningTokens: 0 };
const times = (count: number, status: number) => Array.from({ length: count }, () => status);

let provider: Provider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());

const why = whyNoFakeClock();

describe.skipIf(why)(`a clock that is wrong${why ? ` (skipped: ${why})` : ''}`, () => {
  /** A key for 3,000 tokens a day in a new data folder; each request uses 1,000. */
  async function setUp(folder: string, clock: FakeClock) {
    const start = (...command: string[]) =>
      serve({
        folder,
        provider,
        env: clock.env,
        ...(command.length > 0 && { command: [process.execPath, 'src/start.mjs', ...command] }),
      });
    const first = start();
    const url = await first.listening();
    const api = managementApi(url);
    const account = provider.addAccount();
    account.always(textResponse({ usage }));
    await api.importAccount(account);
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 3_000 }];
    const { key } = await api.call('POST', '/api/api-keys', { name: 'limited', limits });
    await api.set({ api_key_auth_enabled: true });
    const ask = async (at: string, count: number) => {
      const statuses: (number | undefined)[] = [];
      for (let request = 0; request < count; request++) {
        statuses.push((await sendRequest({ url: at, path: '/v1/responses', body: requestBody(), key })).status);
      }
      return statuses;
    };
    return { start, first, url, ask };
  }

  const problemsAt = async (url: string): Promise<string[]> =>
    (await managementApi(url).call('GET', '/api/status')).problems.map(({ code }: { code: string }) => code);
  const limitAt = async (url: string) => (await managementApi(url).keys())[0]?.limits[0];

  test('opens no limit while svc runs, and svc says that it jumped', async () => {
    await using folder = await tempDir('clock-jump');
    const clock = await fakeClock();
    const { first, url, ask } = await setUp(folder.path, clock);
    await using _ = first;
    expect(await ask(url, 4)).toEqual([...times(3, 200), 429]);
    clock.set('-2h');
    await first.printed(/The clock of this node jumped back by 2 h/);
    expect(await ask(url, 12)).toEqual(times(12, 429));
    expect(await problemsAt(url)).toEqual(['clock_jumped', 'clock_behind_limits']);
    expect((await limitAt(url))?.current_value).toBe(3_000);
  });

  test('opens no limit between two starts, also not when it is accepted', async () => {
    await using folder = await tempDir('clock-start');
    const clock = await fakeClock();
    const { start, first, url, ask } = await setUp(folder.path, clock);
    expect(await ask(url, 1)).toEqual([200]);
    await first.kill();

    clock.set('+2d');
    const ahead = start();
    expect(await ask(await ahead.listening(), 4)).toEqual([...times(3, 200), 429]);
    await ahead.kill();

    clock.set('+0');
    const back = start();
    const backUrl = await back.listening();
    expect(await ask(backUrl, 12)).toEqual(times(12, 429));
    await vi.waitUntil(async () => (await problemsAt(backUrl)).includes('clock_behind_limits'), waitOptions);
    await back.stop();

    const { exitCode, stdout } = await start('accept-clock').ended;
    expect([exitCode, stdout.join('\n')]).toEqual([
      0,
      expect.stringMatching(/^Limits count from .* on, no longer from/),
    ]);
    await using last = start();
    const lastUrl = await last.listening();
    const limit = await limitAt(lastUrl);
    expect(limit?.current_value).toBe(4_000);
    expect(Date.parse(limit?.reset_at ?? '') - Date.now()).toBeLessThan(24 * HOUR_MS);
    expect(await problemsAt(lastUrl)).not.toContain('clock_behind_limits');
    expect(await ask(lastUrl, 1)).toEqual([429]);
  });
});
