import { expect, test } from 'vitest';
import { authFile, upload } from '../../../test/support/authFiles.ts';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';
import { importAccount, listAccounts } from './accountCalls.support.ts';

const shared = sharedManagement();

test('refuses a known identity, with a message about how to proceed', async () => {
  const stage = await startManagement();
  const { account_id } = await importAccount(stage);
  const position = stage.hot.state.position;
  const { status, body } = await stage.call(
    'POST',
    '/api/accounts/import',
    upload(authFile({ email: 'ADA@example.com' })),
  );
  expect([status, body.error.code]).toEqual([409, 'duplicate_identity_conflict']);
  expect(body.error.message).toContain(account_id);
  expect(body.error.message).toContain('on_duplicate=replace');
  expect(stage.hot.state.position).toBe(position);
});

test('skips a known identity with import_without_overwrite', async () => {
  const imported: string[] = [];
  const stage = await startManagement({ onAccountImported: (id) => imported.push(id) });
  const first = await importAccount(stage);
  const body = { sticky_threads_enabled: true, prefer_earlier_reset_accounts: false, import_without_overwrite: true };
  await stage.call('PUT', '/api/settings', { body });
  const { position } = stage.hot.state;
  expect(await importAccount(stage, authFile({ plan: 'pro' }))).toEqual(first);
  expect([stage.hot.state.position, imported]).toEqual([position, [first.account_id]]);
});

test('replaces tokens with on_duplicate=replace and keeps the account paused', async () => {
  const imported: string[] = [];
  const stage = await startManagement({ onAccountImported: (id) => imported.push(id) });
  const { account_id } = await importAccount(stage);
  const file = authFile({ plan: 'pro' });
  file.tokens.refresh_token = 'rt_new';
  const response = await importAccount(stage, file, '?on_duplicate=replace');
  expect(response).toEqual({ account_id, email: 'ada@example.com', plan_type: 'pro', status: 'active' });
  const refresh = stage.hot.state.tokens.get(account_id)?.tokens?.refresh;
  expect(refresh && stage.vault.open(refresh)).toBe('rt_new');
  expect(imported).toEqual([account_id, account_id]);
  await stage.call('POST', `/api/accounts/${account_id}/pause`);
  expect((await importAccount(stage, file, '?onDuplicate=replace')).status).toBe('paused');
});

test('rejects any other on_duplicate', async () => {
  const { status, body } = await shared().call('POST', '/api/accounts/import?on_duplicate=merge', upload(authFile()));
  expect([status, body.error.code]).toEqual([400, 'validation_error']);
  expect(body.error.message).toContain('on_duplicate');
});

test('imports one of ten simultaneous uploads of one identity', async () => {
  const stage = await startManagement();
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => stage.call('POST', '/api/accounts/import', upload(authFile()))),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  expect(await listAccounts(stage)).toHaveLength(1);
});
