import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { authFile, upload } from '../../../test/support/authFiles.ts';
import {
  admitted,
  completed,
  type Stage,
  sharedManagement,
  startManagement,
} from '../../../test/support/management.ts';
import { runs } from '../../../test/support/runs.ts';
import { AccountUsageObserved } from '../../domain/accountUsage/events.ts';
import { accountsCooled } from '../../domain/coolDown/events.ts';
import {
  type AccountId,
  type ApiKeyId,
  type Instant,
  instant,
  iso,
  type MicroDollars,
} from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { Checkpoints } from '../../state/fold/checkpoints.ts';
import { emptyFold } from '../../state/fold/fold.ts';
import { startHotRunner } from '../../state/hotRunner.ts';
import { createPast } from '../../state/past/past.ts';
import { endpointsOf } from './describeRoute.ts';

/** The paths of all GETs that can show earlier state. */
const pathsWithAt = ({ management }: Pick<Stage, 'management'>): string[] =>
  endpointsOf(management)
    .endpoints.filter(({ method, query }) => method === 'get' && query && 'at' in query)
    .map(({ path }) => path);

/** Pseudo-random integers below `below`, the same in every run. */
function randomIntegers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function record(stage: Stage, event: DomainEvent): Promise<void> {
  const outcome = await stage.log.append(`test-${randomUUID()}`, -1, [
    {
      ...(event as KnownEvent),
      id: randomUUID(),
      time: stage.clock.now,
      actor: { kind: 'system', reason: 'test' },
      correlationId: 'test',
    },
  ]);
  if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
  await stage.hot.whenFolded(outcome.position);
}

/** Performs one random action of an operator, a client or the provider. */
async function actAtRandom(stage: Stage, roll: (below: number) => number): Promise<void> {
  const keys = [...stage.hot.state.apiKeys.keys()];
  const accounts = [...stage.hot.state.accounts.keys()];
  const keyId = keys[roll(keys.length)] as ApiKeyId;
  const accountId = accounts[roll(accounts.length)] as AccountId;
  const ip = `10.0.0.${roll(4)}`;
  const limits = ['daily', 'weekly', 'monthly'].slice(roll(3)).map((limit_window) => ({
    limit_type: ['total_tokens', 'cost_usd'][roll(2)],
    limit_window,
    max_value: 1 + roll(1_000),
  }));
  const request = () =>
    completed({
      keyId: keyId ?? null,
      accountId: accountId ?? null,
      requestedAt: instant(stage.clock.now - roll(5_000)),
      costMicroDollars: roll(3_000_000) as MicroDollars,
      attempts:
        accountId && roll(4) === 0
          ? [
              {
                decidedAt: stage.hot.state.position,
                asOf: stage.clock.now,
                v: 1,
                accountId,
                startedAt: stage.clock.now,
                endedAt: stage.clock.now,
                outcome: 'exhausted',
                limitedUntil: instant(stage.clock.now + roll(10_000_000)),
              },
            ]
          : [],
    });
  const open = [...stage.hot.state.openRequests.keys()];
  const admit = () => {
    const asOf = instant(Math.max(stage.clock.now, stage.hot.state.windowsClock.time));
    const estimate = { inputTokens: roll(900), outputTokens: roll(900), costMicroDollars: roll(2_000_000) };
    return admitted(estimate, { keyId: keyId ?? null, requestedAt: asOf });
  };
  const cooled = () => ({
    accountId,
    since: stage.clock.now,
    until: instant(stage.clock.now + roll(10_000_000)),
    cause: 'throttled',
    failures: 1 + roll(3),
  });
  const sample = () => ({
    accountId,
    primary: { usedPercent: roll(101), resetAt: instant(stage.clock.now + 3_600_000), windowMinutes: 300 },
    secondary: null,
    credits: null,
  });
  const body = { name: `key ${roll(100)}`, limits };
  const acts = [
    () => stage.call('POST', '/api/firewall/ips', { body: { ip_address: ip } }),
    () => stage.call('DELETE', `/api/firewall/ips/${ip}`),
    () =>
      stage.call('PUT', '/api/settings', {
        body: { sticky_threads_enabled: roll(2) === 0, prefer_earlier_reset_accounts: roll(2) === 0 },
      }),
    () => stage.call('POST', '/api/api-keys', { body }),
    () => stage.call('PATCH', `/api/api-keys/${keyId}`, { body }),
    () => stage.call('PATCH', `/api/api-keys/${keyId}`, { body: { reset_usage: true } }),
    () => stage.call('POST', `/api/api-keys/${keyId}/regenerate`),
    () => roll(3) === 0 && stage.call('DELETE', `/api/api-keys/${keyId}`),
    () =>
      stage.call(
        'POST',
        '/api/accounts/import',
        upload(authFile({ accountId: `p${roll(4)}`, email: `${roll(2)}@x.y` })),
      ),
    () => stage.call('POST', `/api/accounts/${accountId}/pause`),
    () => stage.call('POST', `/api/accounts/${accountId}/reactivate`),
    () => accountId && record(stage, AccountUsageObserved(sample())),
    () =>
      accountId && record(stage, accountsCooled({ number: 1, requests: [{ requestId: 'r', accounts: [cooled()] }] })),
    () => record(stage, request()),
    () => record(stage, request()),
    () => record(stage, request()),
    () => keyId && record(stage, admit()),
    () => keyId && record(stage, admit()),
    () =>
      open.length > 0 &&
      record(stage, { ...request(), data: { ...request().data, requestId: open[roll(open.length)] } }),
    () => stage.call('POST', '/api/clock/accept'),
  ];
  await acts[roll(acts.length)]?.();
}

