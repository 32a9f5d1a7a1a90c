import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { setUp } from '../../../test/support/browser.ts';
import { completed, refused, type Stage, startManagement } from '../../../test/support/management.ts';
import { join } from '../../../test/support/operators.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';

const MINUTE = 60_000;

/** A member with a key, another key, and requests of both. */
async function memberWithRequests() {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'member');
  const own = (await ada.call('POST', '/api/api-keys', { body: { name: 'own' } })).body.id as ApiKeyId;
  const body = { name: 'other', owner: 'somebody' };
  const other = (await administrator.call('POST', '/api/api-keys', { body })).body.id as ApiKeyId;
  /** Records the end of a request of a key, a minute after the last one. */
  const ends = async (keyId: ApiKeyId, event: DomainEvent) => {
    const recorded = {
      ...(event as KnownEvent),
      id: randomUUID(),
      time: stage.clock.now,
      actor: { kind: 'apiKey', keyId } as const,
      correlationId: 'test',
    };
    const outcome = await stage.log.append(`requests-${randomUUID()}`, -1, [recorded]);
    if (outcome.kind !== 'committed') throw new Error('not appended');
    await stage.hot.whenFolded(outcome.position);
    stage.clock.now = (stage.clock.now + MINUTE) as Stage['clock']['now'];
  };
  const completes = (keyId: ApiKeyId, requestId: string, changes = {}) =>
    ends(keyId, completed({ keyId, requestId, requestedAt: stage.clock.now, ...changes }));
  const of = async (client: typeof ada | typeof administrator, owner: string, query = '') => {
    const { status, body } = await client.call('GET', `/api/owners/${owner}/requests${query}`);
    return { status, body, ids: body.requests?.map(({ request_id }: { request_id: string }) => request_id) };
  };
  return { stage, administrator, ada, own, other, ends, completes, of };
}

test('shows members the requests of their keys with tokens and cost, without the accounts', async () => {
  const { ada, own, other, stage, ends, completes, of } = await memberWithRequests();
  await completes(own, 'req_first');
  await completes(other, 'req_other');
  await ends(own, refused({ keyId: own, requestId: 'req_refused', requestedAt: stage.clock.now }));
  const { body, ids } = await of(ada, ada.id);
  expect(ids).toEqual(['req_refused', 'req_first']);
  expect(body.requests[1]).toMatchObject({ tokens: 120, cost_usd: 0.001_25, api_key_id: own, account_id: null });
  expect(body.requests[1].attempted_account_ids).toEqual([]);
  expect(await of(ada, 'somebody')).toMatchObject({ status: 404, body: { error: { code: 'owner_not_found' } } });
});

test('pages by a cursor, and filters by time and by moment', async () => {
  const { ada, own, stage, completes, of } = await memberWithRequests();
  for (const id of ['req_1', 'req_2', 'req_3']) await completes(own, id);
  const first = await of(ada, ada.id, '?limit=2');
  expect(first.ids).toEqual(['req_3', 'req_2']);
  const second = await of(ada, ada.id, `?limit=2&cursor=${first.body.next_cursor}`);
  expect([second.ids, second.body.next_cursor]).toEqual([['req_1'], null]);
  const since = new Date(stage.clock.now - 2 * MINUTE).toISOString();
  expect((await of(ada, ada.id, `?since=${since}`)).ids).toEqual(['req_3', 'req_2']);
  expect((await of(ada, ada.id, `?at=${stage.hot.state.position - 1}`)).ids).toEqual(['req_2', 'req_1']);
  expect((await of(ada, ada.id, '?cursor=none')).status).toBe(400);
});

test('shows of a key that moved only the requests since then, to the old owner none', async () => {
  const { administrator, ada, other, stage, completes, of } = await memberWithRequests();
  await completes(other, 'req_before');
  const admitted = stage.clock.now;
  stage.clock.now = (stage.clock.now + MINUTE) as typeof admitted;
  await administrator.call('PATCH', `/api/api-keys/${other}`, { body: { owner: ada.id } });
  // Admitted before the move, ended after it.
  await completes(other, 'req_across', { requestedAt: admitted });
  await completes(other, 'req_after');
  expect((await of(ada, ada.id)).ids).toEqual(['req_after']);
  expect((await of(administrator, 'somebody')).status).toBe(404);
  const { body } = await of(administrator, ada.id);
  expect(body.requests[0]).toMatchObject({ request_id: 'req_after', account_id: 'account-1' });
});

test('has nothing for a member without keys, and no owner that does not exist', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const bob = await join(stage, administrator, 'Bob', 'member');
  const { body } = await bob.call('GET', `/api/owners/${bob.id}/requests`);
  expect(body).toEqual({ requests: [], next_cursor: null });
  expect((await administrator.call('GET', '/api/owners/nobody/requests')).status).toBe(404);
});

