import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { linkEventTypes, operatorOf } from './operator.ts';

let gateway: Gateway;
let operator: ReturnType<typeof operatorOf>;
let account: SimulatedAccount;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
  operator = operatorOf(gateway);
});
beforeEach(() => {
  account = gateway.provider.addAccount();
});
afterAll(() => gateway.stop());

describe('signing in an account again', () => {
  test('replaces the tokens, reactivates the account and keeps everything else', async () => {
    const id = await gateway.importAccount(account);
    account.revoke();
    await gateway.api('POST', `/api/accounts/${id}/pause`);
    await gateway.api('POST', `/api/accounts/${id}/reactivate`);
    const flow = await operator.start({ accountId: id });
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ account_id: id });
    expect((await operator.signIn(flow, account)).text).toContain('signed in again');
    expect(await operator.statusOf(flow.flowId)).toMatchObject({
      status: 'success',
      outcome: 'replaced',
      account_id: id,
    });
    const [listed] = (await operator.accounts()).filter(({ email }: { email: string }) => email === account.email);
    expect(listed).toMatchObject({ account_id: id, status: 'active', deactivation_reason: null });
    expect(linkEventTypes(gateway, flow.flowId).at(-1)).toBe('AccountTokensReplaced');
    expect((await gateway.ask()).status).toBe(200);
  });

  test('refuses another account by name and changes nothing', async () => {
    const id = await gateway.importAccount(account);
    const other = gateway.provider.addAccount();
    const tokensOf = async () => {
      const accounts = await operator.accounts();
      return accounts.find(({ account_id }: { account_id: string }) => account_id === id)?.auth;
    };
    const before = await tokensOf();
    const flow = await operator.start({ account_id: id });
    expect((await operator.signIn(flow, other)).status).toBe(400);
    const status = await operator.statusOf(flow.flowId);
    expect(status).toMatchObject({ status: 'error', error_code: 'wrong_account', account_id: id });
    expect(status.errorMessage).toBe(
      `The sign-in was for another account instead of ${account.email}. Nothing was changed: start again and sign in as ${account.email}`,
    );
    expect(await tokensOf()).toEqual(before);
    expect(gateway.events('AccountTokensReplaced').filter(({ data }) => data.accountId === id)).toEqual([]);
    expect((await operator.accounts()).map(({ email }: { email: string }) => email)).not.toContain(other.email);
    expect(linkEventTypes(gateway, flow.flowId).at(-1)).toBe('AccountLinkFailed');
  });

  test('refuses another account of the pool by name', async () => {
    const [id] = [await gateway.importAccount(account)];
    const other = gateway.provider.addAccount();
    await gateway.importAccount(other);
    const flow = await operator.start({ accountId: id });
    await operator.signIn(flow, other);
    expect((await operator.statusOf(flow.flowId)).errorMessage).toContain(
      `sign-in was for ${other.email} instead of ${account.email}`,
    );
  });

  test('changes only the seat that signed in, not others of its workspace', async () => {
    const seat = gateway.provider.addAccount({ id: account.id, email: 'seat@example.com' });
    const id = await gateway.importAccount(account);
    const flow = await operator.start({ accountId: id });
    await operator.signIn(flow, seat);
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ error_code: 'wrong_account' });
  });

  test('does not restore an account that was deleted in the meantime', async () => {
    const id = await gateway.importAccount(account);
    const flow = await operator.start({ accountId: id });
    await gateway.api('DELETE', `/api/accounts/${id}`);
    await operator.signIn(flow, account);
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ status: 'error', error_code: 'account_not_found' });
    expect((await operator.accounts()).map(({ email }: { email: string }) => email)).not.toContain(account.email);
  });

  test('refuses an unknown account immediately', async () => {
    const before = gateway.events('AccountLinkBegun').length;
    const { status, body } = await gateway.api('POST', '/api/oauth/start', { accountId: 'unknown' });
    expect([status, body.error.code]).toEqual([404, 'account_not_found']);
    expect(gateway.events('AccountLinkBegun').length).toBe(before);
  });
});

describe('known account', () => {
  test('stays unchanged, with a message about how to proceed', async () => {
    const id = await gateway.importAccount(account);
    const flow = await operator.start();
    await operator.signIn(flow, account);
    const status = await operator.statusOf(flow.flowId);
    expect(status).toMatchObject({ status: 'error', error_code: 'duplicate_identity_conflict' });
    expect(status.errorMessage).toMatch(/sign it in again/);
    expect(gateway.events('AccountTokensReplaced').filter(({ data }) => data.accountId === id)).toEqual([]);
  });

  test('gets the new tokens with on_duplicate=replace', async () => {
    const id = await gateway.importAccount(account);
    const flow = await operator.start({ on_duplicate: 'replace' });
    await operator.signIn(flow, account);
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ outcome: 'replaced', account_id: id });
  });

  test('is skipped without an error with import_without_overwrite', async () => {
    const id = await gateway.importAccount(account);
    await gateway.set({ import_without_overwrite: true });
    const flow = await operator.start();
    await gateway.set({ import_without_overwrite: false });
    expect((await operator.signIn(flow, account)).text).toContain('was not changed');
    expect(await operator.statusOf(flow.flowId)).toMatchObject({
      status: 'success',
      outcome: 'skipped',
      account_id: id,
    });
    expect(linkEventTypes(gateway, flow.flowId).at(-1)).toBe('AccountLinkSkipped');
  });
});
