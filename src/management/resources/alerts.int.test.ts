import { expect, test } from 'vitest';
import { startManagement } from '../../../test/support/management.ts';
import { startReceiver } from '../../alerts/alertStage.support.ts';
import { webhookKeyOf } from '../accounts/destroyKeysOfRemovedWebhooks.ts';

const PATH = '/api/alerts/webhooks';

test('adds a webhook, shows its URL nowhere, tests it, and destroys its key with it', async () => {
  const [stage, receiver] = await Promise.all([startManagement(), startReceiver()]);
  const added = await stage.call('POST', PATH, { body: { name: 'on call', url: receiver.url } });
  expect(added.status).toBe(200);
  const { id, secret } = added.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(added.body).toMatchObject({ name: 'on call', origin: `http://127.0.0.1:${receiver.port}`, format: 'json' });
  const shown = JSON.stringify([
    (await stage.call('GET', PATH)).body,
    (await stage.call('GET', '/api/history')).body,
    (await stage.call('GET', '/api/history/1')).body,
  ]);
  expect(shown).toContain('on call');
  for (const hidden of ['secret-path', secret]) expect(shown).not.toContain(hidden);

  const test = async () => (await stage.call('POST', `${PATH}/${id}/test`)).body;
  expect(await test()).toEqual({ taken: true, status: 204, problem: null });
  expect(receiver.received[0]?.body).toMatchObject({ type: 'alert.test' });
  receiver.respondWith(418);
  expect(await test()).toEqual({ taken: false, status: null, problem: 'it responded with status 418' });

  expect((await stage.call('DELETE', `${PATH}/${id}`)).body).toEqual({ status: 'removed' });
  expect(stage.vault.currentKeyOf(webhookKeyOf(id))).toBeUndefined();
  expect((await stage.call('GET', PATH)).body).toEqual({ webhooks: [] });
  expect((await stage.call('DELETE', `${PATH}/${id}`)).body.error.code).toBe('webhook_not_found');
  expect((await stage.call('GET', `${PATH}?at=1`)).body.webhooks).toHaveLength(1);
});

test('counts the entries of a list that is too long, and the characters of a text', async () => {
  const stage = await startManagement();
  const message = async (body: object) =>
    (await stage.call('POST', PATH, { body: { name: 'x', url: 'http://hooks.example/', ...body } })).body.error.message;
  expect(await message({ rules: Array(9).fill('pool_low') })).toBe('rules must have at most 8 entries');
  expect(await message({ name: 'x'.repeat(101) })).toBe('name must have at most 100 characters');
});

test.each([
  ['ftp://hooks.example/x', 'must be an http or https URL'],
  ['hooks.example/x', 'must be an http or https URL'],
  ['http://169.254.169.254/latest/meta-data', 'link-local or metadata'],
  ['http://[::ffff:169.254.169.254]/', 'link-local or metadata'],
])('refuses the URL %s', async (url, problem) => {
  const stage = await startManagement();
  const { status, body } = await stage.call('POST', PATH, { body: { name: 'x', url } });
  expect([status, body.error.code]).toEqual([400, 'invalid_webhook']);
  expect(body.error.message).toContain(problem);
  expect(stage.hot.state.alerts.webhooks.size).toBe(0);
});

test('adds one webhook for a repeated Idempotency-Key, without the secret', async () => {
  const stage = await startManagement();
  const request = {
    body: { name: 'on call', url: 'https://hooks.example/x' },
    headers: { 'idempotency-key': 'once-0123456789' },
  };
  const first = await stage.call('POST', PATH, request);
  const second = await stage.call('POST', PATH, request);
  expect([first.body.id === second.body.id, first.body.secret !== undefined, second.body.secret]).toEqual([
    true,
    true,
    undefined,
  ]);
  expect(stage.hot.state.alerts.webhooks.size).toBe(1);
});