test('shows members only their own requests in the request log, whatever they ask for', async () => {
  const { stage, administrator, ada, own, other, completes, ends } = await memberWithRequests();
  const accountId = '00000000-0000-4000-8000-00000000000a' as never;
  await completes(own, 'req_own', { owner: ada.id });
  await completes(other, 'req_other', { owner: 'somebody', model: 'gpt-5-secret' });
  // The key was another's when it made this request.
  await completes(own, 'req_before', { owner: 'somebody' });
  await ends(own, refused({ keyId: own, requestId: 'req_refused', requestedAt: stage.clock.now, owner: ada.id }));
  const all = (await administrator.call('GET', '/api/request-logs')).body;
  expect([all.total, all.requests.every((row: { account_id: unknown }) => row.account_id === null)]).toEqual([
    4,
    false,
  ]);
  const log = async (query = '') => (await ada.call('GET', `/api/request-logs${query}`)).body;
  const ids = (body: { requests: { request_id: string }[] }) => body.requests.map(({ request_id }) => request_id);
  const { requests, total, has_more } = await log();
  expect([ids({ requests }), total, has_more]).toEqual([['req_refused', 'req_own'], 2, false]);
  for (const row of requests)
    expect(row).toMatchObject({ account_id: null, attempted_account_ids: [], api_key_id: own });
  expect(ids(await log('?limit=1&offset=1'))).toEqual(['req_own']);
  expect(ids(await log(`?apiKeyId=${own}&owner=${ada.id}&status=200`))).toEqual(['req_own']);
  expect(await log('?search=req_other')).toMatchObject({ requests: [], total: 0 });
  expect(await log('?model=gpt-5-secret')).toMatchObject({ requests: [], total: 0 });
  for (const [query, code] of [
    [`apiKeyId=${other}`, 'not_found'],
    [`apiKeyId=${own}&apiKeyId=${other}`, 'not_found'],
    ['apiKeyId=', 'not_found'],
    ['owner=somebody', 'owner_not_found'],
    ['owner=', 'owner_not_found'],
    [`accountId=${accountId}`, 'account_not_found'],
    [`attemptedAccountId=${accountId}`, 'account_not_found'],
  ]) {
    for (const path of ['/api/request-logs', '/api/request-logs/options']) {
      const { status, body } = await ada.call('GET', `${path}?${query}`);
      expect([path, query, status, body.error?.code]).toEqual([path, query, 404, code]);
    }
  }
  const { body: options } = await ada.call('GET', '/api/request-logs/options');
  expect(options).toMatchObject({ account_ids: [], attempted_account_ids: [], api_key_ids: [own], owners: [ada.id] });
  expect(JSON.stringify(options)).not.toMatch(/somebody|secret/);
  expect(options.counts).toMatchObject({ api_key_ids: { [own]: 2 }, owners: { [ada.id]: 2 } });
  const bob = await join(stage, administrator, 'Bob', 'member');
  expect((await bob.call('GET', '/api/request-logs')).body).toEqual({ requests: [], total: 0, has_more: false });
  expect((await bob.call('GET', '/api/request-logs/options')).body).toMatchObject({ statuses: [], model_options: [] });
  expect((await ada.call('POST', '/api/request-logs/exports', { body: { format: 'csv' } })).status).toBe(403);
});

test('members follow the request log from its position, and see their own requests only', async () => {
  const { stage, administrator, ada, own, other, completes } = await memberWithRequests();
  const bob = await join(stage, administrator, 'Bob', 'member');
  const list = async (client: Pick<typeof ada, 'call'>, query: string) => {
    const { status, body } = await client.call('GET', `/api/request-logs?${query}`);
    return { status, ...body, ids: body.requests?.map(({ request_id }: { request_id: string }) => request_id) };
  };
  await completes(own, 'req_first', { owner: ada.id });
  const first = await list(ada, 'with_position=true');
  expect([first.ids, first.total]).toEqual([['req_first'], 1]);
  // Bob has no key: his list is empty, and still says where to go on.
  const empty = await list(bob, 'with_position=true');
  expect([empty.ids, empty.position]).toEqual([[], first.position]);

  await completes(other, 'req_other', { owner: 'somebody' });
  await completes(own, 'req_second', { owner: ada.id });
  const second = await list(ada, `after=${first.position}`);
  expect([second.ids, second.total, second.requests[0].account_id]).toEqual([['req_second'], 1, null]);
  expect(second.position).toBe(first.position + 2);
  expect((await list(ada, `after=${second.position}`)).ids).toEqual([]);
  expect((await list(bob, `after=${first.position}`)).ids).toEqual([]);
  expect((await list(administrator, `after=${first.position}`)).ids).toEqual(['req_second', 'req_other']);

  for (const [query, code] of [
    [`after=${first.position}&apiKeyId=${other}`, 'not_found'],
    [`after=${first.position}&owner=somebody`, 'owner_not_found'],
    [`after=${first.position}&accountId=account-1`, 'account_not_found'],
    [`with_position=true&apiKeyId=${other}`, 'not_found'],
  ])
    expect(await list(ada, query as string)).toMatchObject({ status: 404, error: { code } });
  const history = await ada.call('GET', `/api/history?after=${first.position}`);
  expect([history.status, history.body.error.code]).toEqual([403, 'insufficient_permissions']);
});
