import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rateLimitHeaders, usageWindow } from '../../../test/support/provider/usage.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { because, HOUR, type ProviderFixture, startFixture } from '../providerFixture.support.ts';
import { createLearnedUsage, windowsIn } from './learnedUsage.ts';

let fixture: ProviderFixture;
let id: AccountId;
beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  fixture.reports.length = 0;
  id = await fixture.importAccount(fixture.provider.addAccount());
});
afterAll(() => fixture.close());

const learned = () => createLearnedUsage({ ...fixture.node, minIntervalMs: 1 });
const events = () => fixture.events(id, 'AccountUsageObserved');
const sent = (headers: Record<string, string>) => new Map(Object.entries(headers));
const used = (primary: number, secondary = 10) =>
  sent(
    rateLimitHeaders({
      planType: undefined,
      primary: usageWindow({ usedPercent: primary, resetsInSeconds: 9_000 }, fixture.now),
      secondary: usageWindow({ usedPercent: secondary, windowSeconds: 604_800 }, fixture.now),
      credits: null,
      failure: undefined,
    }),
  );
const percents = () => {
  const sample = fixture.node.hot.state.usage.get(id)?.sample;
  return [sample?.primary?.usedPercent, sample?.secondary?.usedPercent];
};

test('records the usage in response headers for all nodes', async () => {
  const usage = learned();
  usage.learn(id, used(42.9, 17));
  await usage.stop();
  expect(await events()).toMatchObject([{ data: { primary: { usedPercent: 42, windowMinutes: 300 } } }]);
  expect(percents()).toEqual([42, 17]);
});

test('appends one event for a thousand responses with the same headers', async () => {
  const usage = learned();
  for (let response = 0; response < 1_000; response++) usage.learn(id, used(42));
  await usage.stop();
  expect(await events()).toHaveLength(1);
});

test('records the latest of several responses within the interval', async () => {
  const usage = createLearnedUsage({ ...fixture.node, minIntervalMs: 60_000 });
  for (let percent = 1; percent <= 50; percent++) usage.learn(id, used(percent));
  await usage.stop();
  expect(percents()).toEqual([50, 10]);
  expect((await events()).length).toBeLessThanOrEqual(2);
});

test('ignores a response that is older than a poll', async () => {
  const usage = learned();
  usage.learn(id, used(50));
  usage.learn(id, used(49));
  await usage.stop();
  expect(percents()).toEqual([50, 10]);
});

test('ignores responses without these headers and of deleted accounts', async () => {
  const usage = learned();
  usage.learn(id, sent({ 'content-type': 'text/event-stream' }));
  await fixture.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
  usage.learn(id, used(50));
  await usage.stop();
  expect(await events()).toEqual([]);
});

test('reports an unavailable log once and delays no request', async () => {
  fixture.onAppend(
    'AccountUsageObserved',
    ...Array.from({ length: 2 }, () => async () => ({ kind: 'rejected', reason: 'away' }) as const),
  );
  const usage = learned();
  usage.learn(id, used(10));
  usage.learn(id, used(20));
  await usage.stop();
  expect(fixture.reports).toHaveLength(1);
  expect(fixture.reports[0]).toContain(id);
});

describe('the windows in headers', () => {
  const now = () => fixture.now();

  test('contain a single weekly window as the secondary one', () => {
    const headers = sent({ 'x-codex-primary-used-percent': '30', 'x-codex-primary-window-minutes': '10080' });
    expect(windowsIn(headers, now())).toEqual({
      primary: null,
      secondary: { usedPercent: 30, resetAt: null, windowMinutes: 10_080 },
    });
  });

  test('accept a reset as a time or a delay', () => {
    const at = Math.floor((now() + HOUR) / 1_000);
    const byTime = windowsIn(
      sent({ 'x-codex-primary-used-percent': '1', 'x-codex-primary-reset-at': String(at) }),
      now(),
    );
    expect(byTime.primary?.resetAt).toBe(at * 1_000);
    const seen = now();
    const byDelay = windowsIn(
      sent({ 'x-codex-primary-used-percent': '1', 'x-codex-primary-reset-after-seconds': '60' }),
      seen,
    );
    expect(byDelay.primary?.resetAt).toBe(seen + 60_000);
  });

  test.each(['', 'much', 'NaN', 'Infinity'])('leave out a window with an invalid percentage (%s)', (percent) =>
    expect(windowsIn(sent({ 'x-codex-primary-used-percent': percent }), now())).toEqual({
      primary: null,
      secondary: null,
    }),
  );
});
