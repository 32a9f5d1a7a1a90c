import { expect, test } from 'vitest';
import { NOW } from '../../test/support/specification.ts';
import { HotState } from '../state/fold/hotState.ts';
import { FailureRate } from './failureRate.ts';
import { nodeConditions } from './nodeConditions.ts';
import { sharedConditions } from './sharedConditions.ts';

const fault = (code: string, subject?: string) => ({
  code,
  ...(subject !== undefined && { subject }),
  cause: `Cause of ${code}.`,
  remedy: 'Remedy.',
  since: NOW,
});

/** The alerts about a number of requests of which some failed. */
function afterRequests(count: number, failed: number, errorPercent = 20) {
  const rate = new FailureRate();
  for (let index = 0; index < count; index++) rate.count(index < failed ? '502' : '200', NOW);
  return sharedConditions(new HotState(), rate, { poolPercent: 25, errorPercent }, { now: NOW, windowsNow: NOW });
}

test('the rate of errors is worth an alert from its threshold on, for at least 20 requests', () => {
  expect(afterRequests(100, 20)).toEqual([
    {
      rule: 'error_rate',
      key: 'error_rate',
      subject: null,
      node: null,
      text: '20 of 100 requests of the last five minutes failed, 20 % or more.',
    },
  ]);
  expect(afterRequests(100, 19)).toEqual([]);
  expect(afterRequests(20, 4)).toHaveLength(1);
  expect(afterRequests(19, 19)).toEqual([]);
  expect(afterRequests(100, 50, 51)).toEqual([]);
});

test('an outbox that fills is one episode of its node, from waiting to full', () => {
  expect(nodeConditions([fault('outbox_waits'), fault('outbox_full')], 'a')).toEqual([
    {
      rule: 'outbox_filling',
      key: 'outbox_filling a',
      subject: null,
      node: 'a',
      text: 'Cause of outbox_waits. Remedy.',
    },
  ]);
  expect(nodeConditions([fault('outbox_full')], 'b')).toMatchObject([{ key: 'outbox_filling b', node: 'b' }]);
});

test('each finding about the integrity of the log is an episode of its own', () => {
  const found = nodeConditions([fault('log_altered', 's1'), fault('log_altered', 's2'), fault('checkpoint_fork')], 'a');
  expect(found.map(({ rule, key }) => [rule, key])).toEqual([
    ['integrity_finding', 'integrity_finding a log_altered s1'],
    ['integrity_finding', 'integrity_finding a log_altered s2'],
    ['integrity_finding', 'integrity_finding a checkpoint_fork'],
  ]);
});

test('a fault that is about neither store, outbox nor integrity is no alert', () =>
  expect(nodeConditions([fault('dashboard_not_built'), fault('traces_not_sent')], 'a')).toEqual([]));
