import { z } from 'zod';
import { type ApiKeyId, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { parseIp } from '../../domain/firewall/ipAddress.ts';
import type { RequestLogFilter, RequestLogOptions, RequestLogRow } from '../../readModels/requestLogQueries.ts';
import { MAX_SORTED_BY_VALUE, type RequestLogSort, type SortedValue } from '../../readModels/requestLogSort.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { addressDigests, originIn } from '../../vault/callerKeys.ts';
import { conversationDigest } from '../../vault/conversationDigest.ts';
import { SealedFields } from '../../vault/sealedFields.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { forgotten } from '../http/forgotten.ts';
import { afterQuery, positionSchema, readNewSince } from '../http/newSince.ts';
import { queryChoice, queryInteger, queryList, queryText, queryTime } from '../http/query.ts';
import { EVERYONE } from '../http/roles.ts';
import { isLimitedToOwn } from '../people/principal.ts';
import { archivedOf, archivedSchema } from './archives/archivedDays.ts';
import { visibleRequests, withoutAccounts } from './requests/ownRequests.ts';

type DigestVault = Pick<Vault, 'digest' | 'digestUnder' | 'keysOf'>;

/** Each is looked for under the data key of each API key. */
const MAX_ADDRESSES = 20;

const list = z.array(z.string()).optional();
const time = z.iso.datetime({ offset: true }).optional();
export const filterQuery = {
  status: list,
  accountId: list.describe('Accounts that served the request, or failed it last'),
  attemptedAccountId: list.describe('Accounts of which the request tried any'),
  model: list,
  reasoningEffort: list,
  modelOption: list.describe('<model>:::<reasoning_effort>'),
  apiKeyId: list.describe('Empty: requests without a key'),
  owner: list.describe('To whom the key belonged at the time; empty: no owner'),
  team: list.describe('The id of the team of the key at the time; empty: none'),
  errorCode: list.describe('Empty: requests without an error'),
  transport: list.describe('`http`, `websocket`, or `import:codex-lb` for requests imported from there'),
  client: list.describe('The program that sent the request; empty: one that does not name itself'),
  address: list.describe('The address that the request came from; callers that were forgotten are not found'),
  conversation: list.describe('The id of the conversation as the client sent it'),
  since: time.describe('Earliest time, inclusive'),
  until: time.describe('Latest time, inclusive'),
};

export const RequestLogEntry = z
  .object({
    requested_at: z.iso.datetime(),
    account_id: z.string().nullable(),
    request_id: z.string(),
    model: z.string(),
    status: z.string(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    tokens: z.int().nullable(),
    cached_input_tokens: z.int().nullable(),
    reasoning_effort: z.string().nullable(),
    cost_usd: z.number().nullable(),
    latency_ms: z.int(),
    api_key_id: z.string().nullable(),
    owner: z.string().nullable().describe('To whom the key belonged at the time'),
    team: z.string().nullable().describe('The id of the team of the key at the time'),
    client: z.string().nullable().describe('The program that sent the request, as it names itself'),
    client_version: z.string().nullable(),
    originator: z.string().nullable().describe('The header of this name'),
    transport: z.string(),
    address: z.string().nullable().describe('Null when the callers of the key were forgotten'),
    user_agent: z.string().nullable().describe('Null when the callers of the key were forgotten'),
    route: z.string(),
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
    reasoning_tokens: z.int().nullable(),
    first_byte_ms: z.int().nullable(),
    attempts: z.int(),
    attempted_account_ids: z.array(z.string()).describe('Accounts that were tried, that of account_id last'),
    position: z.int().describe('Position of the event in the history'),
    forgotten,
  })
  .meta({ id: 'RequestLogEntry' });

/** The fields of an entry that the list can be sorted by. */
const SORTED_FIELDS = {
  requested_at: 'requestedAt',
  latency_ms: 'latencyMs',
  first_byte_ms: 'firstByteMs',
  cost_usd: 'costMicroDollars',
  tokens: 'tokens',
} as const satisfies Record<string, SortedValue>;
type SortedField = keyof typeof SORTED_FIELDS;
const SORTS = [
  '-requested_at',
  'requested_at',
  '-latency_ms',
  'latency_ms',
  '-first_byte_ms',
  'first_byte_ms',
  '-cost_usd',
  'cost_usd',
  '-tokens',
  'tokens',
] as const satisfies readonly (SortedField | `-${SortedField}`)[];

/** What a member names that is not theirs does not exist for them. */
const NOT_OWN = ['read_models_unavailable', 'account_not_found', 'owner_not_found', 'api_key_not_found'] as const;

const routes = {
  list: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'List requests, latest first; members get those of their own keys, without the accounts that served them',
    query: {
      limit: z.int().min(1).max(1_000).default(50),
      offset: z.int().min(0).default(0),
      search: z.string().optional().describe('Part of the request id or of the error message'),
      sort: z
        .enum(SORTS)
        .default('-requested_at')
        .describe(
          `A field of the entries, \`-\` before it for the largest first; values that are null come last. Only by time is any number of requests sorted, otherwise up to ${MAX_SORTED_BY_VALUE.toLocaleString('en')} matching ones`,
        ),
      ...afterQuery,
      ...filterQuery,
    },
    response: z.object({
      requests: z.array(RequestLogEntry),
      total: z.int(),
      has_more: z.boolean(),
      ...positionSchema,
      ...archivedSchema,
    }),
    errors: ['validation_error', ...NOT_OWN],
  }),
  options: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary:
      'List the values to filter requests by; each list applies all filters except its own, those of keys, owners, teams and error codes only the times and one another',
    query: filterQuery,
    response: z.object({
      account_ids: z.array(z.string()),
      attempted_account_ids: z.array(z.string()),
      model_options: z.array(z.object({ model: z.string(), reasoning_effort: z.string().nullable() })),
      statuses: z.array(z.string()),
      api_key_ids: z.array(z.string()),
      owners: z.array(z.string()),
      teams: z.array(z.string()),
      error_codes: z.array(z.string()),
      counts: z
        .object({
          account_ids: z.record(z.string(), z.int()),
          attempted_account_ids: z
            .record(z.string(), z.int())
            .describe('A request with attempts on several accounts is counted for each'),
          model_options: z.array(z.int()).describe('In the order of model_options'),
          statuses: z.record(z.string(), z.int()),
          api_key_ids: z.record(z.string(), z.int()),
          owners: z.record(z.string(), z.int()),
          teams: z.record(z.string(), z.int()),
          error_codes: z.record(z.string(), z.int()),
        })
        .describe('Number of requests per value'),
    }),
    errors: NOT_OWN,
  }),
};

