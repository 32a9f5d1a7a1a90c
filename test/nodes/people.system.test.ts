import { expect, test, vi } from 'vitest';
import { OPERATOR_PASSWORD, secretOf } from '../support/operators.ts';
import { openPeopleNodes, PASSWORD, soon } from './peopleNodes.ts';

const SLOW = { timeout: 120_000 };

test.each([
  ['remove', 'DELETE', undefined],
  ['demote', 'PATCH', { role: 'member' }],
  ['disable', 'PATCH', { is_active: false }],
] as const)(
  'of two administrators who %s each other on two nodes at once, one remains',
  async (_, method, body) => {
    const { a, b, administrator, untilEqual, join } = await openPeopleNodes();
    const [ada, bea] = [await join('Ada', 'administrator'), await join('Bea', 'administrator')];
    await untilEqual();
    // From now on, one of the two must remain.
    const removed = await administrator(a, 'DELETE', '/api/dashboard-auth/password', { password: PASSWORD });
    expect(removed.status).toBe(200);
    await vi.waitUntil(async () => (await administrator(b, 'GET', '/api/accounts')).status === 401, soon);
    const [one, other] = await Promise.all([
      ada.call(a, method, `/api/operators/${bea.id}`, body),
      bea.call(b, method, `/api/operators/${ada.id}`, body),
    ]);
    const [least, most] = [one.status, other.status].sort();
    expect(least).toBe(200);
    // Refused as the last one, or already ended when the request came.
    expect([401, 403, 409]).toContain(most);
    const survivor = one.status === 200 ? ada : bea;
    for (const node of [a, b]) {
      await vi.waitFor(async () => {
        const { body: list } = await survivor.call(node, 'GET', '/api/operators');
        const active = list.operators.filter(
          ({ role, status }: Record<string, string>) => role === 'administrator' && status === 'active',
        );
        expect(active.map(({ id }: { id: string }) => id)).toEqual([survivor.id]);
      }, soon);
    }
    const last = await survivor.call(b, method, `/api/operators/${survivor.id}`, body);
    expect([last.status, last.code]).toEqual([409, 'last_administrator']);
  },
  SLOW.timeout,
);

test('a revoked token, a new role and a removed operator bind the other node within a second', SLOW, async () => {
  const { a, b, client, administrator, join, untilEqual } = await openPeopleNodes();
  const ada = await join('Ada', 'operator');
  const { token, id } = (await ada.call(a, 'POST', '/api/tokens', { name: 'ci', role: 'operator' })).body;
  await untilEqual();
  const script = client(token);
  const read = async () => (await script(b, 'GET', '/api/accounts')).status;
  const write = async () => (await ada.call(b, 'POST', '/api/firewall/ips', { ip_address: 'none' })).status;
  expect([await read(), await write()]).toEqual([200, 400]);
  const durations: number[] = [];
  const binds = async (change: () => Promise<{ status: number }>, isBound: () => Promise<boolean>) => {
    expect((await change()).status).toBe(200);
    const since = performance.now();
    await vi.waitUntil(isBound, soon);
    durations.push(Math.round(performance.now() - since));
  };
  const patch = (role: string) => () => administrator(a, 'PATCH', `/api/operators/${ada.id}`, { role });
  await binds(patch('auditor'), async () => (await write()) === 403);
  await binds(patch('operator'), async () => (await write()) === 400);
  await binds(
    () => administrator(a, 'DELETE', `/api/tokens/${id}`),
    async () => (await read()) === 401,
  );
  await binds(
    () => administrator(a, 'DELETE', `/api/operators/${ada.id}`),
    async () => (await write()) === 401,
  );
  // biome-ignore lint/suspicious/noConsole: the figures of the experiment
  console.info(`until the other node obeys: ${durations.join(', ')} ms`);
  // The median, because a busy machine may stall once.
  expect(durations.sort((one, other) => one - other)[1]).toBeLessThan(1_000);
});

test('accepts an invitation on one of two nodes that get it at once', SLOW, async () => {
  const { a, b, client, invite, untilEqual } = await openPeopleNodes();
  const { invitation_url } = await invite('Ada', 'member');
  await untilEqual();
  const accept = { token: secretOf(invitation_url), password: OPERATOR_PASSWORD };
  const path = '/api/dashboard-auth/invitation/accept';
  const both = await Promise.all([a, b].map((node) => client()(node, 'POST', path, accept)));
  const [accepted, refused] = both.map(({ status }) => status).sort();
  // 409 from a node that has not read the other's event yet.
  expect([accepted, [400, 409].includes(refused as number)]).toEqual([200, true]);
});
