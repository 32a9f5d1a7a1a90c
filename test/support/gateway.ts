import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { vi } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/app/config/config.ts';
import { startService } from '../../src/app/main.ts';
import type { Service } from '../../src/app/runService.ts';
import type { ServiceIo } from '../../src/app/wiring/foundation.ts';
import { eventTypes, type KnownEvent } from '../../src/domain/eventTypes.ts';
import type { SimulatedAccount } from './provider/account.ts';
import { type ProviderOptions, startProvider } from './provider/provider.ts';
import { usageWindow } from './provider/usage.ts';

export interface GatewayOptions {
  /** Accounts to import at the start. */
  accounts?: number;
  env?: Record<string, string>;
  provider?: ProviderOptions;
  /** An existing data folder; a new one when absent. */
  folder?: string;
  /** Shorter times of websockets. */
  socketTimes?: ServiceIo['socketTimes'];
  /** Starts a proxy between the service and the provider. @returns the base URL for the service */
  between?: (providerBaseUrl: string) => Promise<string>;
}

export interface Recorded<Type extends KnownEvent['type']> {
  position: number;
  stream: string;
  type: Type;
  data: Extract<KnownEvent, { type: Type }>['data'];
}

/** The service in this process, the simulated provider behind it, and a data folder that is removed at the end. */
export async function startGateway({
  accounts = 1,
  env = {},
  provider: options,
  folder,
  between,
  socketTimes,
}: GatewayOptions = {}) {
  const provider = await startProvider(options);
  const data = folder ?? mkdtempSync(join(tmpdir(), 'svc-gateway-'));
  const logFile = join(data, env.SVC_EVENTSTORE_URL === undefined ? 'log.sqlite' : 'mirror.sqlite');
  const upstream = between ? await between(provider.baseUrl) : provider.baseUrl;
  const output: string[] = [];
  const start = (): Promise<Service> =>
    startService(
      readConfig({
        SVC_PORT: '0',
        SVC_OAUTH_CALLBACK_PORT: '0',
        SVC_DATA_DIR: data,
        SVC_UPSTREAM_BASE_URL: upstream,
        SVC_AUTH_BASE_URL: provider.authUrl,
        SVC_USAGE_REFRESH_SECONDS: '3600',
        SVC_DRAIN_SECONDS: '1',
        ...env,
      }),
      {
        print: (line) => output.push(line),
        onFatal: (error) => output.push(error.message),
        ...(socketTimes && { socketTimes }),
      },
    );
  let service = await start();

  const api = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(service.url + path, {
      method,
      ...(body instanceof FormData
        ? { body }
        : body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as any) };
  };

  /** Imports an account of the provider. @returns its id in the service */
  const importAccount = async (account: SimulatedAccount): Promise<string> => {
    const form = new FormData();
    form.set('auth_json', new Blob([JSON.stringify(account.authFile())]), 'auth.json');
    const { status, body } = await api('POST', '/api/accounts/import', form);
    if (status !== 200) throw new Error(`import responded ${status}: ${JSON.stringify(body)}`);
    return body.account_id;
  };

  /**
   * Each account at the provider with its id in the service. Each has used more than the previous one, so that routing chooses them
   * in this order.
   */
  const pool: { at: SimulatedAccount; id: string }[] = [];
  const fill = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const at = provider.addAccount({
        usage: { secondary: usageWindow({ usedPercent: 10 * index, windowSeconds: WEEK }) },
      });
      pool.push({ at, id: await importAccount(at) });
    }
    const hasUsageOfAll = () => {
      const observed = new Set<string>(eventsOf(logFile, 'AccountUsageObserved').map(({ data }) => data.accountId));
      return pool.every(({ id }) => observed.has(id));
    };
    await vi.waitUntil(hasUsageOfAll, { timeout: 10_000, interval: 10 });
  };
  await fill(accounts);
  const { body: settings } = await api('GET', '/api/settings');
  /** Events and rows from before this are hidden; `reset` moves it. */
  const since = { position: 0, ms: 0 };

  return {
    provider,
    pool,
    folder: data,
    output,
    api,
    importAccount,
    get url() {
      return service.url;
    },

    /** Sends a model request. Objects are sent as JSON. */
    ask: (
      body: unknown = validRequest,
      { path = '/backend-api/svc/responses', headers = {}, signal }: AskOptions = {},
    ) =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
        ...(signal && { signal }),
      }),

    /** Model requests that reached the provider, oldest first. */
    asked: () => provider.received.filter(({ path }) => path.endsWith('/codex/responses')),

    /** Events of this type in the log, oldest first. */
    events: <Type extends KnownEvent['type']>(type: Type) =>
      eventsOf(logFile, type).filter(({ position }) => position > since.position),

    async logs(query = '') {
      const { body } = await api('GET', `/api/request-logs${query}`);
      return body.requests.filter((row: { requested_at: string }) => Date.parse(row.requested_at) >= since.ms);
    },

    /** Prepares the service for the next test: new accounts, no keys, no allowlist, no history. */
    async reset(count: number) {
      const [accounts, keys] = [await api('GET', '/api/accounts'), await api('GET', '/api/api-keys')];
      const ips = await api('GET', '/api/firewall/ips');
      for (const { account_id: id } of accounts.body.accounts) await api('DELETE', `/api/accounts/${id}`);
      for (const { id } of keys.body) await api('DELETE', `/api/api-keys/${id}`);
      for (const { ip_address: ip } of ips.body.entries) await api('DELETE', `/api/firewall/ips/${ip}`);
      await api('PUT', '/api/settings', settings);
      Object.assign(since, { position: lastPosition(logFile), ms: Date.now() });
      pool.length = 0;
      output.length = 0;
      provider.clearReceived();
      await fill(count);
    },

    async availability(id: string) {
      const { body } = await api('GET', '/api/accounts');
      return body.accounts.find((account: { account_id: string }) => account.account_id === id)?.availability;
    },

    /** Changes these settings and keeps the others. */
    async set(change: Record<string, unknown>) {
      const { body } = await api('GET', '/api/settings');
      return api('PUT', '/api/settings', { ...body, ...change });
    },

    stopService: () => service.stop(),

    async restart() {
      await service.stop();
      service = await start();
    },

    async stop() {
      await service.stop();
      await provider.close();
      if (folder === undefined) rmSync(data, { recursive: true, force: true });
    },
  };
}

const WEEK = 7 * 24 * 3600;

function eventsOf<Type extends KnownEvent['type']>(logFile: string, type: Type): Recorded<Type>[] {
  const database = new DatabaseSync(logFile, { readOnly: true });
  try {
    return database
      .prepare('SELECT position, stream, type, data FROM events WHERE type = ? ORDER BY position')
      .all(type)
      .map((row) => {
        const data = JSON.parse(row.data as string);
        // The service appends request events without validating them, so the tests do.
        eventTypes.get(type)?.data(z).parse(data);
        return { ...row, data } as unknown as Recorded<Type>;
      });
  } finally {
    database.close();
  }
}

function lastPosition(logFile: string): number {
  using database = new DatabaseSync(logFile, { readOnly: true });
  return database.prepare('SELECT max(position) AS last FROM events').get()?.last as number;
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** The error in a response of the proxy. */
export const errorOf = async (response: Response): Promise<Record<string, unknown>> =>
  ((await response.json()) as { error: Record<string, unknown> }).error;

interface AskOptions {
  path?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** The smallest valid request of Codex. */
export const validRequest = {
  model: 'gpt-5.1',
  instructions: 'Be brief.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hi' }] }],
  stream: true,
  store: false,
};
