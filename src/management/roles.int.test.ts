import { expect, test } from 'vitest';
import { browser, setUp } from '../../test/support/browser.ts';
import { type Stage, startManagement } from '../../test/support/management.ts';
import { join, signIn, withToken } from '../../test/support/operators.ts';
import { type Role, roles } from '../domain/operator/role.ts';
import { endpointsOf } from './http/describeRoute.ts';

type Called = Pick<Awaited<ReturnType<typeof setUp>>, 'call'>;

interface Denied {
  readonly sentence: string;
  readonly actor: { readonly token_id: string | null };
}

/** A token of the built-in administrator for each role. */
async function tokensOf(administrator: Called) {
  const tokens = {} as Record<Role, string>;
  for (const role of roles) {
    const { body } = await administrator.call('POST', '/api/tokens', { body: { name: role, role } });
    tokens[role] = body.token;
  }
  return tokens;
}

/** Every operation below /api/ with its roles in the OpenAPI document. */
async function operationsOf(stage: Stage, administrator: Called) {
  const { body } = await administrator.call('GET', '/api/openapi.json');
  const operations = Object.entries<Record<string, { 'x-svc-roles': readonly Role[]; security: readonly object[] }>>(
    body.paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { method, path, shown: operation['x-svc-roles'], security: operation.security };
    }),
  );
  const below = operations.filter(({ path }) => path.startsWith('/api/'));
  const mounted = endpointsOf(stage.management).endpoints.filter(({ path }) => path.startsWith('/api/'));
  expect(below.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    mounted.map(({ method, path }) => `${method} ${path}`).sort(),
  );
  return below;
}

test('what answers without a sign-in has all four roles in the OpenAPI document', async () => {
  const stage = await startManagement();
  const operations = await operationsOf(stage, await setUp(stage));
  const open = [];
  for (const { method, path, shown } of operations) {
    const { status, body } = await browser(stage).call(method.toUpperCase(), `${path.replace(/\{\w+\}/g, 'none')}`);
    if (status === 401 && body.error.code !== 'invalid_credentials') continue;
    open.push(`${method} ${path}`);
    expect([method, path, shown]).toEqual([method, path, roles]);
  }
  expect(open).toContain('post /api/dashboard-auth/login');
  expect(open).toContain('post /api/dashboard-auth/invitation/accept');
});

test.each(['session', 'token'])(
  'every route admits exactly the roles that its x-svc-roles in the OpenAPI document has, by %s',
  async (kind) => {
    const stage = await startManagement();
    const administrator = await setUp(stage);
    const tokens = await tokensOf(administrator);
    const clients = {} as Record<Role, () => Promise<Called>>;
    for (const role of roles) {
      if (kind === 'session') {
        const client = await join(stage, administrator, role, role);
        clients[role] = async () => client;
      } else {
        clients[role] = async () => withToken(stage, tokens[role]);
      }
    }
    const operations = await operationsOf(stage, administrator);
    const wrong: unknown[] = [];
    for (const { method, path, shown } of operations) {
      for (const role of roles) {
        const client = await clients[role]();
        // A wrong parameter, a wrong body and an id that does not exist: the role comes first.
        const sent = method === 'get' ? {} : { body: { unknown: true }, headers: { 'idempotency-key': 'not\tvalid' } };
        const { status, body } = await client.call(
          method.toUpperCase(),
          `${path.replace(/\{\w+\}/g, 'none')}?surplus=1`,
          sent,
        );
        const isRefused = status === 403 && body?.error?.code === 'insufficient_permissions';
        if (isRefused === shown.includes(role)) wrong.push([method, path, role, status, body?.error?.code]);
      }
    }
    expect(wrong).toEqual([]);
    expect(stage.reported).toEqual([]);
  },
  60_000,
);

test('records what was denied: the first at once, and the others of a minute as one count', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const bob = await join(stage, administrator, 'Bob', 'member');
  for (let call = 0; call < 5; call++) await bob.call('GET', '/api/history');
  await stage.denied.stop();
  const { body } = await administrator.call('GET', `/api/history?type=ActionDenied&actor=person:${bob.id}`);
  expect(body.events.map(({ sentence }: { sentence: string }) => sentence)).toEqual([
    `GET /api/history was denied to ${bob.id} 4 more times within one minute`,
    `GET /api/history was denied to ${bob.id}`,
  ]);
  expect(body.events[0].actor).toMatchObject({ name: 'Bob', address: '127.0.0.1' });
});

test('records what a handler denies, and what a token has no scope for', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const bob = await join(stage, administrator, 'Bob', 'member');
  const { body: key } = await bob.call('POST', '/api/api-keys', { body: { name: 'k' } });
  await bob.call('PATCH', `/api/api-keys/${key.id}`, { body: { limits: [] } });
  const { body: made } = await bob.call('POST', '/api/tokens', { body: { name: 'ci', role: 'member' } });
  await bob.call('POST', '/api/tokens', { body: { name: 'x', role: 'auditor' } });
  await withToken(stage, made.token).call('POST', `/api/api-keys/${key.id}/regenerate`);
  const { body } = await administrator.call('GET', '/api/history?type=ActionDenied');
  expect(body.events.map(({ sentence, actor }: Denied) => [sentence.split(' was')[0], actor.token_id])).toEqual([
    ['POST /api/api-keys/:id/regenerate', made.id],
    ['POST /api/tokens', null],
    ['PATCH /api/api-keys/:id', null],
  ]);
});

