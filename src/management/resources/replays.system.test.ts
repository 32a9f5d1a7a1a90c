import { expect, test } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../../../test/support/gateway.ts';

async function aGateway(): Promise<Gateway & { readonly key: string; readonly keyId: string }> {
  const gateway = await startGateway({ accounts: 3 });
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 100_000 }];
  const { key, id: keyId } = (await gateway.api('POST', '/api/api-keys', { name: 'key', limits })).body;
  await gateway.set({ api_key_auth_enabled: true });
  for (let index = 0; index < 12; index += 1)
    await (await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key}` } })).text();
  return Object.assign(gateway, { key, keyId });
}

async function ended(gateway: Gateway, id: string) {
  const get = async () => (await gateway.api('GET', `/api/replays/${id}`)).body;
  await expect.poll(async () => (await get()).job.state, { timeout: 30_000 }).not.toBe('running');
  return get();
}

test('replays the log beside the service, and simulates a what-if as a job', async () => {
  const gateway = await aGateway();
  try {
    const head = async () => (await gateway.api('GET', '/api/history?limit=1')).body.events[0].position;
    const before = await head();
    const plain = await gateway.api('POST', '/api/replays', {});
    expect([plain.status, plain.body.kind]).toEqual([202, 'replay']);
    const { job, report } = await ended(gateway, plain.body.id);
    expect(job).toMatchObject({ state: 'done', error: null, result: { requests: 12, differences: 0 } });
    expect(report).toMatchObject({ requests: 12, differences: [], more_differences: 0, what_if: null });

    const strict = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1 }];
    const what_if = { limits: { keys: { [gateway.keyId]: strict } }, plus_accounts: [{ plan_type: 'pro' }] };
    const started = await gateway.api('POST', '/api/replays', { what_if });
    const simulated = (await ended(gateway, started.body.id)).report.what_if;
    expect(simulated.outcomes).toMatchObject({
      served: { recorded: 12, simulated: 1 },
      refused: { recorded: 0, simulated: 11 },
    });
    expect(simulated.refusals).toMatchObject([{ reason: 'limit_reached', rule: '1 total_tokens daily' }]);
    const { replays } = (await gateway.api('GET', '/api/replays')).body;
    expect(replays.map(({ id }: { id: string }) => id)).toEqual([started.body.id, plain.body.id]);
    expect(await head(), 'a replay only reads').toBe(before);
  } finally {
    await gateway.stop();
  }
}, 60_000);

test('refuses what it cannot replay by name, and one replay beside another', async () => {
  const gateway = await aGateway();
  try {
    for (const [body, message] of [
      [{ since: 'yesterday' }, 'since must be a time'],
      [{ since: '2026-02-01', until: '2026-01-01' }, 'until must not be before since'],
      [{ what_if: { stratgy: 'round_robin' } }, 'what_if.stratgy is not a known field'],
      [{ what_if: { strategy: 'fastest' } }, 'what_if.strategy must be one of'],
      [{ what_if: { without_accounts: ['acc_x'] } }, 'No account acc_x is in the log'],
      [{ what_if: { limits: { keys: { x: [] } } } }, 'what_if.limits.keys'],
      [{ what_if: { plus_accounts: [{ plan_type: 'PRO!' }] } }, 'must be the name of a plan'],
    ] as const) {
      const { status, body: answer } = await gateway.api('POST', '/api/replays', body);
      expect([status, answer.error.code]).toEqual([400, 'validation_error']);
      expect(answer.error.message).toContain(message);
    }
    const { body: job } = await gateway.api('POST', '/api/replays', { what_if: { strategy: 'round_robin' } });
    expect((await gateway.api('POST', '/api/replays', {})).body.error.code).toBe('job_running');
    expect((await gateway.api('DELETE', `/api/replays/${job.id}`)).body.state).toBe('cancelled');
    expect(await ended(gateway, job.id)).toMatchObject({ job: { state: 'cancelled' }, report: null });
    expect((await gateway.api('GET', '/api/replays/unknown')).status).toBe(404);
  } finally {
    await gateway.stop();
  }
}, 60_000);
