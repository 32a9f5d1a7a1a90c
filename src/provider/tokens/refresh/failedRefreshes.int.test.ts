import { describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../../test/support/provider/account.ts';
import { startProvider } from '../../../../test/support/provider/provider.ts';
import { connectionReset, fullResponse, json } from '../../../../test/support/provider/scripts.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import { accountForEachTest, times } from '../../accountFixture.support.ts';
import { createTokenEndpoint } from '../../client/tokenEndpoint.ts';
import { directCalls } from '../../outgoingProxy/directCalls.support.ts';
import { because, HOUR, MINUTE, type ProviderFixture } from '../../providerFixture.support.ts';

let fixture: ProviderFixture;
let at: SimulatedAccount;
let id: AccountId;

const { tokenCalls, statusOf, current } = accountForEachTest((account) => {
  ({ fixture, at, id } = account);
});

describe('a permanent failure', () => {
  test('refresh-token-refused: deactivates the account with a reason', async () => {
    at.tokens.refresh(at.tokens.current().refreshToken);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(fixture.node.hot.state.accounts.get(id)).toMatchObject({
      status: 'deactivated',
      deactivationReason: 'The refresh token was used by another program: sign in again or import the account again',
    });
    expect(await fixture.events(id, 'TokenRefreshFailed', 'AccountDeactivated')).toMatchObject([
      { type: 'TokenRefreshFailed', data: { code: 'refresh_token_reused', isPermanent: true } },
      { type: 'AccountDeactivated', data: { code: 'refresh_token_reused' } },
    ]);
    expect(fixture.node.tokens.isUsable(id)).toBe(false);
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
  ])('deactivates the account: %s', async (error) => {
    at.token = { status: 401, error };
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(statusOf()).toBe('deactivated');
    expect(fixture.node.hot.state.accounts.get(id)?.deactivationReason).toMatch(/^[A-Z].{15,}/);
  });

  test.each([
    ['error.code', { error: { code: 'invalid_grant' } }],
    ['error.error', { error: { error: 'invalid_grant' } }],
    ['error', { error: 'invalid_grant', error_description: 'Unknown or invalid refresh token.' }],
    ['error_code', { error_code: 'INVALID_GRANT' }],
    ['code', { code: 'invalid_grant' }],
  ])('has its code in %s', async (_place, body) => {
    at.token = json(400, body);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
  });

  test('is not retried', async () => {
    at.revoke();
    await times(20, () => fixture.node.tokens.refresh(id, 'unauthorized'));
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(tokenCalls()).toBe(1);
    expect(await fixture.events(id, 'AccountDeactivated')).toHaveLength(1);
  });

  test('is retried after an operator has reactivated the account', async () => {
    at.token = { status: 401, error: 'account_suspended' };
    await fixture.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    await fixture.node.handle(subjects.account, id, { type: 'ReactivateAccount', accountId: id }, because);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(statusOf()).toBe('active');
  });

  test('leaves a paused account paused and is not retried', async () => {
    await fixture.node.handle(subjects.account, id, { type: 'PauseAccount', accountId: id }, because);
    at.revoke();
    for (let poll = 0; poll < 3; poll++) {
      expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
      fixture.advance(MINUTE);
    }
    expect(statusOf()).toBe('paused');
    expect(tokenCalls()).toBe(1);
  });

  test('does not deactivate an account that has received new tokens by an import', async () => {
    at.revoke();
    fixture.onAppend('AccountDeactivated', async (append) => {
      at.signIn();
      await fixture.importAccount(at);
      return append();
    });
    await fixture.node.tokens.refresh(id, 'unauthorized');
    expect(statusOf()).toBe('active');
    expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(current());
  });

  test('deactivates the account at the next attempt if the log was unavailable', async () => {
    at.revoke();
    fixture.onAppend('AccountDeactivated', async () => ({ kind: 'rejected', reason: 'the disk is full' }));
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(statusOf()).toBe('active');
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(statusOf()).toBe('deactivated');
    expect(tokenCalls()).toBe(1);
  });

  test('stops other nodes from trying', async () => {
    const other = await fixture.startNode();
    at.token = { status: 401, error: 'refresh_token_expired' };
    const results = await Promise.all([
      fixture.node.tokens.refresh(id, 'unauthorized'),
      other.tokens.refresh(id, 'unauthorized'),
    ]);
    expect(results).toEqual(['permanent', 'permanent']);
    expect(tokenCalls()).toBe(1);
  });
});

describe('token-endpoint-down: a transient failure', () => {
  test.each([
    ['500', { status: 500 }],
    ['503 with the code of a permanent failure', { status: 503, error: 'refresh_token_expired' }],
    ['429 with the code of a permanent failure', { status: 429, error: 'invalid_grant' }],
    ['408', { status: 408 }],
    ['an unknown code', { status: 400, error: 'unsupported_country' }],
    ['a reset connection', connectionReset()],
    ['no response', 'hang'],
    ['HTML', fullResponse(200, 'text/html', '<html>')],
    ['truncated JSON', fullResponse(200, 'application/json', '{"access_token":"a')],
    ['no access token', json(200, { id_token: 'a' })],
    ['a token with a line break', json(200, { access_token: 'a\r\nx-evil: 1' })],
    ['a redirect', fullResponse(302, 'text/html', '', { headers: { location: '/elsewhere' } })],
  ] as const)('keeps the account active: %s', async (_name, script) => {
    at.token = script;
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(statusOf()).toBe('active');
    expect(await fixture.events(id, 'TokenRefreshFailed')).toMatchObject([{ data: { isPermanent: false } }]);
    expect(tokenCalls()).toBe(1);
    expect(fixture.node.hot.state.tokens.get(id)?.claim).toBeUndefined();
  });

  test('keeps the account active: connection refused', async () => {
    const closed = await startProvider();
    await closed.close();
    const { tokens } = await fixture.startNode({
      endpoint: createTokenEndpoint({ authBaseUrl: closed.authUrl, agentFor: directCalls }),
    });
    expect(await tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(statusOf()).toBe('active');
  });

  test("is svc's own without a file descriptor: it is retried at once, and no problem of the account", async () => {
    let hasDescriptors = false;
    const provider = createTokenEndpoint({ authBaseUrl: fixture.provider.authUrl, agentFor: directCalls });
    const endpoint = {
      refresh: async (token: string, accountId: AccountId) =>
        hasDescriptors ? provider.refresh(token, accountId) : ({ kind: 'transient', code: 'emfile' } as const),
    };
    const { tokens } = await fixture.startNode({ endpoint });
    expect(await tokens.refresh(id, 'unauthorized')).toBe('outOfDescriptors');
    expect(fixture.reports).toEqual([]);
    hasDescriptors = true;
    expect(await tokens.refresh(id, 'unauthorized')).toBe('refreshed');
  });

  test('is retried after five seconds', async () => {
    at.token = { status: 500 };
    await fixture.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    expect(await times(20, () => fixture.node.tokens.refresh(id, 'unauthorized'))).toEqual(Array(20).fill('transient'));
    expect(tokenCalls()).toBe(1);
    fixture.advance(5_000);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(tokenCalls()).toBe(2);
  });

  test('is retried at once after the clock was set back', async () => {
    at.token = { status: 500 };
    await fixture.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    fixture.advance(-3_600_000);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
  });

  test('is retried at once after an import of new tokens', async () => {
    at.token = { status: 500 };
    await fixture.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    at.signIn();
    await fixture.importAccount(at);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
  });

  test('is reported once until it is over', async () => {
    at.token = { status: 500 };
    for (let request = 0; request < 5; request++) {
      await fixture.node.tokens.refresh(id, 'unauthorized');
      fixture.advance(10_000);
    }
    expect(fixture.reports).toEqual([expect.stringContaining('could not be refreshed (server_error)')]);
    at.token = 'rotate';
    fixture.advance(HOUR);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(fixture.reports.slice(1)).toEqual([expect.stringMatching(/^Over after /)]);
  });

  test('makes the account unusable for the cool-down unless its access token is valid', async () => {
    at.token = { status: 500 };
    await fixture.node.tokens.refresh(id, 'unauthorized');
    expect(fixture.node.tokens.isUsable(id)).toBe(true);
    fixture.advance(HOUR);
    expect(fixture.node.tokens.isUsable(id)).toBe(true);
    await fixture.node.tokens.refresh(id, 'expired');
    expect(fixture.node.tokens.isUsable(id)).toBe(false);
    fixture.advance(5_000);
    expect(fixture.node.tokens.isUsable(id)).toBe(true);
  });

  test('writes no text of the provider to the log', async () => {
    const { refreshToken } = at.tokens.current();
    at.token = json(400, { error: { code: `cannot use ${refreshToken}` } });
    await fixture.node.tokens.refresh(id, 'unauthorized');
    expect(await fixture.events(id, 'TokenRefreshFailed')).toMatchObject([{ data: { code: 'http_400' } }]);
  });
});
