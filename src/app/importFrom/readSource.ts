import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { CannotImport } from './cannotImport.ts';
import type { SourceDatabase } from './openDatabase.ts';

/** Times are stored in UTC without a zone: `2026-11-28 08:26:47.389470`. */
export const sourceTime = z.string().transform((text, { addIssue }): Instant => {
  const at = Date.parse(`${text.replace(' ', 'T').slice(0, 23)}Z`);
  if (!Number.isNaN(at)) return instant(at);
  addIssue({ code: 'custom', message: `is not a time: ${text}` });
  return z.NEVER;
});
const flag = z.number().transform((value) => value !== 0);
const text = z.string();
const bytes = z.instanceof(Uint8Array);

const account = z.object({
  id: text,
  chatgpt_account_id: text.nullish(),
  email: text,
  plan_type: text,
  alias: text.nullish(),
  routing_policy: text.default('normal'),
  access_token_encrypted: bytes,
  refresh_token_encrypted: bytes,
  id_token_encrypted: bytes,
  last_refresh: sourceTime,
  status: text,
  deactivation_reason: text.nullish(),
  delete_requested_at: text.nullish(),
});
const apiKey = z.object({
  id: z.uuid(),
  name: text,
  key_hash: z.string().regex(/^[0-9a-f]{64}$/),
  key_prefix: text,
  allowed_models: text.nullable(),
  enforced_model: text.nullish(),
  enforced_reasoning_effort: text.nullish(),
  allowed_reasoning_efforts: text.nullish(),
  enforced_service_tier: text.nullish(),
  account_assignment_scope_enabled: flag.default(false),
  source_assignment_scope_enabled: flag.default(false),
  expires_at: sourceTime.nullable(),
  is_active: flag,
});
const limit = z.object({
  api_key_id: text,
  limit_type: text,
  limit_window: text,
  max_value: z.int(),
  current_value: z.int(),
  model_filter: text.nullable(),
  reset_at: sourceTime,
});
const settings = z.object({
  sticky_threads_enabled: flag,
  prefer_earlier_reset_accounts: flag,
  routing_strategy: text.default('usage_weighted'),
  import_without_overwrite: flag,
  api_key_auth_enabled: flag,
  totp_required_on_login: flag,
  password_hash: text.nullish(),
  guest_access_enabled: flag.default(false),
  upstream_proxy_routing_enabled: flag.default(false),
});
const allowedIp = z.object({ ip_address: text });

export type SourceAccount = z.output<typeof account>;
export type SourceKey = z.output<typeof apiKey>;
export type SourceLimit = z.output<typeof limit>;
export type SourceSettings = z.output<typeof settings>;

/** What a database of codex-lb has that svc can take over. */
export interface Source {
  readonly schema: string;
  readonly accounts: readonly SourceAccount[];
  readonly keys: readonly SourceKey[];
  readonly limits: readonly SourceLimit[];
  readonly settings: SourceSettings | undefined;
  readonly allowedIps: readonly string[];
  /** Rows of tables that svc has nothing for. */
  readonly others: Readonly<Record<'model_sources' | 'proxy_endpoints' | 'automation_jobs' | 'request_logs', number>>;
}

/** @throws CannotImport when a row is not what codex-lb writes */
export function readSource({ database, schema }: SourceDatabase): Source {
  const order = 'ORDER BY rowid';
  return {
    schema,
    accounts: rowsOf(database, 'accounts', account, order),
    keys: rowsOf(database, 'api_keys', apiKey, order),
    limits: rowsOf(database, 'api_key_limits', limit, order),
    settings: rowsOf(database, 'dashboard_settings', settings, `${order} LIMIT 1`)[0],
    allowedIps: rowsOf(database, 'api_firewall_allowlist', allowedIp, order).map(({ ip_address }) => ip_address),
    others: {
      model_sources: countOf(database, 'model_sources'),
      proxy_endpoints: countOf(database, 'proxy_endpoints'),
      automation_jobs: countOf(database, 'automation_jobs'),
      request_logs: countOf(database, 'request_logs'),
    },
  };
}

/** @param rest SQL after the table's name */
export function rowsOf<Row extends z.ZodObject>(
  database: DatabaseSync,
  table: string,
  row: Row,
  rest: string,
): z.output<Row>[] {
  const statement = database.prepare(`SELECT * FROM ${table} ${rest}`);
  // A number that does not fit is a BigInt then, which the schemas refuse, instead of an error without the table's name.
  statement.setReadBigInts(true);
  return statement.all().map((values, index) => {
    const plain = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toNumber(value)]));
    const parsed = row.safeParse(plain);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new CannotImport(
      `Row ${index + 1} of ${table} is not what codex-lb writes: ${issue?.path.join('.')} ${issue?.message}. Nothing was imported.`,
    );
  });
}

export const toNumber = (value: SQLOutputValue) =>
  typeof value === 'bigint' && BigInt(Number(value)) === value ? Number(value) : value;

function countOf(database: DatabaseSync, table: string): number {
  if (!database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table)) return 0;
  return (database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count;
}