test('shows members their own keys only, and hides those of others by 404', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const bob = await join(stage, administrator, 'Bob', 'member');
  const carol = await join(stage, administrator, 'Carol', 'member');
  const make = async (client: Called, body: object) => (await client.call('POST', '/api/api-keys', { body })).body;
  const others = [await make(administrator, { name: 'shared' }), await make(carol, { name: 'carols' })];
  const own = await make(bob, { name: 'bobs' });
  expect([own.owner, others[1].owner]).toEqual([bob.id, carol.id]);
  expect((await bob.call('GET', '/api/api-keys')).body.map(({ name }: { name: string }) => name)).toEqual(['bobs']);
  expect((await bob.call('GET', `/api/api-keys?at=${stage.hot.state.position}`)).body).toHaveLength(1);
  for (const { id } of others) {
    for (const [method, path, body] of [
      ['PATCH', `/api/api-keys/${id}`, { name: 'mine' }],
      ['POST', `/api/api-keys/${id}/regenerate`],
      ['DELETE', `/api/api-keys/${id}`],
    ] as const) {
      const unknown = await bob.call(method, path.replace(id, 'unknown'), body && { body });
      const { status, text } = await bob.call(method, path, body && { body });
      expect([path, status, text.replace(id, 'unknown')]).toEqual([path, 404, unknown.text]);
    }
  }
  const change = async (body: object) => (await bob.call('PATCH', `/api/api-keys/${own.id}`, { body })).status;
  expect(await change({ name: 'renamed' })).toBe(200);
  expect(await change({ is_active: false })).toBe(200);
  for (const body of [{ owner: carol.id }, { limits: [] }, { reset_usage: true }, { is_active: true }, { team: 't' }]) {
    expect([body, await change(body)]).toEqual([body, 403]);
  }
  expect((await bob.call('POST', '/api/api-keys', { body: { name: 'x', owner: carol.id } })).status).toBe(400);
  expect((await bob.call('POST', '/api/api-keys', { body: { name: 'x', team: 'none' } })).status).toBe(400);
  expect((await bob.call('POST', `/api/api-keys/${own.id}/regenerate`)).status).toBe(200);
  expect((await bob.call('DELETE', `/api/api-keys/${own.id}`)).status).toBe(204);
  expect((await bob.call('GET', `/api/owners/${carol.id}`)).status).toBe(404);
});

test('a token acts with the lower of its role and that of its owner now, and ends with its owner', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'administrator');
  const { body: made } = await ada.call('POST', '/api/tokens', { body: { name: 'deploy', role: 'operator' } });
  expect(made).toMatchObject({ role: 'operator', owner: { id: ada.id, name: 'Ada' }, last_used_at: null });
  const script = withToken(stage, made.token);
  const allow = async (n: number) =>
    (await script.call('POST', '/api/firewall/ips', { body: { ip_address: `10.0.0.${n}` } })).status;
  const read = async (path: string) => (await script.call('GET', path)).status;
  const promote = (role: Role) => administrator.call('PATCH', `/api/operators/${ada.id}`, { body: { role } });
  expect([await allow(1), await read('/api/operators')]).toEqual([200, 403]);
  // An auditor may read what an operator may not, and the token has neither right.
  await promote('auditor');
  expect([await allow(2), await read('/api/accounts'), await read('/api/operators')]).toEqual([403, 200, 403]);
  await promote('member');
  expect([await read('/api/accounts'), await read('/api/api-keys')]).toEqual([403, 200]);
  await promote('operator');
  expect(await allow(3)).toBe(200);
  const { body: shown } = await administrator.call('GET', `/api/tokens/${made.id}`);
  expect(shown).toMatchObject({ last_used_at: expect.any(String), is_valid: true });
  const { body: page } = await administrator.call('GET', `/api/history?actor=token:${made.id}&type=IpAllowed`);
  expect(page.events[0].actor).toMatchObject({
    ...{ operator_id: ada.id, name: 'Ada', token_id: made.id, token_name: 'deploy', method: 'token' },
  });
  await administrator.call('DELETE', `/api/operators/${ada.id}`);
  expect(await allow(4)).toBe(401);
});

