import { expect, test, vi } from 'vitest';
import { startManagement } from '../../test/support/management.ts';
import { Refusal } from '../domain/core/refusal.ts';
import type { CurrentFault } from '../lib/faults.ts';
import { createCommandHandler, type HandleCommand } from '../state/commands/commandHandler.ts';
import type { Condition } from './condition.ts';
import { nodeConditions } from './nodeConditions.ts';
import type { UnrecordedAlert } from './unrecordedFile.ts';
import { AlertWatch } from './watch.ts';

const low: Condition = { rule: 'pool_low', key: 'pool_low', subject: null, node: null, text: '1 of 10 can serve.' };
const away: CurrentFault = { code: 'log_refuses_events', cause: 'The disk is full.', remedy: 'Make room.', since: 1 };

async function startWatch({ hasWebhook = true } = {}) {
  const stage = await startManagement();
  const real = createCommandHandler({ log: stage.log, hot: stage.hot, now: stage.now });
  const seen = { shared: [] as Condition[] | undefined, faults: [] as CurrentFault[], isLogAway: false };
  const handle: HandleCommand = (...command) =>
    seen.isLogAway ? Promise.reject(new Refusal('log_unavailable')) : real(...command);
  const sendUnrecorded = vi.fn(() => Promise.resolve());
  let count = 0;
  let kept: readonly UnrecordedAlert[] = [];
  const startAgain = () =>
    new AlertWatch({
      ...{ hot: stage.hot, handle, now: stage.now, sendUnrecorded, node: 'a' },
      report: (error) => expect.unreachable(String(error)),
      newId: () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`,
      cause: () => ({ actor: { kind: 'system', reason: 'alerts' }, correlationId: 'c' }),
      ofNode: () => nodeConditions(seen.faults, 'a'),
      shared: () => seen.shared,
      unrecorded: {
        load: () => kept,
        save(alerts) {
          kept = alerts;
        },
      },
    });
  const watch = startAgain();
  const addWebhook = () =>
    stage.call('POST', '/api/alerts/webhooks', { body: { name: 'x', url: 'https://x.example/' } });
  const state = () => stage.hot.state.alerts;
  const counts = () => [state().open.size, state().ended.length];
  if (hasWebhook) await addWebhook();
  return { stage, seen, watch, startAgain, sendUnrecorded, state, counts, addWebhook };
}

test('begins no episode until there is a webhook', async () => {
  const { seen, watch, counts, addWebhook } = await startWatch({ hasWebhook: false });
  seen.shared = [low];
  await watch.check();
  expect(counts()).toEqual([0, 0]);
  await addWebhook();
  await watch.check();
  expect(counts()).toEqual([1, 0]);
});

test('begins an episode once, and ends it when its condition was absent for a while', async () => {
  const { stage, seen, watch, counts } = await startWatch();
  seen.shared = [low];
  for (let round = 0; round < 3; round++) await watch.check();
  expect(counts()).toEqual([1, 0]);
  seen.shared = [];
  await watch.check();
  stage.clock.now = (stage.clock.now + 59_000) as typeof stage.clock.now;
  await watch.check();
  seen.shared = [low];
  await watch.check();
  seen.shared = [];
  await watch.check();
  expect(counts()).toEqual([1, 0]);
  stage.clock.now = (stage.clock.now + 60_000) as typeof stage.clock.now;
  await watch.check();
  expect(counts()).toEqual([0, 1]);
});

test('a node that does not look at what all share ends none of these alerts', async () => {
  const { seen, watch, counts } = await startWatch();
  seen.shared = [{ ...low, rule: 'limit_80', key: 'limit_80 apiKey-1 1' }];
  await watch.check();
  seen.shared = undefined;
  await watch.check();
  expect(counts()).toEqual([1, 0]);
  seen.shared = [];
  await watch.check();
  expect(counts()).toEqual([0, 1]);
});

test('sends what the log does not take now, once, and records it later under the same id, with its end', async () => {
  const { seen, watch, sendUnrecorded, state, counts } = await startWatch();
  seen.faults = [away, { ...away, code: 'log_write_failing' }];
  seen.isLogAway = true;
  for (let round = 0; round < 3; round++) await watch.check();
  expect(sendUnrecorded).toHaveBeenCalledTimes(1);
  expect(counts()).toEqual([0, 0]);
  const [[sent] = []] = sendUnrecorded.mock.calls as unknown as [{ id: string; rule: string; node: string }][];
  expect(sent).toMatchObject({ rule: 'store_away', node: 'a' });
  seen.isLogAway = false;
  seen.faults = [];
  await watch.check();
  await watch.check();
  expect(counts()).toEqual([0, 1]);
  expect(state().ended[0]?.id).toBe(sent?.id);
});

test('a later process records and ends what an earlier one sent, and does not send it again', async () => {
  const { seen, watch, startAgain, sendUnrecorded, state, counts } = await startWatch();
  seen.faults = [away];
  seen.isLogAway = true;
  await watch.check();
  const next = startAgain();
  await next.check();
  expect(sendUnrecorded).toHaveBeenCalledTimes(1);
  seen.isLogAway = false;
  seen.faults = [];
  const last = startAgain();
  await last.check();
  await last.check();
  const [[sent] = []] = sendUnrecorded.mock.calls as unknown as [{ id: string }][];
  expect([counts(), state().ended[0]?.id]).toEqual([[0, 1], sent?.id]);
  await startAgain().check();
  expect(counts()).toEqual([0, 1]);
});
