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
  expect((await ada.call('GET', '/api/request-logs')).status).toBe(403);
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