test('refuses a token once it expired or was revoked, and never shows its value again', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const body = { name: 'ci', role: 'auditor', expires_at: new Date(stage.clock.now + 60_000).toISOString() };
  const expiring = (await administrator.call('POST', '/api/tokens', { body })).body;
  const revoked = (await administrator.call('POST', '/api/tokens', { body: { ...body, expires_at: null } })).body;
  const status = async (token: string) => (await withToken(stage, token).call('GET', '/api/accounts')).status;
  expect([await status(expiring.token), await status(revoked.token)]).toEqual([200, 200]);
  expect((await administrator.call('DELETE', `/api/tokens/${revoked.id}`)).status).toBe(200);
  stage.clock.now = (stage.clock.now + 60_000) as never;
  // More often than unknown tokens may be tried: a known one that has ended is no guess.
  for (let call = 0; call < 12; call++) {
    expect([await status(expiring.token), await status(revoked.token)]).toEqual([401, 401]);
  }
  for (const path of ['/api/tokens', `/api/tokens/${revoked.id}`, '/api/history?limit=200']) {
    const { text } = await administrator.call('GET', path);
    expect(text).not.toMatch(/mt-svc-|[0-9a-f]{64}/);
  }
});

test('shows tokens with the owner and the role of an earlier moment', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'operator');
  const { body: made } = await ada.call('POST', '/api/tokens', { body: { name: 'ci', role: 'operator' } });
  const { position } = stage.hot.state;
  await administrator.call('PATCH', `/api/operators/${ada.id}`, { body: { name: 'Ada King', role: 'member' } });
  const owner = async (at: string) => (await administrator.call('GET', `/api/tokens/${made.id}${at}`)).body.owner;
  expect(await owner('')).toEqual({ id: ada.id, name: 'Ada King', role: 'member' });
  expect(await owner(`?at=${position}`)).toEqual({ id: ada.id, name: 'Ada', role: 'operator' });
});

test('throttles unknown tokens of one address, and admits valid ones meanwhile', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const { token } = (await administrator.call('POST', '/api/tokens', { body: { name: 'ci', role: 'auditor' } })).body;
  const guess = async () => (await withToken(stage, `mt-svc-${'0'.repeat(48)}`).call('GET', '/api/accounts')).status;
  const statuses = [];
  for (let call = 0; call < 10; call++) statuses.push(await guess());
  expect(statuses).toEqual([...Array(8).fill(401), 429, 429]);
  expect((await withToken(stage, token).call('GET', '/api/accounts')).status).toBe(200);
  // Also where management is open to this machine, a wrong token is refused.
  const open = await startManagement();
  expect((await withToken(open, 'mt-svc-unknown').call('GET', '/api/accounts')).status).toBe(401);
});

test('asks tokens for the scope of what cannot be undone, which those of administrators have', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  await join(stage, administrator, 'Ada', 'member');
  const { body: key } = await administrator.call('POST', '/api/api-keys', { body: { name: 'k' } });
  const regenerate = async (body: object) => {
    const { token } = (await administrator.call('POST', '/api/tokens', { body: { name: 'ci', ...body } })).body;
    const response = await withToken(stage, token).call('POST', `/api/api-keys/${key.id}/regenerate`);
    return [response.status, response.body.error?.code];
  };
  expect(await regenerate({ role: 'administrator' })).toEqual([200, undefined]);
  expect(await regenerate({ role: 'operator' })).toEqual([403, 'scope_required']);
  expect(await regenerate({ role: 'operator', scopes: ['irreversible'] })).toEqual([200, undefined]);
  expect(await regenerate({ role: 'administrator', scopes: [] })).toEqual([403, 'scope_required']);
});

test('shows members their own tokens only, and refuses one above the own role', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const { body: foreign } = await administrator.call('POST', '/api/tokens', { body: { name: 'ci', role: 'member' } });
  await join(stage, administrator, 'Bob', 'member');
  const bob = await signIn(stage, 'Bob');
  const above = await bob.call('POST', '/api/tokens', { body: { name: 'x', role: 'auditor' } });
  expect([above.status, above.body.error.code]).toEqual([403, 'insufficient_permissions']);
  const { body: own } = await bob.call('POST', '/api/tokens', { body: { name: 'mine', role: 'member' } });
  const { tokens } = (await bob.call('GET', '/api/tokens')).body;
  expect(tokens.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  expect((await bob.call('GET', `/api/tokens/${foreign.id}`)).status).toBe(404);
  expect((await bob.call('DELETE', `/api/tokens/${foreign.id}`)).status).toBe(404);
  expect((await administrator.call('DELETE', `/api/tokens/${own.id}`)).status).toBe(200);
});

test('names to members only the kind of what changed', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const bob = await join(stage, administrator, 'Bob', 'member');
  const messages = async (client: typeof bob | typeof administrator) => {
    const response = await fetch(`http://127.0.0.1:${stage.port}/api/live`, {
      headers: { cookie: client.cookie ?? '' },
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    return async (kind: string) => {
      let text = '';
      while (!text.includes(kind)) text += new TextDecoder().decode((await reader.read()).value);
      await reader.cancel();
      return text;
    };
  };
  const [ofBob, ofAdministrator] = [await messages(bob), await messages(administrator)];
  const { id } = (await administrator.call('POST', '/api/api-keys', { body: { name: 'shared' } })).body;
  expect(await ofAdministrator('apiKey')).toContain(`"apiKey-${id}"`);
  const text = await ofBob('apiKey');
  expect(text).toContain('"apiKey"');
  expect(text).not.toContain(id);
});
