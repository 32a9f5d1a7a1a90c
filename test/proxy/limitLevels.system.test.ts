import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { replayEvents } from '../../src/replay/replayEvents.ts';
import { simulateLog } from '../../src/replay/whatIf/simulateLog.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { delayed, delayedUntil, textResponse } from '../support/provider/scripts.ts';
import { recordedEvents } from '../support/recordedEvents.ts';
import { takeSnapshot } from '../support/takeSnapshot.ts';
import { waitOptions } from '../support/waitOptions.ts';

let gateway: Gateway;
afterEach(async () => {
  await gateway?.stop();
});

const usage = { inputTokens: 400, cachedTokens: 0, outputTokens: 600, reasoningTokens: 0 };
const USED = 1_000;
const levels = ['key', 'owner', 'team'] as const;
type Level = (typeof levels)[number];
const NAMES = { key: 'API key', owner: 'Owner', team: 'Team' };

const limit = (max: number, more: object = {}) => [
  { limit_type: 'total_tokens', limit_window: 'daily', max_value: max, ...more },
];

/** Keys of one owner in one team, with a limit on each level; none where it is absent. */
async function withKeys(count: number, limits: Partial<Record<Level, object[]>>) {
  gateway = await startGateway();
  gateway.pool[0]?.at.always(textResponse({ usage }));
  const { body: team } = await gateway.api('POST', '/api/teams', { name: 'search', limits: limits.team ?? [] });
  if (limits.owner) await gateway.api('PATCH', '/api/owners/Ada', { limits: limits.owner });
  const keys: { readonly id: string; readonly key: string }[] = [];
  for (let index = 0; index < count; index++) {
    const body = { name: `key ${index}`, owner: 'Ada', team: team.id, limits: limits.key ?? [] };
    keys.push((await gateway.api('POST', '/api/api-keys', body)).body);
  }
  await gateway.set({ api_key_auth_enabled: true });
  const ask = (index = 0, body: object = validRequest) =>
    gateway.ask(body, { headers: { authorization: `Bearer ${keys[index]?.key}` } });
  const shown = async () => ({
    key: (await gateway.api('GET', '/api/api-keys')).body.map((key: { limits: object[] }) => key.limits[0]),
    owner: (await gateway.api('GET', '/api/owners/Ada')).body.limits[0],
    team: (await gateway.api('GET', `/api/teams/${team.id}`)).body.limits[0],
  });
  return { ask, shown, keys, team };
}

const settled = () => gateway.events('RequestCompleted').map(({ data }) => data);
const refused = () => gateway.events('RequestRefused').map(({ data }) => data);

test.each([
  // One level has room for 20 requests, the others for more than they can get then.
  ['key', 1, { key: limit(20_000), owner: limit(60_000), team: limit(60_000) }],
  ['owner', 10, { key: limit(15_000), owner: limit(20_000), team: limit(60_000) }],
  ['team', 10, { key: limit(15_000), owner: limit(60_000), team: limit(20_000) }],
] as const)(
  'lets 200 requests at once use a %s no further than the last ones reserved too little',
  async (level, count, limits) => {
    const { ask, shown } = await withKeys(count, limits);
    gateway.pool[0]?.at.always(delayed(150, textResponse({ usage })));
    const responses = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const response = await ask(index % count);
        return { status: response.status, text: await response.text() };
      }),
    );
    const admitted = responses.filter(({ status }) => status === 200).length;
    const messages = responses
      .filter(({ status }) => status === 429)
      .map(({ text }) => JSON.parse(text).error.message as string);
    expect(admitted + messages.length).toBe(200);
    for (const message of messages) {
      expect(message).toMatch(new RegExp(`^(${NAMES[level]}|API key) total_tokens daily limit exceeded\\.`));
    }
    expect(messages.some((message) => message.startsWith(NAMES[level]))).toBe(true);

    const beyond = settled().reduce((sum, { admission }) => {
      const { inputTokens = 0, outputTokens = 0 } = admission?.estimate ?? {};
      return sum + Math.max(0, USED - inputTokens - outputTokens);
    }, 0);
    const overshoot = Math.max(0, admitted * USED - 20_000);
    expect(overshoot).toBeLessThanOrEqual(beyond + USED);
    const { key, owner, team } = await shown();
    const used = { current_value: admitted * USED, reserved_value: 0 };
    expect([owner, team]).toMatchObject([used, used]);
    expect(key.reduce((sum: number, { current_value }: { current_value: number }) => sum + current_value, 0)).toBe(
      admitted * USED,
    );
    process.stdout.write(
      `  200 at once of ${count} keys against a limit of the ${level} of 20000: ${admitted} admitted, overshoot ${overshoot}\n`,
    );

    const events = await recordedEvents(gateway.folder);
    const report = replayEvents(events);
    expect(report.differences).toEqual([]);
    expect(report.admissions).toBeGreaterThanOrEqual(admitted + 60);

    // Without a change, the simulation of the same period refuses and serves the same requests at the same levels.
    const { whatIf } = await simulateLog({ location: join(gateway.folder, 'log.sqlite'), whatIf: {} });
    expect(whatIf.requests).toMatchObject({ compared: report.admissions, different: 0 });
    expect(new Set(whatIf.refusals.map(({ level }) => level))).toContain(level);
  },
);

test('counts on after a restart, with a snapshot or without one', async () => {
  const { ask, shown, team } = await withKeys(1, { key: limit(9_000), owner: limit(9_000), team: limit(2_500) });
  for (let index = 0; index < 2; index++) await (await ask()).text();
  const before = await shown();
  await gateway.restart();
  expect(await shown()).toEqual(before);
  await takeSnapshot(gateway.folder);
  await gateway.restart();
  expect(await shown()).toEqual(before);
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(429);
  expect((await gateway.api('GET', `/api/teams/${team.id}`)).body.limits[0].current_value).toBe(3 * USED);
});

