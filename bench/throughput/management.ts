import { setTimeout as delay } from 'node:timers/promises';
import { authFile } from './authFile.ts';

/** As on a well used installation: every part of the way that costs something is switched on. */
const accounts = 50;
const hugeLimit = 1_000_000_000_000;

const limits = [
  { limit_type: 'total_tokens', limit_window: 'daily', max_value: hugeLimit },
  { limit_type: 'cost_usd', limit_window: 'weekly', max_value: hugeLimit / 1000 },
  { limit_type: 'output_tokens', limit_window: 'monthly', max_value: hugeLimit, model_filter: 'gpt-5.1' },
];

/** Sets the service up over its management API, as an operator would. Resolves with the API key. */
export async function setUp(base: string): Promise<string> {
  for (let index = 0; index < accounts; index++) await importAccount(base, index);
  const list = (await call(base, 'GET', '/api/accounts')) as { accounts: unknown[] };
  if (list.accounts.length !== accounts) throw new Error(`${list.accounts.length} accounts instead of ${accounts}`);
  const created = (await call(base, 'POST', '/api/api-keys', { name: 'bench', limits })) as { key: string };
  await call(base, 'PUT', '/api/settings', {
    sticky_threads_enabled: true,
    prefer_earlier_reset_accounts: false,
    routing_strategy: 'usage_weighted',
    api_key_auth_enabled: true,
  });
  return created.key;
}

async function importAccount(base: string, index: number): Promise<void> {
  const form = new FormData();
  const file = new Blob([JSON.stringify(authFile(index))], { type: 'application/json' });
  form.set('auth_json', file, 'auth.json');
  await read(await fetch(`${base}/api/accounts/import`, { method: 'POST', body: form }), 'account import');
}

async function call(base: string, method: string, path: string, body?: object, headers = {}): Promise<unknown> {
  const sent = body
    ? { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
    : { headers };
  return read(await fetch(base + path, { method, ...sent }), `${method} ${path}`);
}

async function read(response: Response, what: string): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${what}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/**
 * Rows in the request log. The log's page may be behind the log itself, and with EventStoreDB the log behind what is durable, so this
 * waits for both, and then until the figure has stood still for a second or `expected` is reached.
 */
export async function requestLogTotal(base: string, expected: number, headers = {}): Promise<number> {
  await caughtUp(base, headers);
  let last = -1;
  for (let still = 0; still < 4; ) {
    const { total } = (await call(base, 'GET', '/api/request-logs?limit=1', undefined, headers)) as { total: number };
    if (total === expected) return total;
    still = total === last ? still + 1 : 0;
    last = total;
    await delay(LOOK_EVERY_MS);
  }
  return last;
}

const LOOK_EVERY_MS = 250;
const CAUGHT_UP_WITHIN_MS = 120_000;

interface Status {
  readonly outbox: { readonly pending: number } | null;
  readonly read_models: { readonly behind: number | null };
}

async function caughtUp(base: string, headers: object): Promise<void> {
  const deadline = performance.now() + CAUGHT_UP_WITHIN_MS;
  while (performance.now() < deadline) {
    const { outbox, read_models } = (await call(base, 'GET', '/api/status', undefined, headers)) as Status;
    if ((outbox?.pending ?? 0) === 0 && read_models.behind === 0) return;
    await delay(LOOK_EVERY_MS);
  }
}
