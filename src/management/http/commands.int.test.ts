import { expect, test } from 'vitest';
import { startManagement } from '../../../test/support/management.ts';
import type { AppendOutcome, EventLog } from '../../eventLog/eventLog.ts';
import { createCommandHandler } from '../../state/commands/commandHandler.ts';
import { FoldUnavailable, type HotRunner } from '../../state/hotRunner.ts';

test('responds with log_unavailable when a durable write is not folded in time', async () => {
  let isLate = true;
  const stage = await startManagement({
    handle: (...args) => {
      const late = {
        whenFolded: () => Promise.reject(new FoldUnavailable('position 1 was not folded within 2000 ms')),
      };
      const hot = isLate ? (Object.assign(Object.create(stage.hot), late) as HotRunner) : stage.hot;
      return createCommandHandler({ log: stage.log, hot, now: stage.now })(...args);
    },
  });
  const { status, body } = await stage.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.7' } });
  expect([status, body.error.code]).toEqual([503, 'log_unavailable']);
  expect(body.error.message).toContain('was saved');
  expect(stage.reported).toEqual([]);

  isLate = false;
  const again = await stage.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.7' } });
  expect([again.status, again.body.error.code]).toEqual([409, 'ip_exists']);
});

test.each([
  ['at fault itself', { isLogFine: true as const }, [422, 'change_refused']],
  ['refused by a log that cannot be written', {}, [503, 'log_unavailable']],
])('responds to a change that is %s with %j', async (_, fault, expected) => {
  const refused: AppendOutcome = { kind: 'rejected', reason: 'it has 70,000 bytes', ...fault };
  const stage = await startManagement({
    handle: (...args) =>
      createCommandHandler({ log: { ...stage.log, append: async () => refused }, hot: stage.hot, now: stage.now })(
        ...args,
      ),
  });
  const { status, body } = await stage.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.7' } });
  expect([status, body.error.code]).toEqual(expected);
  expect(body.error.message.includes('70,000 bytes')).toBe(status === 422);
});

const notSent: AppendOutcome = { kind: 'unknown', error: new Error('connection refused'), wasSent: false };
const timedOut: AppendOutcome = { kind: 'unknown', error: new Error('no response within 5 s') };

test.each([
  ['no attempt left the node', [notSent], 'nothing was changed'],
  ['an attempt was sent and its end is not known', [timedOut], 'may have been saved'],
  ['only the first attempt was sent', [timedOut, notSent], 'may have been saved'],
] as const)('says what became of a change when %s', async (_, outcomes, words) => {
  const attempts: AppendOutcome[] = [...outcomes];
  const append = async () => (attempts.length > 1 ? attempts.shift() : attempts[0]) as AppendOutcome;
  const stage = await startManagement({
    handle: (...args) => {
      const log = Object.assign(Object.create(stage.log), { append }) as EventLog;
      return createCommandHandler({ log, hot: stage.hot, now: stage.now })(...args);
    },
  });
  const { status, body } = await stage.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.7' } });
  expect([status, body.error.code]).toEqual([503, 'log_unavailable']);
  expect(body.error.message).toContain(words);
});