describe.each(levels)('a limit of the %s', (level) => {
  const roomy = { key: limit(1_000_000), owner: limit(1_000_000), team: limit(1_000_000) };

  test('refuses by its name, in the message and in the log, and explains all levels', async () => {
    const { ask, keys, team } = await withKeys(1, { ...roomy, [level]: limit(1) });
    expect((await ask()).status).toBe(200);
    const response = await ask();
    expect(response.status).toBe(429);
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    expect(error.message).toMatch(new RegExp(`^${NAMES[level]} total_tokens daily limit exceeded\\. Usage resets at `));
    const subjects = { key: keys[0]?.id, owner: 'Ada', team: team.id };
    const [request] = refused();
    expect(request).toMatchObject({
      owner: 'Ada',
      team: team.id,
      limit: { level, subject: subjects[level], ruleId: 1, counted: USED, reserved: 0, ceiling: 1 },
      admission: {
        reserved: [
          ['key', null, 1, 0],
          ['owner', 'Ada', 1, 0],
          ['team', team.id, 1, 0],
        ],
      },
    });
    const path = `/api/requests/${request?.requestId}/explain`;
    await vi.waitUntil(async () => (await gateway.api('GET', path)).status === 200, waitOptions);
    const { body: explained } = await gateway.api('GET', path);
    expect(explained.caller).toMatchObject({ owner: 'Ada', team: team.id, team_name: 'search' });
    expect(explained.admission).toMatchObject({ verdict: 'refused', rule: 'limit', limit_id: 1, limit_level: level });
    expect(explained.admission.limits).toMatchObject(
      levels.map((each) => ({
        level: each,
        subject: subjects[each],
        counted: USED,
        reserved: 0,
        ceiling: each === level ? 1 : 1_000_000,
      })),
    );
    expect(replayEvents(await recordedEvents(gateway.folder))).toMatchObject({ admissions: 2, differences: [] });
  });

  test('ends streams that run past it when it is set to stop them', async () => {
    const { ask, shown } = await withKeys(1, { ...roomy, [level]: limit(1_000, { on_exceeded: 'stop' }) });
    gateway.pool[0]?.at.always(textResponse({ deltas: Array.from({ length: 60 }, () => 'word'.repeat(100)) }));
    const text = await (await ask()).text();
    const last = JSON.parse(text.trimEnd().split('data: ').at(-1) as string);
    expect(last).toMatchObject({ type: 'response.failed', response: { error: { code: 'rate_limit_exceeded' } } });
    expect(last.response.error.message).toContain(`${NAMES[level]} total_tokens daily limit reached, so the response`);
    const { key, owner, team } = await shown();
    const [counted] = [key[0], owner, team].map(({ current_value }) => current_value);
    expect([key[0], owner, team].map(({ current_value }) => current_value)).toEqual([counted, counted, counted]);
    // One delta more than it has room for.
    expect(counted).toBeGreaterThan(1_000);
    expect(counted).toBeLessThanOrEqual(1_100);
  });
});

test('moving a key moves neither past usage nor that of its open requests', async () => {
  const { ask, keys, team } = await withKeys(1, { team: limit(10_000), owner: limit(10_000) });
  await (await ask()).text();
  const { body: other } = await gateway.api('POST', '/api/teams', { name: 'ads', limits: limit(500) });
  const { promise: begins, resolve: begin } = Promise.withResolvers<void>();
  gateway.pool[0]?.at.always(delayedUntil(begins, textResponse({ usage })));
  const open = ask();
  await vi.waitUntil(() => gateway.pool[0]?.at.inFlight === 1, waitOptions);
  const moved = await gateway.api('PATCH', `/api/api-keys/${keys[0]?.id}`, { team: other.id, owner: null });
  expect([moved.body.team, moved.body.owner]).toEqual([other.id, null]);
  begin();
  await (await open).text();
  const used = async (path: string) => (await gateway.api('GET', path)).body.limits[0].current_value;
  const all = async () => [
    await used(`/api/teams/${team.id}`),
    await used(`/api/teams/${other.id}`),
    await used('/api/owners/Ada'),
  ];
  expect(await all()).toEqual([2 * USED, 0, 2 * USED]);
  await (await ask()).text();
  expect(await all()).toEqual([2 * USED, USED, 2 * USED]);
  expect((await ask()).status).toBe(429);
  expect(settled().map(({ owner, team: of }) => [owner, of])).toEqual([
    ['Ada', team.id],
    ['Ada', team.id],
    [undefined, other.id],
  ]);
  // As of a position before the move, the key is where it was.
  const before = (
    await gateway.api('GET', `/api/api-keys?at=${(gateway.events('ApiKeyTeamChanged')[0]?.position ?? 0) - 1}`)
  ).body;
  expect(before[0]).toMatchObject({ team: team.id });
  expect(replayEvents(await recordedEvents(gateway.folder))).toMatchObject({ admissions: 4, differences: [] });
});

test('a limit of a team alone admits and refuses, and streams through a key without limits', async () => {
  const { ask, shown } = await withKeys(2, { team: limit(1_500) });
  expect((await ask(0)).status).toBe(200);
  expect((await ask(1)).status).toBe(200);
  expect((await ask(0)).status).toBe(429);
  expect((await ask(1)).status).toBe(429);
  const { key, team } = await shown();
  expect([key, team]).toMatchObject([[undefined, undefined], { current_value: 2 * USED, reserved_value: 0 }]);
});
