import { describe, expect, test } from 'vitest';
import { authFile } from '../../../test/support/authFiles.ts';
import { type Stage, startManagement, temporaryFolder } from '../../../test/support/management.ts';
import { DAY, later } from '../../../test/support/specification.ts';
import type { AccountId, Sealed } from '../../domain/core/brands.ts';
import { CannotUnseal } from '../../vault/vault.ts';
import { destroyKeysOfDeletedAccounts } from '../accounts/destroyKeysOfDeletedAccounts.ts';
import { importAccount, listAccounts } from './accountCalls.support.ts';

const place = async (stage: Stage, body: object = {}) =>
  (await stage.call('POST', '/api/holds', { body: { reason: 'case 7', ...body } })).body;
const lift = (stage: Stage, id: string, reason = 'case 7 is closed') =>
  stage.call('DELETE', `/api/holds/${id}`, { body: { reason } });
const list = async (stage: Stage, query = '') => (await stage.call('GET', `/api/holds${query}`)).body;

/** Imports an account. @returns its id and its sealed e-mail address */
async function anAccount(stage: Stage): Promise<{ id: AccountId; email: Sealed }> {
  const { account_id: id } = await importAccount(stage);
  return { id, email: stage.hot.state.accounts.get(id)?.email as Sealed };
}
const remove = async (stage: Stage, id: string) => (await stage.call('DELETE', `/api/accounts/${id}`)).body;

test('places, lists and lifts a hold, and History says who did', async () => {
  const stage = await startManagement();
  const scope = { subject: 'apiKey-1', from: '2026-01-01', until: '2026-02-01T12:00:00+01:00' };
  const hold = await place(stage, scope);
  expect(hold).toEqual({
    id: expect.any(String),
    subject: 'apiKey-1',
    from: '2026-01-01T00:00:00.000Z',
    until: '2026-02-01T11:00:00.000Z',
    reason: 'case 7',
    placed_at: '2026-01-15T12:00:00.000Z',
    position: 1,
  });
  expect(await list(stage)).toEqual({ holds: [hold], retained_accounts: [] });
  const lifted = await lift(stage, hold.id);
  expect([lifted.status, lifted.body]).toEqual([200, { status: 'lifted', released_accounts: [] }]);
  expect((await list(stage)).holds).toEqual([]);
  expect((await list(stage, '?at=1')).holds).toEqual([hold]);
  const { events } = (await stage.call('GET', '/api/history?subject=holds-main')).body;
  expect(events).toMatchObject([
    { type: 'HoldLifted', actor: { kind: 'operator' }, sentence: expect.stringContaining('case 7 is closed') },
    {
      type: 'HoldPlaced',
      actor: { kind: 'operator' },
      sentence: expect.stringContaining('subject apiKey-1 from 2026'),
    },
  ]);
});

test('places a hold once, however often the write with its Idempotency-Key is sent', async () => {
  const stage = await startManagement();
  const sent = { body: { reason: 'case 7' }, headers: { 'idempotency-key': 'once' } };
  const [first, second] = [await stage.call('POST', '/api/holds', sent), await stage.call('POST', '/api/holds', sent)];
  expect(second.body).toEqual(first.body);
  expect((await list(stage)).holds).toHaveLength(1);
});

test.each([
  [{}, 'reason is missing'],
  [{ reason: '' }, 'reason must not be empty'],
  [{ reason: 'x'.repeat(501) }, 'reason must have at most 500 characters'],
  [{ reason: 'r', subject: 'session-1' }, /^subject must be apiKey-<id>, account-<id> or request-<id>/],
  [{ reason: 'r', subject: 7 }, 'subject must be a string'],
  [{ reason: 'r', from: 'yesterday' }, 'from must be an ISO 8601 time'],
  [{ reason: 'r', from: '2026-02-01', until: '2026-01-01' }, 'until must be later than from'],
  [{ reason: 'r', address: '10.0.0.1' }, 'address is not a known field'],
])('refuses the hold %j', async (body, message) => {
  const stage = await startManagement();
  const refused = await stage.call('POST', '/api/holds', { body });
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_hold']);
  expect(refused.body.error.message).toMatch(message);
});

test('refuses a hold beyond a hundred with a 400 that says so', async () => {
  const stage = await startManagement();
  for (let count = 0; count < 100; count++) await place(stage, { subject: `request-${count}` });
  const refused = await stage.call('POST', '/api/holds', { body: { reason: 'one more' } });
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    expect.stringMatching(/100 holds.*lift one first/),
  ]);
});

test('refuses to lift without a reason, and a hold that does not last', async () => {
  const stage = await startManagement();
  const { id } = await place(stage);
  expect((await lift(stage, id, '')).body.error.code).toBe('invalid_hold');
  expect((await lift(stage, id)).status).toBe(200);
  const again = await lift(stage, id);
  expect([again.status, again.body.error.code]).toEqual([404, 'hold_not_found']);
});

