import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killGroup, startChild } from './child.ts';
import { tempDir } from './tempDir.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** A row of `GET /api/request-logs`. */
export type LoggedRequest = {
  request_id: string;
  requested_at: string;
  account_id: string | null;
  model: string;
  status: string;
  error_code: string | null;
  error_message: string | null;
  tokens: number | null;
  cached_input_tokens: number | null;
  reasoning_effort: string | null;
  cost_usd: number | null;
  latency_ms: number;
};

export type ApiKey = { id: string; name: string; key: string; key_prefix: string };

/** The service in its own process, with an empty data folder. */
export type Service = {
  url: string;
  /** Imports an account from the auth file of the provider's own client. */
  importAccount: (
    authFile: object,
  ) => Promise<{ account_id: string; email: string; plan_type: string; status: string }>;
  createApiKey: (key?: { name?: string; allowed_models?: string[] | null }) => Promise<ApiKey>;
  /** Makes the proxy require an API key from every client. */
  enableKeyAuth: () => Promise<void>;
  requestLogs: () => Promise<{ requests: LoggedRequest[]; total: number; has_more: boolean }>;
  /** Resolves when the request log has that many rows. @throws after 5 s, with the rows that it has */
  loggedRequests: (count: number) => Promise<LoggedRequest[]>;
  /** The output of the process so far, printed when a test fails. */
  output: () => string;
  /**
   * Sends SIGTERM, and SIGKILL after a time-out; removes the data folder. Resolves with the exit code, null after SIGKILL.
   */
  stop: () => Promise<number | null>;
};

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;
const LOG_TIMEOUT_MS = 5_000;

/** Starts `node src/start.mjs serve` with a provider and resolves when it listens. */
export async function startService(
  provider: { baseUrl: string; authUrl: string },
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const data = await tempDir('data');
  const child = startChild(process.execPath, ['src/start.mjs', 'serve'], {
    cwd: repository,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: data.path,
      SVC_PORT: '0',
      SVC_DATA_DIR: data.path,
      SVC_UPSTREAM_BASE_URL: provider.baseUrl,
      SVC_AUTH_BASE_URL: provider.authUrl,
      ...env,
    },
  });
  const closed = once(child, 'close').then(([exitCode]) => exitCode as number | null);
  let output = '';
  const ready = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /listening on (http:\/\/\S+)/.exec(output)?.[1];
      if (url !== undefined) ready.resolve(url);
    });
  }

  async function stop(): Promise<number | null> {
    child.kill('SIGTERM');
    const timeout = setTimeout(() => killGroup(child), STOP_TIMEOUT_MS);
    const exitCode = await closed;
    clearTimeout(timeout);
    await data[Symbol.asyncDispose]();
    return exitCode;
  }

  const startTimeout = setTimeout(
    () => ready.reject(new Error(`not listening after ${START_TIMEOUT_MS} ms`)),
    START_TIMEOUT_MS,
  );
  void closed.then((exitCode) => ready.reject(new Error(`the process exited with ${exitCode}`)));
  try {
    const url = (await ready.promise).replace(/\/$/, '');
    return { url, ...management(url), output: () => output, stop };
  } catch (error) {
    await stop();
    throw new Error(`the service did not start: ${(error as Error).message}; its output:\n${output}`);
  } finally {
    clearTimeout(startTimeout);
  }
}

type Management = Omit<Service, 'url' | 'output' | 'stop'>;
type Settings = Record<'sticky_threads_enabled' | 'prefer_earlier_reset_accounts' | 'api_key_auth_enabled', boolean>;

function management(url: string): Management {
  async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const init: RequestInit =
      body === undefined || body instanceof FormData
        ? { method, body: body ?? null }
        : { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} responded ${response.status}: ${text}`);
    return JSON.parse(text) as Body;
  }
  const requestLogs: Management['requestLogs'] = () => call('GET', '/api/request-logs');

  return {
    requestLogs,

    importAccount(authFile) {
      const form = new FormData();
      form.set('auth_json', new Blob([JSON.stringify(authFile)], { type: 'application/json' }), 'auth.json');
      return call('POST', '/api/accounts/import', form);
    },

    createApiKey: (key) => call('POST', '/api/api-keys', { name: 'end to end', ...key }),

    async enableKeyAuth() {
      const { sticky_threads_enabled, prefer_earlier_reset_accounts } = await call<Settings>('GET', '/api/settings');
      const changed: Settings = { sticky_threads_enabled, prefer_earlier_reset_accounts, api_key_auth_enabled: true };
      const settings = await call<Settings>('PUT', '/api/settings', changed);
      if (!settings.api_key_auth_enabled) throw new Error(`keys are still not required: ${JSON.stringify(settings)}`);
    },

    async loggedRequests(count) {
      const deadline = Date.now() + LOG_TIMEOUT_MS;
      for (;;) {
        const { requests } = await requestLogs();
        if (requests.length >= count) return requests;
        if (Date.now() > deadline) {
          const rows = JSON.stringify(requests, null, 2);
          throw new Error(`the request log has ${requests.length} rows, expected ${count}: ${rows}`);
        }
        await wait(20);
      }
    },
  };
}