const responses = async (stage: Stage, query = '') =>
  Object.fromEntries(
    await Promise.all(pathsWithAt(stage).map(async (path) => [path, (await stage.call('GET', path + query)).body])),
  );

test('shows every earlier state of a random history by position and by time', async () => {
  const stage = await startManagement();
  const roll = randomIntegers(7);
  const steps = runs(50).numRuns;
  const recorded: { position: number; time: Instant; isNew: boolean; responses: unknown }[] = [];
  for (let step = 0; step < steps; step++) {
    const before = stage.hot.state.position;
    // Steps of a second to a day, so that limit windows end in between.
    stage.clock.now = instant(stage.clock.now + 1_000 + roll(2) * roll(86_400_000));
    await actAtRandom(stage, roll);
    const { position } = stage.hot.state;
    recorded.push({ position, time: stage.clock.now, isNew: position > before, responses: await responses(stage) });
  }
  expect(recorded.filter(({ isNew }) => isNew).length).toBeGreaterThan(steps / 2);
  for (const { position, time, isNew, responses: then } of recorded) {
    expect(await responses(stage, `?at=${iso(time)}`), `at ${iso(time)}`).toEqual(then);
    if (isNew) expect(await responses(stage, `?at=${position}`), `at ${position}`).toEqual(then);
  }

  const hot = await startHotRunner(stage.log, (error) => stage.reported.push(error), emptyFold(new Checkpoints(4)));
  const near = createPast({ log: stage.log, hot });
  const far = createPast({ log: stage.log, hot: stage.hot });
  for (const { position, time } of recorded) {
    for (const when of [{ position: position as never }, { time }]) {
      expect(comparable(await near.at(when)), JSON.stringify(when)).toEqual(comparable(await far.at(when)));
    }
  }
  hot.stop();
  expect(stage.reported).toEqual([]);
}, 120_000);

const comparable = ({ state, now }: Awaited<ReturnType<ReturnType<typeof createPast>['at']>>) => ({
  now,
  ...Object.fromEntries(Object.entries(state).filter(([name]) => !['pins', 'revisions'].includes(name))),
});

const stage = sharedManagement();

test('shows the empty state at position 0', async () => {
  await stage().call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.9' } });
  const { body } = await stage().call('GET', '/api/firewall/ips?at=0');
  expect(body).toMatchObject({ mode: 'allow_all', entries: [] });
});

test('includes the events of the given millisecond', async () => {
  const { body: now } = await stage().call('GET', '/api/firewall/ips');
  expect((await stage().call('GET', `/api/firewall/ips?at=${iso(stage().clock.now)}`)).body).toEqual(now);
});

test('includes events whose clock lagged behind earlier ones', async () => {
  const { clock } = stage();
  const start = clock.now;
  clock.now = instant(start + 10_000);
  await stage().call('POST', '/api/firewall/ips', { body: { ip_address: '10.1.0.1' } });
  clock.now = instant(start + 5_000);
  await stage().call('POST', '/api/firewall/ips', { body: { ip_address: '10.1.0.2' } });
  clock.now = instant(start + 20_000);
  const at = async (ms: number) =>
    (await stage().call('GET', `/api/firewall/ips?at=${iso(instant(start + ms))}`)).body.entries.length;
  expect([await at(5_000), await at(10_000)]).toEqual([1, 3]);
});

test.each([
  ['99999', 'at lies beyond the log, which ends at '],
  ['2999-01-01', 'at lies in the future'],
  ['yesterday', 'at must be a position of the log or an ISO 8601 time'],
  ['-1', 'at must be a position'],
  ['1.5', 'at must be a position'],
  ['', 'at must be a position'],
  ['1&at=2', 'at is given twice'],
])('rejects at=%s: %s', async (value, message) => {
  for (const path of pathsWithAt(stage())) {
    const { status, body } = await stage().call('GET', `${path}?at=${value}`);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(body.error.message).toContain(message);
  }
});