describe('an account that is deleted under a hold', () => {
  test('stops at once, and its data key is destroyed when the last hold on it ends', async () => {
    const stage = await startManagement();
    const { id, email } = await anAccount(stage);
    const everything = await place(stage);
    const onAccount = await place(stage, { subject: `account-${id}` });
    await place(stage, { subject: 'account-another' });
    expect(await remove(stage, id)).toEqual({ status: 'deleted', held_by: [everything.id, onAccount.id] });
    expect(await listAccounts(stage)).toEqual([]);
    expect(stage.vault.open(email)).toBe('ada@example.com');
    expect((await list(stage)).retained_accounts).toEqual([id]);

    expect((await lift(stage, everything.id)).body.released_accounts).toEqual([]);
    expect(stage.vault.open(email)).toBe('ada@example.com');
    expect((await lift(stage, onAccount.id)).body.released_accounts).toEqual([id]);
    expect(() => stage.vault.open(email)).toThrow(CannotUnseal);
    expect((await list(stage)).retained_accounts).toEqual([]);
  });

  test('says in History which holds keep its data key', async () => {
    const stage = await startManagement();
    const { id } = await anAccount(stage);
    const hold = await place(stage);
    await remove(stage, id);
    const { events } = (await stage.call('GET', '/api/history?type=AccountDeleted')).body;
    expect(events[0].sentence).toBe(`account ${id} was deleted; its data key is kept until legal hold ${hold.id} ends`);
  });

  test('loses its data key at once when the hold is on something else', async () => {
    const stage = await startManagement();
    const { id, email } = await anAccount(stage);
    await place(stage, { subject: 'apiKey-1' });
    await place(stage, { until: '2026-01-01' });
    expect(await remove(stage, id)).toEqual({ status: 'deleted', held_by: [] });
    expect(() => stage.vault.open(email)).toThrow(CannotUnseal);
  });

  test('keeps its data key under a hold on a period in its life', async () => {
    const stage = await startManagement();
    const { id, email } = await anAccount(stage);
    const hold = await place(stage, { from: '2026-01-15', until: '2026-01-16' });
    stage.clock.now = later(30 * DAY);
    expect((await remove(stage, id)).held_by).toEqual([hold.id]);
    expect(stage.vault.open(email)).toBe('ada@example.com');
  });

  test('loses the keys of its earlier life, and only these, if it was imported again', async () => {
    const stage = await startManagement();
    const { id, email } = await anAccount(stage);
    const hold = await place(stage);
    await remove(stage, id);
    const again = await anAccount(stage);
    expect(again.id).toBe(id);
    expect(stage.vault.open(email)).toBe('ada@example.com');
    await lift(stage, hold.id);
    expect(() => stage.vault.open(email)).toThrow(CannotUnseal);
    expect((await listAccounts(stage))[0].email).toBe('ada@example.com');
  });

  test('keeps its data key over a restart, and loses it at the start after a kill before destruction', async () => {
    const folder = temporaryFolder();
    const cleanups: (() => void | Promise<void>)[] = [];
    const start = () => startManagement({}, (cleanup) => void cleanups.unshift(cleanup), folder);
    const stop = async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    };
    const first = await start();
    const { id, email } = await anAccount(first);
    const hold = await place(first);
    await remove(first, id);
    await stop();

    const second = await start();
    await destroyKeysOfDeletedAccounts(second);
    expect(second.vault.open(email)).toBe('ada@example.com');
    // As after a kill between the event and the destruction of the key.
    const { destroy } = second.vault;
    second.vault.destroy = () => Promise.reject(new Error('killed'));
    await lift(second, hold.id);
    expect(second.vault.open(email)).toBe('ada@example.com');
    second.vault.destroy = destroy;
    await stop();

    const third = await start();
    await destroyKeysOfDeletedAccounts(third);
    expect(() => third.vault.open(email)).toThrow(CannotUnseal);
    await stop();
  });

  test('loses the keys of its earlier life at a start after a kill, and only these, if it was imported again', async () => {
    const stage = await startManagement();
    const { id, email } = await anAccount(stage);
    const hold = await place(stage);
    await remove(stage, id);
    await anAccount(stage);
    // In its second life it gets a second key; what is sealed under the first one of it stays readable.
    const [, secondLife] = stage.vault.keysOf(id);
    await importAccount(stage, authFile(), '?on_duplicate=replace');
    await destroyKeysOfDeletedAccounts(stage);
    expect(stage.vault.open(email)).toBe('ada@example.com');
    const { destroy } = stage.vault;
    stage.vault.destroy = () => Promise.reject(new Error('killed'));
    await lift(stage, hold.id);
    stage.vault.destroy = destroy;
    expect(stage.vault.open(email)).toBe('ada@example.com');

    await destroyKeysOfDeletedAccounts(stage);
    expect(() => stage.vault.open(email)).toThrow(CannotUnseal);
    expect(stage.vault.hasKey(secondLife?.id ?? '')).toBe(true);
    expect((await listAccounts(stage))[0].email).toBe('ada@example.com');
  });
});

test('a hold that is placed after a deletion changes nothing about it', async () => {
  const stage = await startManagement();
  const { account_id: id } = await importAccount(stage, authFile());
  await remove(stage, id);
  await place(stage);
  expect((await list(stage)).retained_accounts).toEqual([]);
});
