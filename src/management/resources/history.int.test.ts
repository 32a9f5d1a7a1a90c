import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { anEvent } from '../../../test/contract/events.ts';
import { authFile, upload } from '../../../test/support/authFiles.ts';
import type { Stage } from '../../../test/support/management.ts';
import { completed, refused, sharedManagement, startManagement } from '../../../test/support/management.ts';
import { LOCAL_ADMINISTRATOR } from '../../../test/support/operators.ts';
import { AccountRecovered, accountsCooled } from '../../domain/coolDown/events.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { type Instant, instant, iso } from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import { ADMINISTRATOR } from '../auth/clientSealer.ts';

const KEY = '22222222-2222-4222-8222-222222222222';

/** Appends events in one batch to a new stream. */
async function record(stage: Stage, events: readonly DomainEvent[], time: Instant, actor: Actor): Promise<void> {
  const outcome = await stage.log.append(
    `requests-${randomUUID()}`,
    -1,
    events.map((event) => ({ ...(event as KnownEvent), id: randomUUID(), time, actor, correlationId: 'test' })),
  );
  if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
  await stage.hot.whenFolded(outcome.position);
}

interface Shown {
  position: number;
  time: string;
  type: string;
  subject: string;
  sentence: string;
  actor: { kind: string; api_key_id?: string };
}

