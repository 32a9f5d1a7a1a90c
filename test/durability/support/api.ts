import type { SimulatedAccount } from '../../support/provider/account.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it is after
type Json = any;

/** A rule as `GET /api/api-keys` shows it. */
export interface ShownRule {
  readonly limit_type: 'total_tokens' | 'input_tokens' | 'output_tokens' | 'cost_usd';
  readonly limit_window: 'daily' | 'weekly' | 'monthly';
  readonly model_filter: string | null;
  readonly reset_at: string;
  readonly current_value: number;
  readonly reserved_value: number;
  readonly current_cost_usd?: number;
}

/** A row of `GET /api/request-logs`. */
export interface ShownRow {
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

const PAGE = 1_000;

/** The management surface of a service, as far as these tests use it. Whatever is not a 2xx throws. */
export function apiOf(url: string) {
  async function call(method: string, path: string, body?: object): Promise<Json> {
    const response = await fetch(url + path, {
      method,
      ...(body instanceof FormData
        ? { body }
        : body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  return {
    call,

    /** Imports an account of the provider. @returns the id that the service gave it */
    async importAccount(account: SimulatedAccount): Promise<string> {
      const form = new FormData();
      form.set('auth_json', new Blob([JSON.stringify(account.authFile())]), 'auth.json');
      return (await call('POST', '/api/accounts/import', form)).account_id;
    },

    /** Changes settings; those that PUT requires are filled in. */
    async set(change: object): Promise<void> {
      await call('PUT', '/api/settings', { ...(await call('GET', '/api/settings')), ...change });
    },

    keys: (): Promise<{ id: string; name: string; limits: ShownRule[] }[]> => call('GET', '/api/api-keys'),

    /** The newest rows of the request log, so many of them, and how many it says to have. */
    async requestLog(count = Number.POSITIVE_INFINITY): Promise<{ rows: ShownRow[]; total: number }> {
      const rows: ShownRow[] = [];
      for (;;) {
        const limit = Math.max(1, Math.min(PAGE, count - rows.length));
        const page = await call('GET', `/api/request-logs?limit=${limit}&offset=${rows.length}`);
        rows.push(...page.requests.slice(0, Math.max(0, count - rows.length)));
        if (!page.has_more || rows.length >= count) return { rows, total: page.total };
      }
    },
  };
}

export type Api = ReturnType<typeof apiOf>;
