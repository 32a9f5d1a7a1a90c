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

/** The real service in a process of its own, over an empty data folder. */
export type Service = {
  url: string;
  /** Imports an account from the auth file of the provider's own client. */
  importAccount: (
    authFile: object,
  ) => Promise<{ account_id: string; email: string; plan_type: string; status: string }>;
  createApiKey: (key?: { name?: string; allowed_models?: string[] | null }) => Promise<ApiKey>;
  /** From here on the proxy asks every client for an API key. */
  enableKeyAuth: () => Promise<void>;
  requestLogs: () => Promise<{ requests: LoggedRequest[]; total: number; has_more: boolean }>;
  /** The request log once it holds that many rows. @throws after 5 s with what it holds instead */
  loggedRequests: (count: number) => Promise<LoggedRequest[]>;
  /** All that the process wrote so far, for the report of a test that failed. */
  output: () => string;
  /**
   * SIGTERM, then SIGKILL when it takes too long; the data folder is removed. Resolves with the exit code, null after
   * SIGKILL.
   */
  stop: () => Promise<number | null>;
};

const startBoundMs = 20_000;
const stopBoundMs = 10_000;
const logBoundMs = 5_000;

/** Starts `node src/app/cli.ts serve` against a provider and resolves when it says that it listens. */
export async function startService(provider: { baseUrl: string; authUrl: string }): Promise<Service> {
  const data = await tempDir('data');
  const child = startChild(process.execPath, ['src/app/cli.ts', 'serve'], {
    cwd: repository,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: data.path,
      SVC_PORT: '0',
      SVC_DATA_DIR: data.path,
      SVC_UPSTREAM_BASE_URL: provider.baseUrl,
      SVC_AUTH_BASE_URL: provider.authUrl,
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
    const bound = setTimeout(() => killGroup(child), stopBoundMs);
    const exitCode = await closed;
    clearTimeout(bound);
    await data[Symbol.asyncDispose]();
    return exitCode;
  }

  const tooLate = setTimeout(
    () => ready.reject(new Error(`it does not listen after ${startBoundMs} ms`)),
    startBoundMs,
  );
  void closed.then((exitCode) => ready.reject(new Error(`it ended with ${exitCode}`)));
  try {
    const url = (await ready.promise).replace(/\/$/, '');
    return { url, ...management(url), output: () => output, stop };
  } catch (error) {
    await stop();
    throw new Error(`the service did not start: ${(error as Error).message}; it said:\n${output}`);
  } finally {
    clearTimeout(tooLate);
  }
}

type Management = Omit<Service, 'url' | 'output' | 'stop'>;
type Settings = Record<'sticky_threads_enabled' | 'prefer_earlier_reset_accounts' | 'api_key_auth_enabled', boolean>;

function management(url: string): Management {
  async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const sent: RequestInit =
      body === undefined || body instanceof FormData
        ? { method, body: body ?? null }
        : { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`${url}${path}`, sent);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as Answer;
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
      const wanted: Settings = { sticky_threads_enabled, prefer_earlier_reset_accounts, api_key_auth_enabled: true };
      const settings = await call<Settings>('PUT', '/api/settings', wanted);
      if (!settings.api_key_auth_enabled) throw new Error(`keys are still not required: ${JSON.stringify(settings)}`);
    },

    async loggedRequests(count) {
      const deadline = Date.now() + logBoundMs;
      for (;;) {
        const { requests } = await requestLogs();
        if (requests.length >= count) return requests;
        if (Date.now() > deadline) {
          const rows = JSON.stringify(requests, null, 2);
          throw new Error(`the request log holds ${requests.length} rows, not ${count}: ${rows}`);
        }
        await wait(20);
      }
    },
  };
}
