import { expect, test } from 'vitest';
import { startManagement } from '../../../test/support/management.ts';
import { position } from '../../domain/core/brands.ts';
import { IpAllowed } from '../../domain/firewall/events.ts';
import type { IpAddress } from '../../domain/firewall/ipAddress.ts';

type Stage = Awaited<ReturnType<typeof startManagement>>;

/** A service whose log has some events. */
async function aService(): Promise<Stage> {
  const stage = await startManagement();
  for (let count = 0; count < 3; count += 1) await stage.append(IpAllowed({ ip: `10.0.0.${count}` as IpAddress }));
  return stage;
}

const jobOf = async ({ call }: Stage, id: string) => (await call('GET', `/api/jobs/${id}`)).body;

async function ended(stage: Stage, id: string) {
  await expect.poll(async () => (await jobOf(stage, id)).state, { timeout: 20_000 }).not.toBe('running');
  return jobOf(stage, id);
}

test('verifies the log as a job, records who did, and shows the result as the last one', async () => {
  const stage = await aService();
  const head = stage.hot.state.position;
  const { status, body } = await stage.call('POST', '/api/integrity/verify', { body: {} });
  expect([status, body.kind]).toEqual([202, 'verify']);
  const { state, result, error } = await ended(stage, body.id);
  expect([state, error]).toEqual(['done', null]);
  expect(result).toMatchObject({ ok: true, events: head, findings: [], root: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const events = await Array.fromAsync(stage.log.readAll(position(head)));
  expect(events).toMatchObject([{ type: 'VerificationMade', data: { from: 1, to: head, ok: true, kinds: [] } }]);
  expect(events[0]?.metadata.actor.kind).toBe(body.actor.kind);
  await expect
    .poll(async () => (await stage.call('GET', '/api/integrity')).body.verification)
    .toMatchObject({ ok: true, events: head, findings: 0 });
});

test('verifies a part, and refuses one that ends before it begins or is no part', async () => {
  const stage = await aService();
  const { body } = await stage.call('POST', '/api/integrity/verify', { body: { from: 2, to: 3 } });
  expect((await ended(stage, body.id)).result).toMatchObject({ ok: true, events: 2, root: null });
  for (const part of [{ from: 3, to: 2 }, { from: 0 }, { to: 'x' }, { what: 1 }]) {
    expect((await stage.call('POST', '/api/integrity/verify', { body: part })).status).toBe(400);
  }
});

test('records nothing of a verification that was cancelled', async () => {
  const stage = await aService();
  const head = stage.hot.state.position;
  const { body } = await stage.call('POST', '/api/integrity/verify', { body: {} });
  expect((await stage.call('DELETE', `/api/jobs/${body.id}`)).body.state).toBe('cancelled');
  expect(stage.hot.state.position).toBe(head);
});
