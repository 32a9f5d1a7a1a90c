// Makes `test/histories/codexLb/`: a database that the real codex-lb made and used, for `svc import-from codex-lb`.
//
//     python3.13 -m venv VENV && VENV/bin/pip install codex-lb==1.24.0
//     node test/support/codexLb/makeDatabase.ts VENV
//
// It runs codex-lb in front of the simulated provider, imports accounts, creates keys, changes settings, sends requests, and
// then writes the database as SQL, its key, and the values of its API keys. Nothing in them is secret: accounts, tokens and
// keys exist nowhere else.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProvider } from '../provider/provider.ts';
import { textResponse } from '../provider/scripts.ts';
import { dumpDatabase } from './dumpDatabase.ts';

const [venv] = process.argv.slice(2);
if (venv === undefined) throw new Error('Name the folder of a Python environment with codex-lb 1.24.0.');
const target = fileURLToPath(new URL('../../histories/codexLb/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'codex-lb-'));

const provider = await startProvider({ acceptsAnyToken: true });
const accounts = ['plus', 'team', 'pro'].map((plan) => provider.addAccount({ plan }));
for (const account of accounts) account.always(textResponse({ text: 'Hello' }));

const listener = createServer().listen(0, '127.0.0.1');
await once(listener, 'listening');
const { port } = listener.address() as AddressInfo;
listener.close();
const url = `http://127.0.0.1:${port}`;
const program = spawn(resolve(venv, 'bin/codex-lb'), ['--host', '127.0.0.1', '--port', String(port)], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    PATH: process.env.PATH,
    CODEX_LB_DATA_DIR: folder,
    CODEX_LB_UPSTREAM_BASE_URL: provider.baseUrl,
    CODEX_LB_AUTH_BASE_URL: provider.authUrl,
    // By default it sends HTTP requests on over WebSockets, which the simulated provider does not have.
    CODEX_LB_HTTP_RESPONSES_SESSION_BRIDGE_ENABLED: 'false',
    CODEX_LB_TELEMETRY_ENABLED: 'false',
    CODEX_LB_TELEMETRY_ENDPOINT: url,
  },
});

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const isForm = body instanceof FormData;
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  // biome-ignore lint/suspicious/noExplicitAny: the answers of another program
  return text === '' ? undefined : (JSON.parse(text) as any);
}

for (let left = 120; ; left--) {
  const isUp = await fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (isUp) break;
  if (left === 0 || program.exitCode !== null) throw new Error('codex-lb did not start.');
  await delay(500);
}

const ids: string[] = [];
for (const account of accounts) {
  const form = new FormData();
  form.set('auth_json', new Blob([JSON.stringify(account.authFile())]), 'auth.json');
  ids.push((await call('POST', '/api/accounts/import', form)).accountId);
}
await call('PUT', `/api/accounts/${ids[0]}/alias`, { alias: 'first' });

const keys: Record<string, string> = {};
async function createKey(label: string, fields: object): Promise<{ id: string; key: string }> {
  const created = await call('POST', '/api/api-keys/', fields);
  if (typeof created?.key !== 'string') throw new Error(`${label}: ${JSON.stringify(created)}`);
  keys[label] = created.key;
  return created;
}
const limit = (limitType: string, limitWindow: string, maxValue: number, modelFilter: string | null = null) => ({
  limitType,
  limitWindow,
  maxValue,
  modelFilter,
});
const ci = await createKey('ci', {
  name: 'ci',
  limits: [
    limit('total_tokens', 'daily', 1_000_000),
    limit('cost_usd', 'weekly', 5_000_000),
    limit('output_tokens', 'monthly', 500_000, 'gpt-5.5'),
    limit('input_tokens', '7d', 800_000),
  ],
});
await createKey('models', { name: 'models', allowedModels: ['gpt-5.5'], expiresAt: '2036-01-31T12:00:00Z' });
const disabled = await createKey('disabled', { name: 'disabled' });
await call('PATCH', `/api/api-keys/${disabled.id}`, { isActive: false });
await createKey('expired', { name: 'expired', expiresAt: '2026-01-31T12:00:00Z' });
await createKey('sameName', { name: 'ci' });
await createKey('foreignLimits', {
  name: 'foreign limits',
  limits: [limit('credits', 'daily', 5), limit('total_tokens', '5h', 1_000), limit('cost_usd', 'daily', 2_500_000)],
});
await createKey('scoped', { name: 'scoped', assignedAccountIds: [ids[2]] });
await createKey('enforcedModel', { name: 'enforced model', enforcedModel: 'gpt-5.5' });
await createKey('enforcedEffort', { name: 'enforced effort', enforcedReasoningEffort: 'low' });

for (const ipAddress of ['127.0.0.1', '10.0.0.7', '2001:db8::7'])
  await call('POST', '/api/firewall/ips', { ipAddress });
const settings = await call('GET', '/api/settings');
await call('PUT', '/api/settings', {
  ...settings,
  apiKeyAuthEnabled: true,
  preferEarlierResetAccounts: true,
  importWithoutOverwrite: true,
  stickyThreadsEnabled: false,
  routingStrategy: 'round_robin',
  upstreamStreamTransport: 'http',
});

const ask = (model: string) =>
  call('POST', '/v1/responses', { model, input: 'Say hi' }, { authorization: `Bearer ${ci.key}` });
for (let n = 0; n < 3; n++) await ask('gpt-5.5');
await ask('no-such-model');
await call('POST', `/api/accounts/${ids[1]}/pause`);
await delay(2_000);

program.kill('SIGTERM');
await once(program, 'exit');
await provider.close();
mkdirSync(target, { recursive: true });
writeFileSync(join(target, 'store.sql'), dumpDatabase(join(folder, 'store.db')));
copyFileSync(join(folder, 'encryption.key'), join(target, 'encryption.key'));
writeFileSync(join(target, 'keys.json'), `${JSON.stringify(keys, null, 2)}\n`);
rmSync(folder, { recursive: true, force: true });
