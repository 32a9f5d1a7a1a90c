import { expect, test } from 'vitest';
import { authFile, jwt } from '../../../test/support/authFiles.ts';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';
import { HOUR, NOW } from '../../../test/support/specification.ts';
import { AccountUsageObserved } from '../../domain/accountUsage/events.ts';
import { AccountRecovered, accountsCooled } from '../../domain/coolDown/events.ts';
import { instant } from '../../domain/core/brands.ts';
import { importAccount, listAccounts } from './accountCalls.support.ts';

const shared = sharedManagement();

test('returns an imported account with all documented fields', async () => {
  const stage = await startManagement();
  const response = await importAccount(stage);
  expect(response).toEqual({
    account_id: expect.stringMatching(/^acct_[0-9a-f]{20}$/),
    email: 'ada@example.com',
    plan_type: 'plus',
    status: 'active',
  });
  expect((await stage.call('GET', '/api/accounts')).body).toEqual({
    accounts: [
      {
        account_id: response.account_id,
        email: 'ada@example.com',
        display_name: 'ada@example.com',
        plan_type: 'plus',
        status: 'active',
        usage: { primary_remaining_percent: 100, secondary_remaining_percent: 100 },
        reset_at_primary: null,
        reset_at_secondary: null,
        window_minutes_primary: 1_440,
        window_minutes_secondary: 10_080,
        capacity_credits_primary: 225,
        remaining_credits_primary: 225,
        capacity_credits_secondary: 7_560,
        remaining_credits_secondary: 7_560,
        last_refresh_at: '2026-01-14T08:30:00.123Z',
        usage_observed_at: null,
        deactivation_reason: null,
        proxy: null,
        availability: { state: 'available', reason: null, until: null },
        health: {
          state: 'unknown',
          failure_rate: null,
          attempts: 0,
          failures: 0,
          window_minutes: 60,
          last_failure: null,
        },
        auth: {
          access: { expires_at: '2030-01-01T00:00:00.000Z', state: 'valid' },
          refresh: { expires_at: null, state: 'stored' },
          id_token: { expires_at: '2030-03-17T17:46:40.000Z', state: 'parsed' },
        },
      },
    ],
  });
});

test('derives usage, resets, credits and availability from the last sample', async () => {
  const stage = await startManagement();
  const { account_id: accountId } = await importAccount(stage);
  const resetAt = instant(NOW + HOUR);
  await stage.append(
    AccountUsageObserved({
      accountId,
      primary: { usedPercent: 40, resetAt, windowMinutes: 300 },
      secondary: { usedPercent: 120, resetAt, windowMinutes: 10_080 },
      credits: null,
    }),
  );
  const [account] = await listAccounts(stage);
  expect(account).toMatchObject({
    status: 'active',
    usage: { primary_remaining_percent: 60, secondary_remaining_percent: 0 },
    reset_at_primary: '2026-01-15T13:00:00.000Z',
    window_minutes_primary: 300,
    remaining_credits_primary: 135,
    remaining_credits_secondary: 0,
    availability: { state: 'quota_exceeded', until: '2026-01-15T13:00:00.000Z' },
  });
  stage.clock.now = instant(NOW + 2 * HOUR);
  expect((await listAccounts(stage))[0].availability.state).toBe('available');
});

test('shows an account in its cool-down as cooling, also with ?at= after it has passed', async () => {
  const stage = await startManagement();
  const { account_id: accountId } = await importAccount(stage);
  const coolDown = { since: NOW, until: instant(NOW + 4_000), cause: 'unreachable', failures: 3 };
  const requests = [{ requestId: 'req_1', accounts: [{ accountId, ...coolDown }] }];
  await stage.append(accountsCooled({ number: 1, requests }));
  const { position } = stage.hot.state;
  const cooling = { state: 'cooling', reason: 'unreachable', until: '2026-01-15T12:00:04.000Z' };
  expect((await listAccounts(stage))[0].availability).toEqual(cooling);

  stage.clock.now = instant(NOW + 5_000);
  expect((await listAccounts(stage))[0].availability.state).toBe('available');
  const at = async (moment: string | number) =>
    (await stage.call('GET', `/api/accounts?at=${moment}`)).body.accounts[0].availability;
  expect(await at(position)).toEqual(cooling);
  expect(await at('2026-01-15T12:00:03.999Z')).toEqual(cooling);
  expect((await at('2026-01-15T12:00:04.000Z')).state).toBe('available');
  const recovered = await stage.append(AccountRecovered({ number: 2, accountId, requestId: 'req_2' }));
  expect((await at(recovered)).state).toBe('available');
});

test('shows an expired access token as expired', async () => {
  const stage = await startManagement();
  const file = authFile();
  const access_token = jwt({ exp: NOW / 1_000 - 1 });
  await importAccount(stage, { ...file, tokens: { ...file.tokens, access_token } });
  expect((await listAccounts(stage))[0].auth.access).toEqual({
    expires_at: '2026-01-15T11:59:59.000Z',
    state: 'expired',
  });
});

test.each([
  ['plus', 225, 7_560],
  ['team', 225, 7_560],
  ['business', 225, 7_560],
  ['edu', 225, 7_560],
  ['pro', 1_500, 50_400],
  ['enterprise', 1_500, 50_400],
  ['free', 0, 1_134],
  ['constructor', 0, 0],
])('gives the plan %s %d and %d credits', async (plan, primary, secondary) => {
  const stage = shared();
  const { account_id } = await importAccount(stage, authFile({ plan, accountId: `plan-${plan}` }));
  const found = (await listAccounts(stage)).find(
    (account: { account_id: string }) => account.account_id === account_id,
  );
  expect(found).toMatchObject({ capacity_credits_primary: primary, capacity_credits_secondary: secondary });
});

test('pauses, reactivates and deletes an account', async () => {
  const stage = await startManagement();
  const { account_id } = await importAccount(stage);
  const act = async (method: string, action = '') => {
    const { status, body } = await stage.call(method, `/api/accounts/${account_id}${action}`);
    return [status, body, (await listAccounts(stage)).map(({ status: shown }: { status: string }) => shown)];
  };
  expect(await act('POST', '/pause')).toEqual([200, { status: 'paused' }, ['paused']]);
  expect(await act('POST', '/pause')).toEqual([200, { status: 'paused' }, ['paused']]);
  expect(await act('POST', '/reactivate')).toEqual([200, { status: 'reactivated' }, ['active']]);
  expect(await act('POST', '/reactivate')).toEqual([200, { status: 'reactivated' }, ['active']]);
  expect(await act('DELETE')).toEqual([200, { status: 'deleted', held_by: [] }, []]);
});

test.each([
  ['POST', '/pause'],
  ['POST', '/reactivate'],
  ['DELETE', ''],
])('responds to %s %s of an unknown account with 404', async (method, action) => {
  for (const id of ['unknown', '%2Fetc', '%ff']) {
    const { status, body } = await shared().call(method, `/api/accounts/${id}${action}`);
    expect([status, body.error.code]).toEqual([404, 'account_not_found']);
  }
});

test('lists the other accounts when a data key is lost', async () => {
  const stage = await startManagement();
  const lost = (await importAccount(stage)).account_id;
  await importAccount(stage, authFile({ email: 'grace@example.com' }));
  await stage.vault.destroy(lost);
  const emails = (await listAccounts(stage)).map(({ email }: { email: string }) => email);
  expect(emails).toEqual(['unknown@example.com', 'grace@example.com']);
});
