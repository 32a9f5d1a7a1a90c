import { describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../../test/support/provider/account.ts';
import { startProvider } from '../../../../test/support/provider/provider.ts';
import { json, resetConnection, whole } from '../../../../test/support/provider/scripts.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import { anAccountEach, times } from '../../accountStage.support.ts';
import { createTokenEndpoint } from '../../client/tokenEndpoint.ts';
import { because, HOUR, MINUTE, type Stage } from '../../stage.support.ts';

let stage: Stage;
let at: SimulatedAccount;
let id: AccountId;

const { tokenCalls, statusOf, current } = anAccountEach((account) => {
  ({ stage, at, id } = account);
});

describe('a refusal for good', () => {
  test('refresh-token-refused: a token that was used elsewhere deactivates the account', async () => {
    at.tokens.refresh(at.tokens.current().refreshToken);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(stage.node.hot.state.accounts.get(id)).toMatchObject({
      status: 'deactivated',
      deactivationReason: 'Refresh token was used by another program: sign in again, or import the account anew',
    });
    expect(await stage.events(id, 'TokenRefreshFailed', 'AccountDeactivated')).toMatchObject([
      { type: 'TokenRefreshFailed', data: { code: 'refresh_token_reused', isPermanent: true } },
      { type: 'AccountDeactivated', data: { code: 'refresh_token_reused' } },
    ]);
    expect(stage.node.tokens.isUsable(id)).toBe(false);
  });

  test.each([
    'refresh_token_expired',
    'refresh_token_reused',
    'refresh_token_invalidated',
    'account_suspended',
    'account_deleted',
    'invalid_grant',
    'token_invalidated',
    'token_expired',
    'app_session_terminated',
    'account_session_expired',
    'account_auth_invalidated',
    'account_deactivated',
    'invalid_refresh_token',
  ])('%s', async (error) => {
    at.token = { status: 401, error };
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(statusOf()).toBe('deactivated');
    expect(stage.node.hot.state.accounts.get(id)?.deactivationReason).toMatch(/^[A-Z].{15,}/);
  });

  test.each([
    ['error.code', { error: { code: 'invalid_grant' } }],
    ['error.error', { error: { error: 'invalid_grant' } }],
    ['error', { error: 'invalid_grant', error_description: 'Unknown or invalid refresh token.' }],
    ['error_code', { error_code: 'INVALID_GRANT' }],
    ['code', { code: 'invalid_grant' }],
  ])('is found in %s', async (_place, body) => {
    at.token = json(400, body);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
  });

  test('the provider is not asked again', async () => {
    at.revoke();
    await times(20, () => stage.node.tokens.refresh(id, 'unauthorized'));
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(tokenCalls()).toBe(1);
    expect(await stage.events(id, 'AccountDeactivated')).toHaveLength(1);
  });

  test('the operator may have it tried again by reactivating the account', async () => {
    at.token = { status: 401, error: 'account_suspended' };
    await stage.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    await stage.node.handle(subjects.account, id, { type: 'ReactivateAccount', accountId: id }, because);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(statusOf()).toBe('active');
  });

  test('a paused account stays paused and is not asked for again', async () => {
    await stage.node.handle(subjects.account, id, { type: 'PauseAccount', accountId: id }, because);
    at.revoke();
    for (let poll = 0; poll < 3; poll++) {
      expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
      stage.advance(MINUTE);
    }
    expect(statusOf()).toBe('paused');
    expect(tokenCalls()).toBe(1);
  });

  test('what was said of the old tokens is not held against those that an import brings meanwhile', async () => {
    at.revoke();
    stage.onAppend('AccountDeactivated', async (append) => {
      at.signIn();
      await stage.importAccount(at);
      return append();
    });
    await stage.node.tokens.refresh(id, 'unauthorized');
    expect(statusOf()).toBe('active');
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(current());
  });

  test('an account whose deactivation did not reach the log is deactivated at the next occasion', async () => {
    at.revoke();
    stage.onAppend('AccountDeactivated', async () => ({ kind: 'rejected', reason: 'the disk is full' }));
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(statusOf()).toBe('active');
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(statusOf()).toBe('deactivated');
    expect(tokenCalls()).toBe(1);
  });

  test('is heard by the other nodes, which do not ask either', async () => {
    const other = await stage.startNode();
    at.token = { status: 401, error: 'refresh_token_expired' };
    const results = await Promise.all([
      stage.node.tokens.refresh(id, 'unauthorized'),
      other.tokens.refresh(id, 'unauthorized'),
    ]);
    expect(results).toEqual(['permanent', 'permanent']);
    expect(tokenCalls()).toBe(1);
  });
});

describe('token-endpoint-down: a failure that may pass', () => {
  test.each([
    ['500', { status: 500 }],
    ['503 with a code that would be for good', { status: 503, error: 'refresh_token_expired' }],
    ['429 with a code that would be for good', { status: 429, error: 'invalid_grant' }],
    ['408', { status: 408 }],
    ['an unknown code', { status: 400, error: 'unsupported_country' }],
    ['a torn line', resetConnection()],
    ['silence', 'hang'],
    ['HTML', whole(200, 'text/html', '<html>')],
    ['half of a JSON', whole(200, 'application/json', '{"access_token":"a')],
    ['no access token', json(200, { id_token: 'a' })],
    ['a token that would break a header', json(200, { access_token: 'a\r\nx-evil: 1' })],
    ['a redirect', whole(302, 'text/html', '', { headers: { location: '/elsewhere' } })],
  ] as const)('%s', async (_name, script) => {
    at.token = script;
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(statusOf()).toBe('active');
    expect(await stage.events(id, 'TokenRefreshFailed')).toMatchObject([{ data: { isPermanent: false } }]);
    expect(tokenCalls()).toBe(1);
    expect(stage.node.hot.state.tokens.get(id)?.claim).toBeUndefined();
  });

  test('a provider that is not there', async () => {
    const gone = await startProvider();
    await gone.close();
    const { tokens } = await stage.startNode({ endpoint: createTokenEndpoint({ authBaseUrl: gone.authUrl }) });
    expect(await tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(statusOf()).toBe('active');
  });

  test('is not repeated for five seconds, and then it is', async () => {
    at.token = { status: 500 };
    await stage.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    expect(await times(20, () => stage.node.tokens.refresh(id, 'unauthorized'))).toEqual(Array(20).fill('transient'));
    expect(tokenCalls()).toBe(1);
    stage.advance(5_000);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(tokenCalls()).toBe(2);
  });

  test('is repeated at once when the clock was put back meanwhile', async () => {
    at.token = { status: 500 };
    await stage.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    stage.advance(-3_600_000);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
  });

  test('an import of new tokens ends the wait', async () => {
    at.token = { status: 500 };
    await stage.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    at.signIn();
    await stage.importAccount(at);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
  });

  test('is told once an hour, not once a request', async () => {
    at.token = { status: 500 };
    for (let request = 0; request < 5; request++) {
      await stage.node.tokens.refresh(id, 'unauthorized');
      stage.advance(10_000);
    }
    expect(stage.reports).toEqual([expect.stringContaining('could not be refreshed (server_error)')]);
  });

  test('an account with a good access token stays usable, one without does not until it may be tried again', async () => {
    at.token = { status: 500 };
    await stage.node.tokens.refresh(id, 'unauthorized');
    expect(stage.node.tokens.isUsable(id)).toBe(true);
    stage.advance(HOUR);
    expect(stage.node.tokens.isUsable(id)).toBe(true);
    await stage.node.tokens.refresh(id, 'expired');
    expect(stage.node.tokens.isUsable(id)).toBe(false);
    stage.advance(5_000);
    expect(stage.node.tokens.isUsable(id)).toBe(true);
  });

  test('a text in the place of a code does not get into the log', async () => {
    const { refreshToken } = at.tokens.current();
    at.token = json(400, { error: { code: `cannot use ${refreshToken}` } });
    await stage.node.tokens.refresh(id, 'unauthorized');
    expect(await stage.events(id, 'TokenRefreshFailed')).toMatchObject([{ data: { code: 'http_400' } }]);
  });
});
