import type { Instant, Position } from '../src/domain/core/brands.ts';
import type { KnownEvent } from '../src/domain/eventTypes.ts';
import { type ImportedRequest, importedTransport } from '../src/domain/moving/events.ts';
import type { Attempt, CompletedRequest } from '../src/domain/request/events.ts';
import { LONGER_PERIODS } from './periods.ts';
import type { Projection, RollUp, Write } from './projection.ts';

/** One row of the request log: a request that completed, was refused, or was imported from another program's log. */
export interface RequestLogRow {
  readonly requestId: string;
  readonly requestedAt: Instant;
  readonly accountId: string | null;
  readonly apiKeyId: string | null;
  /** To whom the key belonged at the time. */
  readonly owner: string | null;
  readonly team: string | null;
  /** Empty for an imported request: the other program did not log it. */
  readonly route: string;
  /** `http` unless the client used something else; `import:<program>` for a request that was imported. */
  readonly transport: string;
  readonly model: string;
  readonly effort: string | null;
  /** HTTP status as text, or `error`. */
  readonly status: string;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly costMicroDollars: number | null;
  readonly latencyMs: number;
  /** From the request to the first byte of the response; null when there was no response. */
  readonly firstByteMs: number | null;
  /** Number of attempts; 0 for an imported request. */
  readonly attempts: number;
  /** Accounts that were tried before `accountId`, in this order, without it. */
  readonly otherAccountIds: readonly string[];
  /** The program that sent the request, as it names itself. */
  readonly client: string | null;
  readonly clientVersion: string | null;
  readonly originator: string | null;
  /** Its address and user agent, sealed in one text. */
  readonly sealedOrigin: string | null;
  readonly addressDigest: string | null;
  /** Digests of the conversations that the request named. */
  readonly conversations: readonly string[];
  readonly position: Position;
}

/** The fields by which the request log can be filtered. */
export interface RequestKind {
  readonly accountId: string | null;
  readonly model: string;
  readonly effort: string | null;
  readonly status: string;
}

/** An account that was tried before the one of the request, and the request's kind. */
export interface AttemptKind extends RequestKind {
  readonly attemptedAccountId: string;
}

/** Requests that tried an account. */
export type AttemptSums = Pick<RequestSums, 'requests'>;

/** For whom a request was: its key, whose that was, how the client spoke to svc, and its error. */
export interface RequestSource {
  readonly apiKeyId: string | null;
  readonly errorCode: string | null;
  readonly owner: string | null;
  readonly team: string | null;
  readonly transport: string;
}

/** The client of a request. */
export type RequestClientFields = Pick<
  RequestLogRow,
  'client' | 'clientVersion' | 'originator' | 'sealedOrigin' | 'addressDigest'
>;

export const REQUEST_SUMS = [
  'requests',
  /** Requests whose status is not `200`. */
  'errors',
  /** Refusals without a row of their own: only counted, because there were too many of them in a minute. */
  'unlogged',
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'reasoningTokens',
  'costMicroDollars',
  'latencyMs',
] as const;
export type RequestSums = Readonly<Record<(typeof REQUEST_SUMS)[number], number>>;

/** The fields of a completed request that the request log needs. */
export type LoggedRequest = Pick<
  CompletedRequest,
  | 'requestId'
  | 'keyId'
  | 'route'
  | 'model'
  | 'effort'
  | 'requestedAt'
  | 'status'
  | 'errorCode'
  | 'errorMessage'
  | 'accountId'
  | 'latencyMs'
  | 'firstByteMs'
  | 'usage'
  | 'costMicroDollars'
  | 'owner'
  | 'team'
  | 'transport'
  | 'conversation'
  | 'otherConversations'
  | 'client'
> & { readonly attempts: readonly Pick<Attempt, 'accountId'>[] };

/** Refusals of one key with one error code that have no rows of their own. */
export interface UnloggedRefusals extends RequestSource {
  /** The start of the minute that they are counted over. */
  readonly minute: Instant;
  readonly errorCode: string;
  readonly unlogged: number;
  readonly position: Position;
}

interface Documents {
  readonly requests: RequestLogRow;
  /** Needed for sums over parts of a minute. */
  readonly refusals: UnloggedRefusals;
}

/**
 * Several roll-ups instead of one, because grouping by all fields at once (50 accounts, 10 models, 20 keys, ...) would give as
 * many groups per hour as there are requests. Totals of all requests come from the roll-up by error code, which has so few
 * groups that it can be kept by the minute.
 */
interface Summed {
  readonly requestsByKind: RollUp<RequestKind, RequestSums>;
  /** The accounts whose attempts failed. Those of `accountId` are in `requestsByKind`. */
  readonly requestsByAttempt: RollUp<AttemptKind, AttemptSums>;
  readonly requestsBySource: RollUp<RequestSource, RequestSums>;
  readonly requestsByErrorCode: RollUp<Pick<RequestSource, 'errorCode'>, RequestSums>;
}

/**
 * One row per completed request (abandoned ones included), per refused and per imported request, and the sums over them. A request belongs
 * to the period in which it arrived.
 */
