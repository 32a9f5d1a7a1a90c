import { describe, expect, test } from 'vitest';
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
  expect((await administrator.call(...forget('2026-09'))).body).toMatchObject({ months: ['2026-08', '2026-09'] });
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
  expect((await administrator.call(...forget('2026-09'))).body).toMatchObject({ months: [] });
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
  expect((await administrator.call(...forget('2026-10'))).body).toMatchObject({ months: ['2026-08'] });
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

test('asks administrators for a fresh sign-in, and refuses all others', async () => {
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

describe('callers of deleted API keys', () => {
  /** Creates an API key whose requests came from an address, and deletes it without forgetting them. */
  async function deletedKey(stage: Stage, { call }: Awaited<ReturnType<typeof setUp>>, name: string) {
    const { id } = (await call('POST', '/api/api-keys', { body: { name } })).body;
    const sealed = stage.vault.seal(await stage.vault.createKey(callersOfKey(id)), '203.0.113.7');
    expect((await call('DELETE', `/api/api-keys/${id}`)).status).toBe(204);
    return { id: id as string, sealed };
  }
  const forgetKeys = (...ids: string[]) => ['POST', '/api/callers/forget', { body: { api_keys: ids } }] as const;
  const LIST = ['GET', '/api/callers/deleted-keys'] as const;

  test('are listed and forgotten, those of existing keys are not', async () => {
    const stage = await startManagement();
    const administrator = await setUp(stage);
    const [first, second] = [
      await deletedKey(stage, administrator, 'first'),
      await deletedKey(stage, administrator, 'second'),
    ];
    const { id: existing } = (await administrator.call('POST', '/api/api-keys', { body: { name: 'third' } })).body;
    const kept = stage.vault.seal(await stage.vault.createKey(callersOfKey(existing)), '203.0.113.7');
    // Of an API key that only another node knows so far.
    await stage.vault.createKey(callersOfKey('elsewhere' as never));
    const listed = (await administrator.call(...LIST)).body.api_keys;
    expect(listed.map(({ id }: { id: string }) => id).sort()).toEqual([first.id, second.id].sort());
    expect(listed[0]).toMatchObject({ deleted_at: expect.any(String), sentence: expect.stringContaining('deleted') });

    const refused = await administrator.call(...forgetKeys(first.id, existing));
    expect(codeOf(refused)).toEqual([400, 'validation_error']);
    expect(refused.body.error.message).toContain(existing);
    expect(stage.vault.open(first.sealed)).toBe('203.0.113.7');

    const done = await administrator.call(...forgetKeys(first.id, 'elsewhere', 'unknown'));
    expect(done.body).toEqual({ months: [], api_keys: [first.id] });
    expect(() => stage.vault.open(first.sealed)).toThrow();
    for (const sealed of [second.sealed, kept]) expect(stage.vault.open(sealed)).toBe('203.0.113.7');
    expect(stage.vault.currentKeyOf(callersOfKey('elsewhere' as never))).toBeDefined();
    const [event] = (await administrator.call('GET', '/api/history?type=CallersForgotten')).body.events;
    expect(event).toMatchObject({ subject: 'audit-main', actor: { operator_id: 'administrator' } });
    expect(event.sentence).toBe(
      `addresses and user agents of requests of deleted API keys were forgotten, of the key ${first.id}`,
    );
    expect((await administrator.call(...forgetKeys(first.id))).body).toEqual({ months: [], api_keys: [] });
    expect((await administrator.call(...LIST)).body.api_keys).toHaveLength(1);
    expect((await administrator.call('GET', '/api/history?type=CallersForgotten')).body.events).toHaveLength(1);
  });

  test('stay while a legal hold is on the requests of the key, and go when it is on later ones', async () => {
    const stage = await startManagement();
    const administrator = await setUp(stage);
    const { id, sealed } = await deletedKey(stage, administrator, 'first');
    const iso = (days: number) => new Date(stage.clock.now + days * 86_400_000).toISOString();
    const place = async (scope: object) =>
      (await administrator.call('POST', '/api/holds', { body: { ...scope, reason: 'dispute' } })).body.id as string;
    const later = await place({ from: iso(2) });
    const earlier = await place({ until: iso(-1) });
    for (const scope of [{ subject: `apiKey-${id}` }, { from: iso(-1), until: iso(1) }]) {
      const hold = await place(scope);
      expect(codeOf(await administrator.call(...forgetKeys(id)))).toEqual([409, 'callers_held']);
      await administrator.call('DELETE', `/api/holds/${hold}`, { body: { reason: 'settled' } });
    }
    expect(stage.vault.open(sealed)).toBe('203.0.113.7');
    expect([later, earlier].every(Boolean)).toBe(true);
    expect((await administrator.call(...forgetKeys(id))).body).toEqual({ months: [], api_keys: [id] });
  });

  test('refuses both conditions at once, none, and lists without an id', async () => {
    const administrator = await setUp(await startManagement());
    for (const body of [{}, { until: '2026-01', api_keys: ['a'] }, { api_keys: [] }, { api_keys: null, until: null }]) {
      expect(codeOf(await administrator.call('POST', '/api/callers/forget', { body }))).toEqual([
        400,
        'validation_error',
      ]);
    }
  });
});
