import { expect, test } from 'vitest';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';

const shared = sharedManagement();
const defaults = {
  sticky_threads_enabled: true,
  prefer_earlier_reset_accounts: false,
  routing_strategy: 'usage_weighted',
  import_without_overwrite: false,
  totp_required_on_login: false,
  totp_configured: false,
  api_key_auth_enabled: false,
};
const required = { sticky_threads_enabled: true, prefer_earlier_reset_accounts: false };

test('starts with the default settings', async () => {
  const { call } = await startManagement();
  const { status, body } = await call('GET', '/api/settings');
  expect([status, body]).toEqual([200, defaults]);
});

test('changes the given settings and keeps those omitted or null', async () => {
  const { call } = await startManagement();
  const first = await call('PUT', '/api/settings', {
    body: { ...required, routing_strategy: 'round_robin', api_key_auth_enabled: true },
  });
  const changed = { ...defaults, routing_strategy: 'round_robin', api_key_auth_enabled: true };
  expect([first.status, first.body]).toEqual([200, changed]);
  const second = await call('PUT', '/api/settings', {
    body: { sticky_threads_enabled: false, prefer_earlier_reset_accounts: true, routing_strategy: null },
  });
  const expected = { ...changed, sticky_threads_enabled: false, prefer_earlier_reset_accounts: true };
  expect(second.body).toEqual(expected);
  expect((await call('GET', '/api/settings')).body).toEqual(expected);
});

test('accepts its own response as a request and changes nothing', async () => {
  const { call, hot } = await startManagement();
  const { body } = await call('GET', '/api/settings');
  const { status } = await call('PUT', '/api/settings', { body });
  expect([status, hot.state.position]).toEqual([200, 0]);
});

test('accepts camelCase', async () => {
  const { call } = await startManagement();
  const body = { stickyThreadsEnabled: false, preferEarlierResetAccounts: true, importWithoutOverwrite: true };
  expect((await call('PUT', '/api/settings', { body })).body).toMatchObject({
    sticky_threads_enabled: false,
    prefer_earlier_reset_accounts: true,
    import_without_overwrite: true,
  });
});

test.each([
  [{}, 'sticky_threads_enabled is missing'],
  [{ sticky_threads_enabled: true }, 'prefer_earlier_reset_accounts is missing'],
  [{ ...required, sticky_threads_enabled: 'yes' }, 'sticky_threads_enabled must be true or false'],
  [{ ...required, sticky_threads_enabled: null }, 'sticky_threads_enabled must be true or false'],
  [{ ...required, routing_strategy: 'fastest' }, 'routing_strategy must be one of usage_weighted, round_robin'],
  [{ ...required, api_key_auth: true }, 'api_key_auth is not a known field'],
  [{ ...required, stickyThreadsEnabled: true }, 'stickyThreadsEnabled is given twice'],
])('rejects %j: %s', async (body, message) => {
  const { call } = shared();
  const response = await call('PUT', '/api/settings', { body });
  expect([response.status, response.body]).toEqual([400, { error: { code: 'validation_error', message } }]);
});

test('rejects all fields of a change that requires TOTP while none is set up', async () => {
  const { call } = await startManagement();
  const body = { ...required, totp_required_on_login: true, api_key_auth_enabled: true };
  const response = await call('PUT', '/api/settings', { body });
  expect([response.status, response.body.error.code]).toEqual([400, 'invalid_totp_config']);
  expect((await call('GET', '/api/settings')).body).toEqual(defaults);
});
