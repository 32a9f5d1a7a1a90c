import type { SimulatedAccount } from '../../support/provider/account.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
type ResponseBody = any;

/** A limit in `GET /api/api-keys`. */
export interface ShownLimit {
  readonly limit_type: 'total_tokens' | 'input_tokens' | 'output_tokens' | 'cost_usd';
  readonly limit_window: 'daily' | 'weekly' | 'monthly';
  readonly model_filter: string | null;
  readonly reset_at: string;
  readonly current_value: number;
  readonly reserved_value: number;
  readonly current_cost_usd?: number;
}

/** A row of `GET /api/request-logs`. */
export interface RequestLogRow {
  readonly request_id: string;
  readonly api_key_id: string | null;
  readonly account_id: string | null;
  readonly model: string;
  readonly status: string;
  readonly error_code: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost_usd: number | null;
}

const MAX_PAGE_SIZE = 1_000;

/** The part of a service's management API that these tests use. Every call throws unless the response is a 2xx. */
export function managementApi(url: string) {
  async function call(method: string, path: string, body?: object): Promise<ResponseBody> {
    const response = await fetch(url + path, {
      method,
      ...(body instanceof FormData
        ? { body }
        : body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} responded ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  return {
    call,

    /** Imports an account of the provider. @returns its id in the service */
    async importAccount(account: SimulatedAccount): Promise<string> {
      const form = new FormData();
      form.set('auth_json', new Blob([JSON.stringify(account.authFile())]), 'auth.json');
      return (await call('POST', '/api/accounts/import', form)).account_id;
    },

    /** Changes some settings and keeps the others, which PUT requires as well. */
    async set(change: object): Promise<void> {
      await call('PUT', '/api/settings', { ...(await call('GET', '/api/settings')), ...change });
    },

    keys: (): Promise<{ id: string; name: string; limits: ShownLimit[] }[]> => call('GET', '/api/api-keys'),

    /** What the node takes for reserved, also by requests that the log does not have. */
    reservations: async (): Promise<{ requests: number; limits: object[] }> =>
      (await call('GET', '/api/status')).reservations,

    /** @returns the newest `count` rows of the request log, and its total number of rows */
    async requestLog(count = Number.POSITIVE_INFINITY): Promise<{ rows: RequestLogRow[]; total: number }> {
      const rows: RequestLogRow[] = [];
      for (;;) {
        const limit = Math.max(1, Math.min(MAX_PAGE_SIZE, count - rows.length));
        const page = await call('GET', `/api/request-logs?limit=${limit}&offset=${rows.length}`);
        rows.push(...page.requests.slice(0, Math.max(0, count - rows.length)));
        if (!page.has_more || rows.length >= count) return { rows, total: page.total };
      }
    },
  };
}

export type Api = ReturnType<typeof managementApi>;