export const requestLog: Projection<Documents, Summed> = {
  name: 'requestLog',
  version: 7,
  periods: {
    requestsByKind: LONGER_PERIODS,
    requestsByAttempt: LONGER_PERIODS,
    requestsBySource: LONGER_PERIODS,
    requestsByErrorCode: ['minute', ...LONGER_PERIODS],
  },
  on: {
    RequestCompleted: ({ data, position }, write) => add(write, rowOf(data, position)),
    RequestRefused: ({ data, position }, write) => add(write, rowOf({ ...data, ...NO_ATTEMPT }, position)),
    RequestImported: ({ data, position }, write) => add(write, rowOf(loggedImport(data), position)),
    RefusalsCounted: ({ data, position }, write) => {
      // Refusals by address come from clients without a key; these never count as requests.
      if (data.address !== null) return;
      for (const [errorCode, unlogged] of Object.entries(data.counts)) {
        const source = { apiKeyId: data.keyId, errorCode, owner: null, team: null, transport: 'http' };
        write.insert('refusals', `${position} ${errorCode}`, { minute: data.minute, ...source, unlogged, position });
        write.increment('requestsBySource', data.minute, source, { ...NO_SUMS, unlogged });
        write.increment('requestsByErrorCode', data.minute, source, { ...NO_SUMS, unlogged });
      }
    },
  },
};

const NO_SUMS: RequestSums = {
  requests: 0,
  errors: 0,
  unlogged: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costMicroDollars: 0,
  latencyMs: 0,
};

function add(write: Write<Documents, Summed>, row: RequestLogRow): void {
  write.insert('requests', row.requestId, row);
  const sums: RequestSums = {
    requests: 1,
    errors: row.status === '200' ? 0 : 1,
    unlogged: 0,
    inputTokens: row.inputTokens ?? 0,
    outputTokens: row.outputTokens ?? 0,
    cachedInputTokens: row.cachedInputTokens ?? 0,
    reasoningTokens: row.reasoningTokens ?? 0,
    costMicroDollars: row.costMicroDollars ?? 0,
    latencyMs: row.latencyMs,
  };
  write.increment('requestsByKind', row.requestedAt, row, sums);
  for (const attemptedAccountId of row.otherAccountIds) {
    const { accountId, model, effort, status } = row;
    const kind = { attemptedAccountId, accountId, model, effort, status };
    write.increment('requestsByAttempt', row.requestedAt, kind, ONE_REQUEST);
  }
  write.increment('requestsBySource', row.requestedAt, row, sums);
  write.increment('requestsByErrorCode', row.requestedAt, row, sums);
}

const ONE_REQUEST: AttemptSums = { requests: 1 };

/** The row of the event that ended a request, or with which it was imported. */
export function requestRowOf({ type, data }: LoggedEvent, position: Position): RequestLogRow {
  switch (type) {
    case 'RequestCompleted':
      return rowOf(data, position);
    case 'RequestRefused':
      return rowOf({ ...data, ...NO_ATTEMPT }, position);
    case 'RequestImported':
      return rowOf(loggedImport(data), position);
  }
}

type LoggedEvent = Extract<KnownEvent, { type: 'RequestCompleted' | 'RequestRefused' | 'RequestImported' }>;

/** The fields that a request without any attempt lacks. */
const NO_ATTEMPT = { accountId: null, usage: null, costMicroDollars: null, firstByteMs: null, attempts: [] } as const;

const NO_ATTEMPTS: LoggedRequest['attempts'] = [];

/** Its source takes the place of the transport, by which the log can be filtered and figures can be grouped. */
const loggedImport = ({ program, client, ...data }: ImportedRequest): LoggedRequest => ({
  ...data,
  route: '',
  transport: importedTransport(program),
  attempts: NO_ATTEMPTS,
  ...(client !== undefined && { client: { name: client } }),
});

const rowOf = (data: LoggedRequest, position: Position): RequestLogRow => ({
  requestId: data.requestId,
  requestedAt: data.requestedAt,
  accountId: data.accountId,
  apiKeyId: data.keyId,
  owner: data.owner ?? null,
  team: data.team ?? null,
  route: data.route,
  transport: data.transport ?? 'http',
  model: data.model,
  effort: data.effort,
  status: data.status,
  errorCode: data.errorCode,
  errorMessage: data.errorMessage,
  inputTokens: data.usage?.inputTokens ?? null,
  outputTokens: data.usage?.outputTokens ?? null,
  cachedInputTokens: data.usage?.cachedInputTokens ?? null,
  reasoningTokens: data.usage?.reasoningTokens ?? null,
  costMicroDollars: data.costMicroDollars,
  latencyMs: data.latencyMs,
  firstByteMs: data.firstByteMs,
  attempts: data.attempts.length,
  otherAccountIds: othersIn(data),
  client: data.client?.name ?? null,
  clientVersion: data.client?.version ?? null,
  originator: data.client?.originator ?? null,
  sealedOrigin: data.client?.sealed ?? null,
  addressDigest: data.client?.addressDigest ?? null,
  conversations: conversationsIn(data),
  position,
});

const NO_CONVERSATIONS: readonly string[] = [];

function conversationsIn({ conversation, otherConversations }: LoggedRequest): readonly string[] {
  if (conversation === undefined) return NO_CONVERSATIONS;
  return otherConversations ? [conversation, ...otherConversations] : [conversation];
}

const NO_OTHERS: readonly string[] = [];

function othersIn({ accountId, attempts }: LoggedRequest): readonly string[] {
  if (attempts.length < 2) return NO_OTHERS;
  const others = new Set<string>(attempts.map((attempt) => attempt.accountId));
  if (accountId !== null) others.delete(accountId);
  return [...others];
}
