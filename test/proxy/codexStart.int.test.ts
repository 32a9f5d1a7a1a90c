import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Gateway, GatewayOptions } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';

// What Codex asks before its first model request (docs/clients.md#what-codex-asks-at-its-start).

let gateway: Gateway;
const next = gateways();
const start = async (options?: GatewayOptions) => {
  gateway = await next(options);
};

type Workspaces = { accounts: { workspace_backend_origin: string }[] };

const token = 'eyJhbGciOiJub25lIn0.of-the-own-sign-in.x';
const workspace = '11111111-2222-4333-8444-555555555555';
const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    headers: { authorization: `Bearer ${token}`, 'chatgpt-account-id': workspace, ...headers },
  });
const bodyOf = async (path: string, headers?: Record<string, string>) => (await ask(path, headers)).json();
const statusAndCode = async (response: Response) => {
  const body = (await response.json()) as { error?: { code: string } };
  return [response.status, body.error?.code];
};

const WORKSPACES = ['/backend-api/wham/accounts/check', '/api/codex/accounts/check'];
const POLICIES = ['config/bundle', 'config/requirements'].flatMap((path) => [
  `/backend-api/wham/${path}`,
  `/api/codex/${path}`,
  `/backend-api/svc/wham/${path}`,
]);
/** Not served: Codex goes on at once without them. */
const MISSING = [
  '/backend-api/wham/settings/user',
  '/backend-api/wham/security-setup',
  '/backend-api/wham/rate-limit-reset-credits',
  '/backend-api/wham/profiles/me',
  '/backend-api/wham/tasks/list',
  '/backend-api/wham/workspace-messages',
  '/backend-api/ps/plugins/installed?limit=200',
  '/backend-api/ps/plugins/suggested/codex?scope=GLOBAL',
  '/backend-api/plugins/featured?platform=codex',
  '/backend-api/connectors/directory/list?external_logos=true',
];

test('names the workspace of the client, and leaves its origin to the client', async () => {
  await start();
  for (const path of [...WORKSPACES, '/backend-api/codex/wham/accounts/check', `${WORKSPACES[0]}/`]) {
    expect([path, await bodyOf(path)]).toEqual([
      path,
      {
        accounts: [
          { id: workspace, workspace_backend_origin: 'NO_CONSTRAINT', account_routing_override: 'NO_CONSTRAINT' },
        ],
      },
    ]);
  }
});

test('below /backend-api/svc binds the workspace to the HTTPS origin of the host', async () => {
  await start();
  const { host } = new URL(gateway.url);
  expect(await bodyOf('/backend-api/svc/wham/accounts/check')).toMatchObject({
    accounts: [{ id: workspace, workspace_backend_origin: `https://${host}` }],
  });
});

test('binds it to no origin when the Host is none', async () => {
  await start();
  const bind = async (host: string) => {
    const sent = request(`${gateway.url}/backend-api/svc/wham/accounts/check`, {
      headers: { host, 'chatgpt-account-id': workspace },
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return ((await json(response)) as Workspaces).accounts[0]?.workspace_backend_origin;
  };
  expect(await bind('Svc.example.com:443')).toBe('https://svc.example.com');
  expect(await bind('[::1]:2455')).toBe('https://[::1]:2455');
  for (const host of ['a/b', 'a?b', 'me:pw@svc.example.com', 'svc.example.com:99999', 'a b']) {
    expect([host, await bind(host)]).toEqual([host, 'NO_CONSTRAINT']);
  }
});

test('lists no workspace for a client that names none, or something else', async () => {
  await start();
  for (const id of ['', 'a'.repeat(129), '<script>', 'two, ids', workspace.replace('-', ' ')]) {
    expect([id, await bodyOf(WORKSPACES[0] ?? '', { 'chatgpt-account-id': id })]).toEqual([id, { accounts: [] }]);
  }
});

test('has no policies for any workspace', async () => {
  await start();
  for (const path of POLICIES) expect([path, await bodyOf(path)]).toEqual([path, {}]);
});

test('says nothing of the pool, makes no call and records nothing', async () => {
  await start({ accounts: 2 });
  const calls = gateway.provider.received.length;
  const responses = await Promise.all([...WORKSPACES, ...POLICIES].map((path) => ask(path)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  const texts = await Promise.all(responses.map((response) => response.text()));
  const { body: accounts } = await gateway.api('GET', '/api/accounts');
  for (const { account_id, email } of accounts.accounts) {
    expect(texts.join()).not.toContain(account_id);
    expect(texts.join()).not.toContain(email);
  }
  expect(texts.join()).not.toMatch(/plan|email|user/i);
  expect(gateway.provider.received).toHaveLength(calls);
  expect(await gateway.logs()).toEqual([]);
  for (const file of await readdir(gateway.folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = await readFile(join(file.parentPath, file.name));
    expect([file.name, bytes.includes(token), bytes.includes(workspace)]).toEqual([file.name, false, false]);
  }
});

test('needs a place on the allowlist', async () => {
  await start();
  await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.9.8.7' });
  for (const path of [...WORKSPACES, ...POLICIES, ...MISSING]) {
    expect([path, ...(await statusAndCode(await ask(path)))]).toEqual([path, 403, 'ip_forbidden']);
  }
});

test('needs a key below /backend-api/svc only, because Codex has none to send here', async () => {
  await start();
  await gateway.set({ api_key_auth_enabled: true });
  const isBelowSvc = (path: string) => path.startsWith('/backend-api/svc/');
  const all = [...WORKSPACES, ...POLICIES, '/backend-api/svc/wham/accounts/check', '/backend-api/svc/wham/usage'];
  for (const path of all) {
    expect([path, (await ask(path)).status]).toEqual([path, isBelowSvc(path) ? 401 : 200]);
  }
  const { body: created } = await gateway.api('POST', '/api/api-keys', { name: 'a key' });
  for (const path of all) {
    const { status } = await ask(path, { authorization: `Bearer ${created.key}` });
    expect([path, status]).toEqual([path, 200]);
  }
});

test.each([false, true])('has a 404 for everything else, also for clients without a key (keys: %s)', async (keys) => {
  await start();
  await gateway.set({ api_key_auth_enabled: keys });
  for (const path of MISSING) {
    // A 401 would make Codex refresh the token of its own sign-in.
    expect([path, ...(await statusAndCode(await ask(path)))]).toEqual([path, 404, 'not_found']);
  }
  for (const path of ['/v1/nothing', '/backend-api/svc/nothing', '/backend-api/codex/nothing']) {
    expect([path, (await ask(path)).status]).toEqual([path, keys ? 401 : 404]);
  }
});

test('serves aliases only while they are on', async () => {
  await start({ env: { SVC_CODEX_ALIASES: 'false' } });
  for (const path of [...WORKSPACES, ...POLICIES]) {
    const isAlias = !path.startsWith('/backend-api/svc/');
    expect([path, (await ask(path)).status]).toEqual([path, isAlias ? 404 : 200]);
  }
});
