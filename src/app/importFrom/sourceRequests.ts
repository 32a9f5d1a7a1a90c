import { z } from 'zod';
import { type AccountId, type ApiKeyId, microDollars } from '../../domain/core/brands.ts';
import type { ImportedRequest } from '../../domain/moving/events.ts';
import { CannotImport } from './cannotImport.ts';
import type { SourceDatabase } from './openDatabase.ts';
import { sourceTime, toNumber } from './readSource.ts';

const text = z.string();
/** Absent in rows of requests that failed early; some writers of codex-lb let a clock that was set back make it negative. */
const amount = z
  .int()
  .nullish()
  .transform((value) => (value == null ? null : Math.max(0, value)));

const requestLog = z.object({
  id: z.int(),
  request_id: text,
  requested_at: sourceTime,
  account_id: text.nullish(),
  api_key_id: z.uuid().nullish().catch(null),
  model: text,
  reasoning_effort: text.nullish(),
  transport: text.nullish(),
  useragent_group: text.nullish(),
  status: text,
  error_code: text.nullish(),
  error_message: text.nullish(),
  input_tokens: amount,
  output_tokens: amount,
  cached_input_tokens: amount,
  reasoning_tokens: amount,
  latency_ms: amount,
  latency_first_token_ms: amount,
  cost_usd: z.number().nullish(),
  request_kind: text.default('normal'),
  deleted_at: text.nullish(),
});
type SourceRequest = z.output<typeof requestLog>;

/** Why a row of the request log stays behind. */
export type Left = 'warm_up' | 'deleted';

/** codex-lb sends these itself, to begin windows of accounts; its own figures leave them out. */
const WARM_UPS: ReadonlySet<string> = new Set(['warmup', 'limit_warmup']);

/** The first characters of a message; codex-lb stores it whole. */
const MAX_MESSAGE_LENGTH = 500;
const MAX_NAME_LENGTH = 200;

export interface SourceRequestOptions {
  readonly importId: string;
  /** The accounts here by their ids there. */
  readonly accountIds: ReadonlyMap<string, AccountId>;
  /** The keys here by their ids there, where they differ. */
  readonly keyIds: ReadonlyMap<string, ApiKeyId>;
}

/**
 * Reads the request log of codex-lb row by row, in the order in which it was written.
 * @throws CannotImport when a row is not what codex-lb writes
 */
export function* sourceRequests(
  { database }: SourceDatabase,
  options: SourceRequestOptions,
): Generator<ImportedRequest | Left> {
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'request_logs'").get()) return;
  const statement = database.prepare('SELECT * FROM request_logs ORDER BY id');
  statement.setReadBigInts(true);
  for (const values of statement.iterate()) {
    const plain = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toNumber(value)]));
    const parsed = requestLog.safeParse(plain);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new CannotImport(
        `Row ${plain.id} of request_logs is not what codex-lb writes: ${issue?.path.join('.')} ${issue?.message}. Nothing was imported.`,
      );
    }
    const row = parsed.data;
    if (row.deleted_at != null) yield 'deleted';
    else if (WARM_UPS.has(row.request_kind)) yield 'warm_up';
    else yield toImported(row, options);
  }
}

function toImported(row: SourceRequest, { importId, accountIds, keyIds }: SourceRequestOptions): ImportedRequest {
  const isServed = row.status === 'success';
  const keyId = row.api_key_id as ApiKeyId | null | undefined;
  const transport = cut(row.transport, MAX_NAME_LENGTH);
  const client = cut(row.useragent_group, MAX_NAME_LENGTH);
  return {
    importId,
    program: 'codex-lb',
    // The search for ids finds lower case only, and where an id begins.
    requestId: `${cut(row.request_id.toLowerCase(), MAX_NAME_LENGTH) ?? ''}:codex-lb:${row.id}`,
    keyId: keyId ? (keyIds.get(keyId) ?? keyId) : null,
    accountId: (row.account_id && accountIds.get(row.account_id)) || null,
    model: cut(row.model, MAX_NAME_LENGTH) ?? '',
    effort: cut(row.reasoning_effort, MAX_NAME_LENGTH) ?? null,
    requestedAt: row.requested_at,
    ...(transport !== undefined && { transport }),
    ...(client !== undefined && { client }),
    status: isServed ? '200' : 'error',
    errorCode: isServed ? null : (cut(row.error_code, MAX_NAME_LENGTH) ?? cut(row.status, MAX_NAME_LENGTH) ?? null),
    errorMessage: isServed ? null : (cut(row.error_message, MAX_MESSAGE_LENGTH) ?? null),
    latencyMs: row.latency_ms ?? 0,
    firstByteMs: row.latency_first_token_ms,
    usage: usageOf(row),
    costMicroDollars: row.cost_usd == null ? null : microDollars(Math.max(0, Math.round(row.cost_usd * 1_000_000))),
  };
}

function usageOf(row: SourceRequest): ImportedRequest['usage'] {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = row;
  if (inputTokens === null && outputTokens === null) return null;
  return {
    inputTokens: inputTokens ?? 0,
    cachedInputTokens: row.cached_input_tokens ?? 0,
    outputTokens: outputTokens ?? 0,
    reasoningTokens: row.reasoning_tokens ?? 0,
    isEstimated: false,
  };
}

const cut = (value: string | null | undefined, length: number): string | undefined =>
  value ? value.slice(0, length).toWellFormed() : undefined;
