import { expect, test } from 'vitest';
import { newLimit } from '../api-keys/limitDraft.ts';
import { newReplayDraft, problemsOf, replayBody } from './replayDraft.ts';

const NOW = Date.UTC(2026, 0, 15, 12);

test('sends a period alone when nothing is different', () =>
  expect(replayBody(newReplayDraft(), NOW)).toEqual({ since: '2026-01-14T12:00:00.000Z', until: null }));

test('sends only what is different', () => {
  const limits = [{ ...newLimit(1), max: '2m' }];
  const prices = '{"since":"2026-01-01","models":[]}';
  const draft = {
    ...newReplayDraft(),
    sticky: 'off' as const,
    without: ['a'],
    plus: ['pro'],
    limitsOf: '*',
    limits,
    prices,
  };
  expect(replayBody(draft, NOW).what_if).toEqual({
    settings: { sticky_threads_enabled: false },
    limits: {
      keys: {
        '*': [
          {
            limit_type: 'total_tokens',
            limit_window: 'daily',
            max_value: 2_000_000,
            model_filter: null,
            on_exceeded: 'finish',
          },
        ],
      },
    },
    prices: { since: '2026-01-01', models: [] },
    without_accounts: ['a'],
    plus_accounts: [{ plan_type: 'pro' }],
  });
});

test('names what is wrong with limits and prices', () => {
  const draft = { ...newReplayDraft(), limitsOf: '*', limits: [newLimit(7)], prices: '{' };
  expect(Object.keys(problemsOf(draft))).toEqual(['limit-7', 'prices']);
  expect(problemsOf({ ...draft, limitsOf: 'recorded', prices: '' })).toEqual({});
});
