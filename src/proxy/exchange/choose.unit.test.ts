import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { accountId, importedAccount, later, NOW, recorded } from '../../../test/support/specification.ts';
import { AccountImported } from '../../domain/account/events.ts';
import { accountsCooled } from '../../domain/coolDown/events.ts';
import { type AccountId, type Instant, position } from '../../domain/core/brands.ts';
import { type CompletedRequest, RequestCompleted } from '../../domain/request/events.ts';
import { SettingsChanged } from '../../domain/settings/events.ts';
import type { EventToAppend, RecordedEvent } from '../../eventLog/eventLog.ts';
import { replayEvents } from '../../replay/replayEvents.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { choose, type Decision } from './choose.ts';
import { Cooldowns } from './cooldowns.ts';

/** What one process writes to: another stream on the next day, and another one after a stream was deleted in the store. */
const STREAMS = ['requests-n1.b1_20260115', 'requests-n1.b1_20260116', 'requests-n1.b1_20260116_2'];
const OTHER_NODE = 'requests-n2.b1_20260115';
const ACCOUNTS = [1, 2, 3, 4].map(accountId);

/** A node whose log receives what it writes when the test says so. */
function startNode() {
  const hot = new HotState();
  const log: RecordedEvent[] = [];
  const clock = { now: NOW };
  const waiting: object[] = [];
  let turn = 0;
  const append = (event: object, stream = STREAMS[log.length % 3] as string) => {
    const full = { ...event, stream, revision: 0, position: position(log.length + 1), time: clock.now };
    log.push(full as RecordedEvent);
    hot.apply(full as RecordedEvent);
    cooldowns.onFolded(full as RecordedEvent);
  };
  const cooldowns = new Cooldowns({
    folded: hot.coolDowns,
    record: async ({ type, data }: EventToAppend) => waiting.push({ type, data }),
    isOfThisStart: (stream) => STREAMS.includes(stream),
    now: () => clock.now,
  });
  for (const id of ACCOUNTS) append(recorded(AccountImported(importedAccount({ accountId: id }))), `account-${id}`);
  return {
    ...{ log, clock, cooldowns, append },
    choose: (requestId: string) =>
      choose(
        { hot, cooldowns, nextTurn: () => turn++ },
        { pin: undefined, requestId, key: null, model: 'm' },
        [],
        clock.now,
      ),
    /** Writes what was collected, without the log having it yet. */
    flush: () => cooldowns.flush(),
    deliver() {
      for (const event of waiting.splice(0)) append(event);
    },
    /** Records a choice as the log has it at the end of the request. */
    settle(requestId: string, { selection, decision }: ReturnType<typeof choose>) {
      cooldowns.flush();
      const basis = JSON.parse(JSON.stringify(decision)) as Decision;
      const times = { startedAt: clock.now, endedAt: clock.now, outcome: 'ok' };
      const outcome =
        selection.kind === 'chosen'
          ? { attempts: [{ ...basis, accountId: selection.accountId, ...times }] }
          : { attempts: [], refusal: { ...basis, reason: selection.reason } };
      waiting.push(RequestCompleted({ ...completed, requestId, ...outcome }));
    },
  };
}

const completed: CompletedRequest = {
  requestId: 'req_1',
  keyId: null,
  route: '/v1/responses',
  model: 'm',
  effort: null,
  requestedAt: NOW,
  status: '200',
  errorCode: null,
  errorMessage: null,
  accountId: null,
  latencyMs: 1,
  firstByteMs: null,
  usage: null,
  costMicroDollars: null,
  priceVersion: null,
  attempts: [],
};

const chosenBy = ({ selection }: ReturnType<typeof choose>) =>
  selection.kind === 'chosen' ? selection.accountId : selection.reason;

test('records a cool-down that the log does not have only if it changed the choice', () => {
  const { choose, cooldowns, flush, deliver } = startNode();
  const first = chosenBy(choose('req_1')) as AccountId;
  const [another] = ACCOUNTS.filter((id) => id !== first) as [AccountId];
  cooldowns.add(another, 'throttled', 'req_0', NOW);
  expect(choose('req_1').decision.overlay).toBeUndefined();

  cooldowns.add(first, 'throttled', 'req_0', NOW);
  const { selection, decision } = choose('req_1');
  expect(selection).not.toMatchObject({ accountId: first });
  expect(decision.overlay).toEqual({ coolDowns: 2 });

  flush();
  deliver();
  expect(chosenBy(choose('req_1'))).not.toBe(first);
  expect(choose('req_1').decision.overlay).toBeUndefined();
});

const cooledBy = (account: AccountId, now: Instant) => {
  const coolDown = { since: now, until: later(3_000, now), cause: 'throttled', failures: 2 };
  return accountsCooled({
    number: 1,
    requests: [{ requestId: 'req_2', accounts: [{ accountId: account, ...coolDown }] }],
  });
};

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('choose' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      account: fc.constantFrom(...ACCOUNTS),
      atLeastMs: fc.constantFrom(0, 0, 5_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('limit' as const, 'elsewhere' as const),
      account: fc.constantFrom(...ACCOUNTS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('succeed' as const), account: fc.constantFrom(...ACCOUNTS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('flush' as const, 'deliver' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 400, 1_000, 6_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('strategy' as const), isRoundRobin: fc.boolean() }) },
);

test('replays every choice, whatever the log had when it was made', () =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const node = startNode();
      let choices = 0;
      for (const each of steps) {
        const { now } = node.clock;
        if (each.kind === 'choose') node.settle(`req_${++choices}`, node.choose(`req_${choices}`));
        else if (each.kind === 'fail') node.cooldowns.add(each.account, 'throttled', 'req_0', now, each.atLeastMs);
        else if (each.kind === 'limit')
          node.cooldowns.limit(each.account, 'usage_limit', 'req_0', now, later(9_000, now));
        else if (each.kind === 'succeed') node.cooldowns.succeeded(each.account, 'req_0', now);
        else if (each.kind === 'elsewhere') node.append(cooledBy(each.account, now), OTHER_NODE);
        else if (each.kind === 'wait') node.clock.now = later(each.ms, now);
        else if (each.kind === 'strategy') {
          const routingStrategy = each.isRoundRobin ? 'round_robin' : 'usage_weighted';
          node.append(recorded(SettingsChanged({ from: {}, to: { routingStrategy } })), 'settings-main');
        } else node[each.kind]();
      }
      node.flush();
      node.deliver();
      expect(replayEvents(node.log)).toEqual({ choices, admissions: 0, differences: [] });
    }),
    runs(300),
  ));

test('replays choices of earlier versions from the cool-downs that they recorded', () => {
  const { choose, log, append } = startNode();
  const first = chosenBy(choose('req_1')) as AccountId;
  const second = ACCOUNTS.find((id) => id !== first) as AccountId;
  const overlay = { cooling: ACCOUNTS.filter((id) => id !== second).map((id): [AccountId, Instant] => [id, later(9)]) };
  const times = { startedAt: NOW, endedAt: NOW, outcome: 'ok' };
  const attemptOf = (v: number) => ({ decidedAt: position(4), asOf: NOW, v, overlay, accountId: second, ...times });
  append(RequestCompleted({ ...completed, attempts: [attemptOf(2)] }));
  expect(replayEvents(log).differences).toEqual([]);
  append(RequestCompleted({ ...completed, attempts: [attemptOf(3)] }));
  expect(replayEvents(log).differences).toMatchObject([{ recorded: second, replayed: first }]);
});