const stage = sharedManagement();
const getPage = async (query = '', of = stage()) => {
  const { status, body } = await of.call('GET', `/api/history${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { events: Shown[]; next_cursor: string | null };
};
const getAllPages = async (query: string, of = stage()) => {
  const all: Shown[] = [];
  let { events, next_cursor } = await getPage(query, of);
  for (;;) {
    all.push(...events);
    if (next_cursor === null) return all;
    ({ events, next_cursor } = await getPage(`${query}&cursor=${next_cursor}`, of));
  }
};
const getEvent = (position: number, of = stage()) => of.call('GET', `/api/history/${position}`);

test('shows a write immediately with its actor and a sentence', async () => {
  await stage().call('POST', '/api/firewall/ips', {
    body: { ip_address: '10.0.0.1' },
    headers: { 'user-agent': 'me' },
  });
  const [event] = (await getPage('?limit=1')).events;
  expect(event).toEqual({
    position: stage().hot.state.position,
    time: iso(stage().clock.now),
    type: 'IpAllowed',
    subject: 'firewall-main',
    actor: { ...LOCAL_ADMINISTRATOR, address: '127.0.0.1', user_agent: 'me' },
    sentence: '10.0.0.1 may use the proxy',
  });
});

test('shows the subject before and after an event, and the difference', async () => {
  const { body: key } = await stage().call('POST', '/api/api-keys', { body: { name: 'old' } });
  await stage().call('PATCH', `/api/api-keys/${key.id}`, { body: { name: 'new' } });
  const { body } = await getEvent(stage().hot.state.position);
  expect(body).toMatchObject({
    type: 'ApiKeyRenamed',
    subject: `apiKey-${key.id}`,
    stream: `apiKey-${key.id}`,
    revision: 1,
    data: { keyId: key.id, from: 'old', to: 'new' },
    before: { name: 'old' },
    after: { name: 'new' },
    changes: [{ path: '/name', before: 'old', after: 'new' }],
  });
  const { body: first } = await getEvent(body.position - 1);
  expect(first).toMatchObject({ type: 'ApiKeyCreated', before: null, after: { name: 'old', hash: '[hidden]' } });
  expect(body.previous_hash).toBe(first.hash);
});

test('shows null before a creation and after a deletion', async () => {
  await stage().call('POST', '/api/firewall/ips', { body: { ip_address: '10.7.7.7' } });
  const { body: allowed } = await getEvent(stage().hot.state.position);
  expect(allowed.changes).toEqual([{ path: '/10.7.7.7', before: null, after: { allowedAt: stage().clock.now } }]);
});

test('shows the counts that a reset cleared', async () => {
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 }];
  const { body: key } = await stage().call('POST', '/api/api-keys', { body: { name: 'used', limits } });
  await stage().append(completed({ keyId: key.id }));
  await stage().call('PATCH', `/api/api-keys/${key.id}`, { body: { reset_usage: true } });
  const { body } = await getEvent(stage().hot.state.position);
  expect(body.changes).toEqual([{ path: '/used/1', before: 120, after: null }]);
});

test('shows cool-downs by their account, and those of several accounts together', async () => {
  const own = await startManagement();
  const ids: AccountId[] = [];
  for (const name of ['a', 'b']) {
    const file = authFile({ email: `${name}@example.com`, accountId: name });
    ids.push((await own.call('POST', '/api/accounts/import', upload(file))).body.account_id);
  }
  const [a, b] = ids as [AccountId, AccountId];
  const coolDown = { since: own.clock.now, until: instant(own.clock.now + 4_000), cause: 'throttled', failures: 1 };
  const cooled = (number: number, ...accounts: AccountId[]) =>
    accountsCooled({
      number,
      requests: [{ requestId: 'req_1', accounts: accounts.map((accountId) => ({ accountId, ...coolDown })) }],
    });
  await own.append(cooled(1, a));
  const { body: alone } = await getEvent(own.hot.state.position, own);
  expect(alone).toMatchObject({ subject: `accountCoolDown-${a}`, before: null, after: coolDown });
  expect(alone.sentence).toBe(`account ${a} cools down until ${iso(coolDown.until)} (throttled)`);

  await own.append(AccountRecovered({ number: 2, accountId: a, requestId: 'req_2' }), cooled(3, a, b));
  const { body: together } = await getEvent(own.hot.state.position, own);
  expect(together).toMatchObject({
    subject: 'accountCoolDown-several',
    sentence: `account ${a}, account ${b} cool down (throttled)`,
    before: {},
    after: { [a]: coolDown, [b]: coolDown },
  });
  expect((await getPage(`?subject=accountCoolDown-${a}`, own)).events.map(({ type }) => type)).toEqual([
    'AccountRecovered',
    'AccountsCooled',
  ]);
});

test('shows that a secret changed, but not its value', async () => {
  await stage().call('POST', '/api/accounts/import', upload(authFile()));
  await stage().call('POST', '/api/accounts/import?on_duplicate=replace', upload(authFile()));
  const { body: key } = await stage().call('POST', '/api/api-keys', { body: { name: 'secret' } });
  await stage().call('POST', `/api/api-keys/${key.id}/regenerate`);
  await stage().append(completed({ pin: { digest: 'd'.repeat(32), isFallback: false } }));
  const texts: string[] = [];
  for (let position = 1; position <= stage().hot.state.position; position++) {
    const { body } = await getEvent(position);
    const { hash: _hash, previous_hash: _previous, ...rest } = body;
    texts.push(JSON.stringify(rest));
  }
  texts.push(JSON.stringify(await getAllPages('?limit=200')));
  expect(texts.join('\n')).not.toMatch(/sealed\.|[0-9a-f]{64}|dddddddd|rt_secret|ada@example/);
  const [, regenerated] = (await getPage('?limit=2')).events;
  const { body } = await getEvent(regenerated?.position ?? 0);
  expect(body.changes).toContainEqual({ path: '/hash', before: '[hidden]', after: '[hidden]' });
});

test.each([
  ['/api/history/0', 404, 'not_found'],
  ['/api/history/999999', 404, 'not_found'],
  ['/api/history/first', 400, 'validation_error'],
  ['/api/history/-1', 400, 'validation_error'],
  ['/api/history/1.5', 400, 'validation_error'],
  ['/api/history?limit=0', 400, 'validation_error'],
  ['/api/history?limit=201', 400, 'validation_error'],
  ['/api/history?cursor=nonsense', 400, 'validation_error'],
  ['/api/history?search=ab', 400, 'validation_error'],
  ['/api/history?since=yesterday', 400, 'validation_error'],
  ['/api/history?until=1&until=2', 400, 'validation_error'],
  [`/api/history?${'subject=a&'.repeat(21)}`, 400, 'validation_error'],
  [`/api/history?${'type=a&'.repeat(101)}`, 400, 'validation_error'],
])('responds to %s with %i', async (path, status, code) => {
  const response = await stage().call('GET', path);
  expect([response.status, response.body.error.code]).toEqual([status, code]);
});

test('returns with every filter and page what a full scan finds', async () => {
  const own = await startManagement();
  const keyActor: Actor = { kind: 'apiKey', keyId: KEY };
  for (let round = 0; round < 12; round++) {
    own.clock.now = instant(own.clock.now + 60_000);
    // Every third round the clock lags behind.
    const time = instant(own.clock.now - (round % 3) * 90_000);
    await record(
      own,
      Array.from({ length: 40 }, (_, index) =>
        index % 10 === 0
          ? refused({ requestId: `req_${round}_${index}` })
          : completed({ requestId: `req_${round}_${index}`, accountId: 'a' as AccountId }),
      ),
      time,
      round % 2 === 0 ? keyActor : { kind: 'anonymous' },
    );
    await own.call('POST', '/api/firewall/ips', { body: { ip_address: `10.0.0.${round}` } });
    if (round % 4 === 0) await own.call('DELETE', `/api/firewall/ips/10.0.0.${round}`);
    await own.call('POST', '/api/api-keys', { body: { name: `Key ${round}` } });
  }
  const all = await getAllPages('?limit=200', own);
  expect(all.map(({ position }) => position)).toEqual(
    Array.from({ length: own.hot.state.position }, (_, index) => own.hot.state.position - index),
  );
  let latest = '';
  const latestAt = new Map(
    all.toReversed().map(({ position, time }) => {
      latest = time > latest ? time : latest;
      return [position, latest] as const;
    }),
  );
  const third = iso(instant(own.clock.now - 4 * 60_000));
  const second = iso(instant(own.clock.now - 8 * 60_000));
  const label = ({ actor }: Shown) => (actor.kind === 'api_key' ? `apiKey:${actor.api_key_id}` : actor.kind);
  const cases: [query: string, belongs: (event: Shown) => boolean][] = [
    ['type=IpAllowed', ({ type }) => type === 'IpAllowed'],
    ['type=IpAllowed&type=RequestRefused', ({ type }) => type === 'IpAllowed' || type === 'RequestRefused'],
    ['subject=firewall-main', ({ subject }) => subject === 'firewall-main'],
    ['subject=firewall-main&type=IpRevoked', ({ type }) => type === 'IpRevoked'],
    ['subject=req', () => false],
    ['subject=request-req_3_7', ({ subject }) => subject === 'request-req_3_7'],
    [
      'subject=request-req_3_10&subject=request-req_9_1&subject=firewall-main',
      ({ subject }) => ['request-req_3_10', 'request-req_9_1', 'firewall-main'].includes(subject),
    ],
    ['subject=request-req_3_10&type=RequestCompleted', () => false],
    ['actor=operator', (event) => label(event) === 'operator'],
    ['actor=operator&actor=operator:127.0.0.1', (event) => label(event) === 'operator'],
    [`actor=apiKey:${KEY}`, (event) => label(event) === `apiKey:${KEY}`],
    [
      `actor=apiKey:${KEY}&type=RequestRefused`,
      (event) => label(event) !== 'anonymous' && event.type === 'RequestRefused',
    ],
    ['actor=anonymous&subject=firewall-main', () => false],
    ['actor=operator&subject=firewall-main', ({ subject }) => subject === 'firewall-main'],
    [
      `since=${second}&until=${third}`,
      ({ position }) => {
        const at = latestAt.get(position) ?? '';
        return at >= second && at <= third;
      },
    ],
    [
      `since=${third}&type=RequestCompleted`,
      ({ position, type }) => type === 'RequestCompleted' && (latestAt.get(position) ?? '') >= third,
    ],
    ['search=key%201', ({ sentence }) => sentence.toLowerCase().includes('key "key 1')],
    ['search=may%20no%20longer', ({ type }) => type === 'IpRevoked'],
    ['search=was%20created&type=IpAllowed', () => false],
    [
      'search=10.0.0.1&actor=operator&type=IpAllowed',
      ({ sentence, type }) => type === 'IpAllowed' && sentence.includes('10.0.0.1'),
    ],
    ['search=%22%20OR%20x', () => false],
  ];
  for (const [query, belongs] of cases) {
    const expected = all.filter(belongs).map(({ position }) => position);
    for (const limit of [3, 50, 200]) {
      const found = await getAllPages(`?${query}&limit=${limit}`, own);
      expect(
        found.map(({ position }) => position),
        `${query} by ${limit}`,
      ).toEqual(expected);
    }
  }
}, 60_000);

test('finds operators by their address, also after an upgrade, and forgets it with their key', async () => {
  const stage = await startManagement();
  const plain = {
    kind: 'operator',
    sessionId: null,
    address: '127.0.0.1',
    userAgent: 'old/1',
    usedTotp: false,
  } as const;
  await stage.log.append('firewall-earlier', -1, [anEvent({ actor: plain })]);
  await stage.call('POST', '/api/firewall/ips', {
    body: { ip_address: '192.0.2.9' },
    headers: { 'user-agent': 'new/1' },
  });
  const actors = async (query: string) => {
    const { body } = await stage.call('GET', `/api/history?${query}`);
    return body.events.map(({ actor }: Shown) => actor);
  };
  const found = ['new/1', 'old/1'].map((user_agent) => ({ ...LOCAL_ADMINISTRATOR, address: '127.0.0.1', user_agent }));
  expect(await actors('actor=operator:127.0.0.1')).toEqual(found);
  expect(await actors('actor=operator:127.0.0.2')).toEqual([]);
  await stage.vault.destroy(ADMINISTRATOR);
  // The digest still matches, and showing the event would confirm the address.
  expect(await actors('actor=operator:127.0.0.1')).toEqual([found[1]]);
  const [all] = await actors('actor=operator:127.0.0.1&actor=person:administrator');
  expect(all).toEqual({ ...found[0], address: null, user_agent: null, forgotten: ['address', 'user_agent'] });
});
