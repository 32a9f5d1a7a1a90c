import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rateLimitHeaders, usageWindow } from '../../../test/support/provider/usage.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { because, HOUR, type Stage, setStage } from '../stage.support.ts';
import { createLearnedUsage, windowsIn } from './learnedUsage.ts';

let stage: Stage;
let id: AccountId;
beforeAll(async () => {
  stage = await setStage();
});
beforeEach(async () => {
  stage.reports.length = 0;
  id = await stage.importAccount(stage.provider.addAccount());
});
afterAll(() => stage.close());

const learned = () => createLearnedUsage({ ...stage.node, leastMs: 1 });
const events = () => stage.events(id, 'AccountUsageObserved');
const sent = (headers: Record<string, string>) => new Map(Object.entries(headers));
const used = (primary: number, secondary = 10) =>
  sent(
    rateLimitHeaders({
      planType: undefined,
      primary: usageWindow({ usedPercent: primary, resetsInSeconds: 9_000 }, stage.now),
      secondary: usageWindow({ usedPercent: secondary, windowSeconds: 604_800 }, stage.now),
      credits: null,
      failure: undefined,
    }),
  );
const percents = () => {
  const sample = stage.node.hot.state.usage.get(id)?.sample;
  return [sample?.primary?.usedPercent, sample?.secondary?.usedPercent];
};

test('what an answer says is known at once, to all nodes', async () => {
  const usage = learned();
  usage.learn(id, used(42.9, 17));
  await usage.stop();
  expect(await events()).toMatchObject([{ data: { primary: { usedPercent: 42, windowMinutes: 300 } } }]);
  expect(percents()).toEqual([42, 17]);
});

test('a thousand answers that say the same are one event', async () => {
  const usage = learned();
  for (let answer = 0; answer < 1_000; answer++) usage.learn(id, used(42));
  await usage.stop();
  expect(await events()).toHaveLength(1);
});

test('of answers that come faster than they are written down the last one counts', async () => {
  const usage = createLearnedUsage({ ...stage.node, leastMs: 60_000 });
  for (let percent = 1; percent <= 50; percent++) usage.learn(id, used(percent));
  await usage.stop();
  expect(percents()).toEqual([50, 10]);
  expect((await events()).length).toBeLessThanOrEqual(2);
});

test('an answer that was overtaken changes nothing', async () => {
  const usage = learned();
  usage.learn(id, used(50));
  usage.learn(id, used(49));
  await usage.stop();
  expect(percents()).toEqual([50, 10]);
});

test('answers without these headers, and of accounts that are gone, leave no trace', async () => {
  const usage = learned();
  usage.learn(id, sent({ 'content-type': 'text/event-stream' }));
  await stage.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
  usage.learn(id, used(50));
  await usage.stop();
  expect(await events()).toEqual([]);
});

test('a log that is away is told of once, and costs no request anything', async () => {
  stage.onAppend(
    'AccountUsageObserved',
    ...Array.from({ length: 2 }, () => async () => ({ kind: 'rejected', reason: 'away' }) as const),
  );
  const usage = learned();
  usage.learn(id, used(10));
  usage.learn(id, used(20));
  await usage.stop();
  expect(stage.reports).toHaveLength(1);
  expect(stage.reports[0]).toContain(id);
});

describe('the windows that headers name', () => {
  const now = () => stage.now();

  test('a weekly one alone is the secondary one, whichever slot it came in', () => {
    const headers = sent({ 'x-codex-primary-used-percent': '30', 'x-codex-primary-window-minutes': '10080' });
    expect(windowsIn(headers, now())).toEqual({
      primary: null,
      secondary: { usedPercent: 30, resetAt: null, windowMinutes: 10_080 },
    });
  });

  test('a reset may be a time or a delay', () => {
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

  test.each(['', 'much', 'NaN', 'Infinity'])('a percentage that is none (%s) names none', (percent) =>
    expect(windowsIn(sent({ 'x-codex-primary-used-percent': percent }), now())).toEqual({
      primary: null,
      secondary: null,
    }),
  );
});
