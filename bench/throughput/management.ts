import { setTimeout as delay } from 'node:timers/promises';
import { authFile } from './authFile.ts';

/** A busy installation: every feature that costs something is enabled. */
const ACCOUNTS = 50;
const HUGE_LIMIT = 1_000_000_000_000;

const limits = [
  { limit_type: 'total_tokens', limit_window: 'daily', max_value: HUGE_LIMIT },
  { limit_type: 'cost_usd', limit_window: 'weekly', max_value: HUGE_LIMIT / 1000 },
  { limit_type: 'output_tokens', limit_window: 'monthly', max_value: HUGE_LIMIT, model_filter: 'gpt-5.1' },
];

/** Sets up the service over its management API. @returns the API key */
export async function setUp(base: string): Promise<string> {
  for (let index = 0; index < ACCOUNTS; index++) await importAccount(base, index);
  const list = (await call(base, 'GET', '/api/accounts')) as { accounts: unknown[] };
  if (list.accounts.length !== ACCOUNTS) throw new Error(`${list.accounts.length} accounts instead of ${ACCOUNTS}`);
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

/** Calls the management API. @throws unless the status is 200 to 299 */
export async function call(base: string, method: string, path: string, body?: object, headers = {}): Promise<unknown> {
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
 * Number of rows in the request log. Waits until outbox and read models have caught up, and then until the number is stable
 * for a second or equals `expected`.
 */
export async function requestLogTotal(base: string, expected: number, headers = {}): Promise<number> {
  await waitUntilCaughtUp(base, headers);
  let last = -1;
  for (let stable = 0; stable < 4; ) {
    const { total } = (await call(base, 'GET', '/api/request-logs?limit=1', undefined, headers)) as { total: number };
    if (total === expected) return total;
    stable = total === last ? stable + 1 : 0;
    last = total;
    await delay(POLL_INTERVAL_MS);
  }
  return last;
}

const POLL_INTERVAL_MS = 250;
const CATCH_UP_TIMEOUT_MS = 120_000;

interface Status {
  readonly outbox: { readonly pending: number } | null;
  readonly read_models: { readonly behind: number | null };
}

async function waitUntilCaughtUp(base: string, headers: object): Promise<void> {
  const deadline = performance.now() + CATCH_UP_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { outbox, read_models } = (await call(base, 'GET', '/api/status', undefined, headers)) as Status;
    if ((outbox?.pending ?? 0) === 0 && read_models.behind === 0) return;
    await delay(POLL_INTERVAL_MS);
  }
}
