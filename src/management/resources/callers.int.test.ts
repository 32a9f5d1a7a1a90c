import { expect, test } from 'vitest';
import { setUp } from '../../../test/support/browser.ts';
import { type Stage, startManagement } from '../../../test/support/management.ts';
import { invite, join } from '../../../test/support/operators.ts';
import { NOW } from '../../../test/support/specification.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { addressDigests, callersOfKey, callersOfMonth } from '../../vault/callerKeys.ts';

const startIn = (month: string) => startManagement({ startAt: instant(Date.parse(`${month}-15T12:00:00Z`)) });
/** Seals an address as a request without a key at that time does. */
async function sealIn({ vault }: Stage, month: string) {
  const keyId = await vault.createKey(callersOfMonth(instant(Date.parse(`${month}-01T00:00:00Z`))));
  return vault.seal(keyId, '203.0.113.7');
}
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body?.error?.code ?? 'ok',
];
const forget = (until: string) => ['POST', '/api/callers/forget', { body: { until } }] as const;

test('forgets the callers of the months until one, and records who did it', async () => {
  const stage = await startIn('2026-11');
  const sealed = [];
  for (const month of ['2026-08', '2026-09', '2026-10', '2026-11']) sealed.push(await sealIn(stage, month));
  const ofKey = stage.vault.seal(await stage.vault.createKey(callersOfKey('k1' as never)), '203.0.113.7');
  const administrator = await setUp(stage);
  expect((await administrator.call('GET', '/api/callers/months')).body.months).toEqual([
    { month: '2026-08', is_over: true },
    { month: '2026-09', is_over: true },
    { month: '2026-10', is_over: true },
    { month: '2026-11', is_over: false },
  ]);
  expect((await administrator.call(...forget('2026-09'))).body).toEqual({ months: ['2026-08', '2026-09'] });
  const [august, september, october, november] = sealed as [never, never, never, never];
  for (const gone of [august, september]) expect(() => stage.vault.open(gone)).toThrow();
  for (const kept of [october, november, ofKey]) expect(stage.vault.open(kept as never)).toBe('203.0.113.7');
  // Nor can an address be confirmed any more.
  expect(addressDigests(stage.vault, '203.0.113.7')).toHaveLength(3);
  const { events } = (await administrator.call('GET', '/api/history?type=CallersForgotten')).body;
  expect(events).toMatchObject([
    { subject: 'audit-main', actor: { operator_id: 'administrator', address: '127.0.0.1' } },
  ]);
  expect(events[0].sentence).toContain('2026-08, 2026-09');
  // A repetition finds nothing to forget.
  expect((await administrator.call(...forget('2026-09'))).body).toEqual({ months: [] });
  expect((await administrator.call('GET', '/api/history?type=CallersForgotten')).body.events).toHaveLength(1);
});

test('refuses the current month, later ones and what is no month', async () => {
  const administrator = await setUp(await startIn('2026-11'));
  for (const until of ['2026-11', '2027-01', '2026-13', '2026-1', '2026-10-01', '']) {
    expect([until, ...codeOf(await administrator.call(...forget(until)))]).toEqual([until, 400, 'validation_error']);
  }
});

test('keeps what a legal hold is on', async () => {
  const stage = await startIn('2026-11');
  const sealed = await sealIn(stage, '2026-08');
  const administrator = await setUp(stage);
  const hold = {
    subject: 'apiKey-any',
    from: '2026-08-31T23:00:00Z',
    until: '2026-09-15T00:00:00Z',
    reason: 'dispute',
  };
  const { body } = await administrator.call('POST', '/api/holds', { body: hold });
  expect(codeOf(await administrator.call(...forget('2026-10')))).toEqual([409, 'callers_held']);
  expect(stage.vault.open(sealed)).toBe('203.0.113.7');
  await administrator.call('DELETE', `/api/holds/${body.id}`, { body: { reason: 'settled' } });
  expect((await administrator.call(...forget('2026-10'))).body).toEqual({ months: ['2026-08'] });
});

test('deletes an API key with its callers only where no hold is on its requests', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const { body: key } = await administrator.call('POST', '/api/api-keys', { body: { name: 'k' } });
  const sealed = stage.vault.seal(await stage.vault.createKey(callersOfKey(key.id)), '203.0.113.7');
  const place = { subject: `apiKey-${key.id}`, reason: 'dispute' };
  const { body: hold } = await administrator.call('POST', '/api/holds', { body: place });
  const remove = () => administrator.call('DELETE', `/api/api-keys/${key.id}?forget_callers=true`);
  expect(codeOf(await remove())).toEqual([409, 'callers_held']);
  expect(stage.vault.open(sealed)).toBe('203.0.113.7');
  expect(stage.hot.state.apiKeys.has(key.id)).toBe(true);
  await administrator.call('DELETE', `/api/holds/${hold.id}`, { body: { reason: 'settled' } });
  expect((await remove()).status).toBe(204);
  expect(() => stage.vault.open(sealed)).toThrow();
});

test('asks administrators for a fresh sign-in, and refuses everybody else', async () => {
  const stage = await startManagement();
  const sealed = await sealIn(stage, '2020-01');
  const administrator = await setUp(stage);
  const operator = await join(stage, administrator, 'Olga', 'operator');
  await invite(administrator, 'Ada', 'auditor');
  expect(codeOf(await operator.call(...forget('2020-01')))).toEqual([403, 'insufficient_permissions']);
  stage.clock.now = (NOW + 11 * 60_000) as Instant;
  expect(codeOf(await administrator.call(...forget('2020-01')))).toEqual([401, 'reauthentication_required']);
  expect(stage.vault.open(sealed)).toBe('203.0.113.7');
});
