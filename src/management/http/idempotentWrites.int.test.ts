import { expect, test } from 'vitest';
import { z } from 'zod';
import { authFile, upload } from '../../../test/support/authFiles.ts';
import { setUp } from '../../../test/support/browser.ts';
import type { SentRequest } from '../../../test/support/call.ts';
import { sharedManagement, startManagement, temporaryFolder } from '../../../test/support/management.ts';
import { join, withToken } from '../../../test/support/operators.ts';

const stage = sharedManagement();
const withIdempotencyKey = (key: string, body?: unknown): SentRequest => ({
  ...(body === undefined ? {} : { body }),
  headers: { 'idempotency-key': key },
});
const lastPosition = () => stage().hot.state.position;
const call = (method: string, path: string, key: string, body?: unknown) =>
  stage().call(method, path, withIdempotencyKey(key, body));

test('creates an API key once and returns it without its value on a repeat', async () => {
  const first = await call('POST', '/api/api-keys', 'make-1', { name: 'one' });
  const written = lastPosition();
  const second = await call('POST', '/api/api-keys', 'make-1', { name: 'one' });
  const { key, ...rest } = first.body;
  expect(key).toMatch(/^sk-svc-/);
  expect([second.status, second.body]).toEqual([200, rest]);
  expect(z.uuid().safeParse(rest.id).success).toBe(true);
  expect(lastPosition()).toBe(written);
});

test('creates one key for ten simultaneous repeats', async () => {
  const before = stage().hot.state.apiKeys.size;
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => call('POST', '/api/api-keys', 'make-2', { name: 'two' })),
  );
  expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
  expect(responses.filter(({ body }) => body.key !== undefined)).toHaveLength(1);
  expect(stage().hot.state.apiKeys.size).toBe(before + 1);
});

test('keeps later changes when an earlier one is repeated', async () => {
  const { body: key } = await stage().call('POST', '/api/api-keys', { body: { name: 'a' } });
  const path = `/api/api-keys/${key.id}`;
  await call('PATCH', path, 'rename-1', { name: 'b', is_active: false });
  await stage().call('PATCH', path, { body: { name: 'c' } });
  const { status, body } = await call('PATCH', path, 'rename-1', { name: 'b', is_active: false });
  expect([status, body.name, body.is_active]).toEqual([200, 'c', false]);
});

test('returns a regenerated value once', async () => {
  const { body: key } = await stage().call('POST', '/api/api-keys', { body: { name: 'r' } });
  const first = await call('POST', `/api/api-keys/${key.id}/regenerate`, 'again-1');
  const second = await call('POST', `/api/api-keys/${key.id}/regenerate`, 'again-1');
  expect(first.body.key).toMatch(/^sk-svc-/);
  expect(second.body.key).toBeUndefined();
  expect(second.body.key_prefix).toBe(first.body.key_prefix);
});

test('responds to a repeated deletion as to the first one', async () => {
  const { body: key } = await stage().call('POST', '/api/api-keys', { body: { name: 'd' } });
  for (let time = 0; time < 2; time++) {
    expect((await call('DELETE', `/api/api-keys/${key.id}`, 'delete-1')).status).toBe(204);
  }
  await stage().call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' } });
  for (let time = 0; time < 2; time++) {
    const { status, body } = await call('DELETE', '/api/firewall/ips/10.0.0.1', 'delete-2');
    expect([status, body]).toEqual([200, { status: 'deleted' }]);
  }
});

test('does not add an address again that was removed since', async () => {
  const allow = () => call('POST', '/api/firewall/ips', 'allow-1', { ip_address: '10.0.0.2' });
  const first = await allow();
  expect((await allow()).body).toEqual(first.body);
  await stage().call('DELETE', '/api/firewall/ips/10.0.0.2');
  const { status, body } = await allow();
  expect([status, body.error.code]).toEqual([404, 'ip_not_found']);
});

test('imports once and keeps a newer import when a deletion is repeated', async () => {
  const form = () => {
    const { body, headers } = upload(authFile({ email: 'once@example.com' }));
    return { body, headers: { ...headers, 'idempotency-key': 'import-1' } };
  };
  const first = await stage().call('POST', '/api/accounts/import', form());
  const written = lastPosition();
  const second = await stage().call('POST', '/api/accounts/import', form());
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect(lastPosition()).toBe(written);

  const path = `/api/accounts/${first.body.account_id}`;
  await call('DELETE', path, 'delete-3');
  await stage().call('POST', '/api/accounts/import', upload(authFile({ email: 'once@example.com' })));
  expect((await call('DELETE', path, 'delete-3')).status).toBe(200);
  const { body } = await stage().call('GET', '/api/accounts');
  expect(body.accounts.map(({ email }: { email: string }) => email)).toContain('once@example.com');
});

test('refuses the same key with another body, path or method', async () => {
  await call('POST', '/api/api-keys', 'mine', { name: 'first' });
  const written = lastPosition();
  const responses = [
    await call('POST', '/api/api-keys', 'mine', { name: 'second' }),
    await call('POST', '/api/firewall/ips', 'mine', { ip_address: '10.9.9.9' }),
    await call('PUT', '/api/settings', 'mine', {
      sticky_threads_enabled: false,
      prefer_earlier_reset_accounts: true,
    }),
  ];
  for (const { status, body } of responses) expect([status, body.error.code]).toEqual([422, 'idempotency_key_reused']);
  expect(lastPosition()).toBe(written);
});

test.each(['with space', 'ü', 'x'.repeat(256)])('rejects the key %s', async (key) => {
  const { status, body } = await call('POST', '/api/firewall/ips', key, { ip_address: '10.9.9.8' });
  expect([status, body.error.code]).toEqual([400, 'validation_error']);
  expect(body.error.message).toMatch(/^Idempotency-Key must have/);
});

test('recognises a repeat after a restart from the log', async () => {
  const folder = temporaryFolder();
  const ends: (() => void | Promise<void>)[] = [];
  const before = await startManagement({}, (work) => ends.unshift(work), folder);
  const first = await before.call('POST', '/api/api-keys', withIdempotencyKey('kept', { name: 'kept' }));
  for (const end of ends) await end();

  const after = await startManagement({}, undefined, folder);
  const written = after.hot.state.position;
  const repeat = await after.call('POST', '/api/api-keys', withIdempotencyKey('kept', { name: 'kept' }));
  expect([repeat.status, repeat.body.id, repeat.body.key]).toEqual([200, first.body.id, undefined]);
  const other = await after.call('POST', '/api/api-keys', withIdempotencyKey('kept', { name: 'another' }));
  expect(other.status).toBe(422);
  expect(after.hot.state.position).toBe(written);
});

test('takes the same key of another person or token for another write', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const [bob, carol] = [
    await join(stage, administrator, 'Bob', 'member'),
    await join(stage, administrator, 'Carol', 'member'),
  ];
  const { token } = (await administrator.call('POST', '/api/tokens', { body: { name: 'ci', role: 'member' } })).body;
  const sent = withIdempotencyKey('same-key', { name: 'same name' });
  const owners: (readonly [string, string])[] = [];
  for (const client of [administrator, withToken(stage, token), bob, carol, bob]) {
    const { body } = await client.call('POST', '/api/api-keys', sent);
    owners.push([body.owner, body.id]);
  }
  const ids = owners.map(([, id]) => id);
  expect(owners.map(([owner]) => owner)).toEqual([null, 'administrator', bob.id, carol.id, bob.id]);
  expect([new Set(ids).size, ids[4]]).toEqual([4, ids[2]]);
});