/** Requests and their costs (docs/decisions/0031-request-log.md). */
export const requestLogRoutes = ({ views, queries, vault }: Pick<Capabilities, 'views' | 'queries' | 'vault'>) =>
  newRouter('/api/request-logs')
    .get('/', routes.list, async (ctx) => {
      const limit = queryInteger(ctx, 'limit', { min: 1, max: 1_000, fallback: 50 });
      const offset = queryInteger(ctx, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
      const sort = readSort(ctx);
      const { principal } = ctx.state;
      const { state, upTo: asked } = await views.asOf(ctx);
      const filter = visibleRequests(readFilter(ctx, vault), principal, state);
      const { after, upTo, reached } = await readNewSince(ctx, asked, queries.progress);
      if (after !== undefined && filter?.search)
        refuse('validation_error', { param: 'after', problem: 'cannot be used together with search' });
      if (!filter) return { requests: [], total: 0, has_more: false, ...reached };
      const conditions = { ...filter, sort, ...(after !== undefined && { after }) };
      const page = await queries.requestLog.page(conditions, limit, offset, upTo);
      const { rows, total } = page;
      if (page.isTooLargeToSort) {
        refuse('validation_error', {
          param: 'sort',
          problem: `by anything but requested_at is possible for up to ${MAX_SORTED_BY_VALUE.toLocaleString('en')} matching requests, and ${total.toLocaleString('en')} match: add filters, or shorten the time range`,
        });
      }
      const entries = rows.map((row) => requestLogEntry(row, vault));
      return {
        requests: principal && isLimitedToOwn(principal) ? entries.map(withoutAccounts) : entries,
        total,
        has_more: offset + rows.length < total,
        ...reached,
        ...archivedOf(page),
      };
    })
    .get('/options', routes.options, async (ctx) => {
      const { search: _, ...asked } = readFilter(ctx, vault);
      const { principal } = ctx.state;
      const { state, upTo } = await views.asOf(ctx);
      const filter = visibleRequests(asked, principal, state);
      const found = filter ? await queries.requestLog.options(filter, upTo) : NO_OPTIONS;
      const options = principal && isLimitedToOwn(principal) ? ownOptions(found, principal.operatorId, state) : found;
      const { accountIds, attemptedAccountIds, modelOptions, statuses, apiKeyIds, owners, teams, errorCodes } = options;
      return {
        account_ids: accountIds.map(({ accountId }) => accountId),
        attempted_account_ids: attemptedAccountIds.map(({ accountId }) => accountId),
        model_options: modelOptions.map(({ model, effort }) => ({ model, reasoning_effort: effort })),
        statuses: statuses.map(({ status }) => status),
        api_key_ids: apiKeyIds.map(({ value }) => value),
        owners: owners.map(({ value }) => value),
        teams: teams.map(({ value }) => value),
        error_codes: errorCodes.map(({ value }) => value),
        counts: {
          account_ids: countsOf(accountIds),
          attempted_account_ids: countsOf(attemptedAccountIds),
          model_options: modelOptions.map(({ count }) => count),
          statuses: Object.fromEntries(statuses.map(({ status, count }) => [status, count])),
          api_key_ids: countsOfValues(apiKeyIds),
          owners: countsOfValues(owners),
          teams: countsOfValues(teams),
          error_codes: countsOfValues(errorCodes),
        },
      };
    })
    .routes();

const NO_OPTIONS: RequestLogOptions = {
  accountIds: [],
  attemptedAccountIds: [],
  modelOptions: [],
  statuses: [],
  apiKeyIds: [],
  owners: [],
  teams: [],
  errorCodes: [],
};

/** Each list leaves out the filter on itself, so what is not a member's is removed from those of keys and owners. */
const ownOptions = (
  options: RequestLogOptions,
  operatorId: string,
  { apiKeys }: Pick<HotState, 'apiKeys'>,
): RequestLogOptions => ({
  ...options,
  accountIds: [],
  attemptedAccountIds: [],
  apiKeyIds: options.apiKeyIds.filter(({ value }) => apiKeys.get(value as ApiKeyId)?.owner === operatorId),
  owners: options.owners.filter(({ value }) => value === operatorId),
});

const countsOf = (counted: readonly { readonly accountId: string; readonly count: number }[]) =>
  Object.fromEntries(counted.map(({ accountId, count }) => [accountId, count]));

const countsOfValues = (counted: readonly { readonly value: string; readonly count: number }[]) =>
  Object.fromEntries(counted.map(({ value, count }) => [value, count]));

/** The values of a list of which an empty one stands for nothing. */
const orNull = (values: readonly string[] | undefined) => values?.map((value) => value || null);

/** @throws Refusal `validation_error` */
export function readFilter(ctx: ManagementContext, vault: DigestVault): RequestLogFilter {
  const conditions: { [Name in keyof RequestLogFilter]: RequestLogFilter[Name] | undefined } = {
    search: queryText(ctx, 'search') || undefined,
    accountIds: queryList(ctx, 'accountId'),
    attemptedAccountIds: queryList(ctx, 'attemptedAccountId'),
    statuses: queryList(ctx, 'status'),
    models: queryList(ctx, 'model'),
    // An empty value selects requests without an effort.
    efforts: orNull(queryList(ctx, 'reasoningEffort')),
    modelOptions: queryList(ctx, 'modelOption')?.map(modelOptionOf),
    apiKeyIds: orNull(queryList(ctx, 'apiKeyId')),
    owners: orNull(queryList(ctx, 'owner')),
    teams: orNull(queryList(ctx, 'team')),
    errorCodes: orNull(queryList(ctx, 'errorCode')),
    transports: queryList(ctx, 'transport'),
    clients: orNull(queryList(ctx, 'client')),
    addressDigests: queryList(ctx, 'address', MAX_ADDRESSES)?.flatMap((text) =>
      addressDigests(vault, parseIp(text) ?? text),
    ),
    conversations: queryList(ctx, 'conversation')?.map((id) => conversationDigest(vault, id)),
    since: queryTime(ctx, 'since'),
    until: queryTime(ctx, 'until'),
  };
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
}

/** @throws Refusal `validation_error` */
function readSort(ctx: ManagementContext): RequestLogSort {
  const sort = queryChoice(ctx, 'sort', SORTS);
  const isDescending = sort.startsWith('-');
  return { by: SORTED_FIELDS[(isDescending ? sort.slice(1) : sort) as SortedField], isDescending };
}

/** Parses `<model>:::<reasoning_effort>`; an empty effort selects requests without one. */
export function modelOptionOf(option: string): { model: string; effort: string | null } {
  const [model = '', effort = ''] = option.split(':::');
  return { model, effort: effort || null };
}

/** A row of the request log, on the wire. */
export function requestLogEntry(row: RequestLogRow, vault: Pick<Vault, 'open'>): z.infer<typeof RequestLogEntry> {
  const fields = new SealedFields(vault);
  const { address, userAgent } = originIn(fields.open(originFieldsOf(row), row.sealedOrigin));
  return {
    requested_at: iso(row.requestedAt),
    account_id: row.accountId,
    request_id: row.requestId,
    model: row.model,
    status: row.status,
    error_code: row.errorCode,
    error_message: row.errorMessage,
    tokens: row.inputTokens === null || row.outputTokens === null ? null : row.inputTokens + row.outputTokens,
    cached_input_tokens: row.cachedInputTokens,
    reasoning_effort: row.effort,
    cost_usd: row.costMicroDollars === null ? null : row.costMicroDollars / 1_000_000,
    latency_ms: row.latencyMs,
    api_key_id: row.apiKeyId,
    owner: row.owner,
    team: row.team,
    client: row.client,
    client_version: row.clientVersion,
    originator: row.originator,
    transport: row.transport,
    address,
    user_agent: userAgent,
    route: row.route,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    reasoning_tokens: row.reasoningTokens,
    first_byte_ms: row.firstByteMs,
    attempts: row.attempts,
    attempted_account_ids: [...row.otherAccountIds, ...(row.accountId === null ? [] : [row.accountId])],
    position: row.position,
    ...fields.forgotten(),
  };
}

/** The fields that the sealed text of a row has: an address has a digest, and a user agent gives the client its name. */
const originFieldsOf = ({ addressDigest, client }: RequestLogRow): string[] => [
  ...(addressDigest === null ? [] : ['address']),
  ...(client === null ? [] : ['user_agent']),
];
