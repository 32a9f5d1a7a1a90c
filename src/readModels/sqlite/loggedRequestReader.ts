import type { z } from 'zod';
import type { LoggedRequest } from '../../../projections/requestLog.ts';
import { instant, microDollars } from '../../domain/core/brands.ts';
import type { Schema } from '../../domain/core/schema.ts';
import { completedRequestVersions } from '../../domain/request/events.ts';
import { createFieldReader } from '../../eventLog/storedJson/fieldReader.ts';
import { createItemCounter } from '../../eventLog/storedJson/itemCounter.ts';
import { jsonShapeOf } from '../../eventLog/storedJson/jsonShape.ts';

/** What the request log needs of a completed request, as parts of its JSON; null fields are undefined. */
type Parts = readonly [
  json: string,
  requestId: string,
  /** Fields `keyId` to `effort`, as JSON. */
  requested: string,
  requestedAt: string,
  owner: string | undefined,
  team: string | undefined,
  transport: string | undefined,
  conversation: string | undefined,
  /** As JSON, with its name. */
  otherConversations: string | undefined,
  client: string | undefined,
  /** Fields `status` to `accountId`, as JSON. */
  ended: string,
  latencyMs: string,
  firstByteMs: string | undefined,
  inputTokens: string | undefined,
  cachedInputTokens: string | undefined,
  outputTokens: string | undefined,
  reasoningTokens: string | undefined,
  isEstimated: string | undefined,
  costMicroDollars: string | undefined,
];

interface StoredRequestReader {
  /** @returns null when the JSON has to be parsed */
  readonly read: (json: string) => Parts | null;
  /** @returns undefined when there is no list of attempts */
  readonly countAttempts: (json: string, from: number) => number | undefined;
}

export type LoggedRequestReaders = { readonly [version: number]: StoredRequestReader | undefined };

const LAST_FIELD = 'costMicroDollars';

/** The captures that version 1 lacks, between `requestedAt` and `status`. */
const SINCE_V2 = [
  'owner',
  'team',
  'transport',
  'conversation',
  ['otherConversations', 'otherConversations'],
  ['client', 'client'],
] as const;
const BEFORE_SINCE_V2 = 4;

/** @throws Error when the schema does not have the fields of `Parts` in this order */
export function createStoredRequestReader(schema: Schema<z.ZodObject>, hasSource = true): StoredRequestReader {
  const shape = jsonShapeOf(schema);
  const read = createFieldReader(shape, {
    captures: [
      'requestId',
      ['keyId', 'effort'],
      'requestedAt',
      ...(hasSource ? SINCE_V2 : []),
      ['status', 'accountId'],
      'latencyMs',
      'firstByteMs',
      'usage.inputTokens',
      'usage.cachedInputTokens',
      'usage.outputTokens',
      'usage.reasoningTokens',
      'usage.isEstimated',
      LAST_FIELD,
    ],
    endsWith: LAST_FIELD,
    allowsEscapes: true,
  });
  const none = SINCE_V2.map(() => undefined);
  const readWithoutSource = (json: string) => {
    const parts = read(json);
    return parts && [...parts.slice(0, BEFORE_SINCE_V2), ...none, ...parts.slice(BEFORE_SINCE_V2)];
  };
  return {
    read: (hasSource ? read : readWithoutSource) as StoredRequestReader['read'],
    countAttempts: createItemCounter(shape, 'attempts', LAST_FIELD),
  };
}

/** Each stored version of `RequestCompleted` has its own entry; versions without a reader are parsed. */
const READERS = {
  1: createStoredRequestReader(completedRequestVersions[1], false),
  2: createStoredRequestReader(completedRequestVersions[2]),
} satisfies Record<keyof typeof completedRequestVersions, StoredRequestReader | undefined>;

type Requested = Pick<LoggedRequest, 'keyId' | 'route' | 'model' | 'effort'>;
type Client = Pick<LoggedRequest, 'client'>;
type Ended = Pick<LoggedRequest, 'status' | 'errorCode' | 'errorMessage' | 'accountId'>;

/**
 * Reads what the request log needs from the JSON of a `RequestCompleted`, by far the most frequent event: a fifth of the cost of
 * parsing it. Fields with few different values are parsed once for each combination. Requests that failed or tried several
 * accounts have to be parsed: the history names their attempts.
 */
export class LoggedRequestReader {
  readonly #readers: LoggedRequestReaders;
  readonly #requested = new ParsedFields<Requested>();
  readonly #clients = new ParsedFields<Client>();
  readonly #ended = new ParsedFields<Ended>();

  constructor(readers: LoggedRequestReaders = READERS) {
    this.#readers = readers;
  }

  /** @returns undefined when the JSON has to be parsed */
  read(version: number, json: string): LoggedRequest | undefined {
    const reader = this.#readers[version];
    const parts = reader?.read(json);
    if (!reader || !parts) return undefined;
    const attempts = reader.countAttempts(json, parts[0].length);
    if (attempts === undefined || attempts > 1) return undefined;
    const { keyId, route, model, effort } = this.#requested.parse(parts[2]);
    const { status, errorCode, errorMessage, accountId } = this.#ended.parse(parts[10]);
    // The account of a request is that of its last attempt.
    if (errorCode !== null || (attempts === 1 && accountId === null)) return undefined;
    return {
      requestId: parts[1],
      keyId,
      route,
      model,
      effort,
      requestedAt: instant(Number(parts[3])),
      owner: parts[4],
      team: parts[5],
      transport: parts[6],
      conversation: parts[7],
      otherConversations: parts[8] === undefined ? undefined : JSON.parse(`{${parts[8]}}`).otherConversations,
      client: parts[9] === undefined ? undefined : this.#clients.parse(parts[9]).client,
      status,
      errorCode,
      errorMessage,
      accountId,
      latencyMs: Number(parts[11]),
      firstByteMs: parts[12] === undefined ? null : Number(parts[12]),
      usage:
        parts[13] === undefined
          ? null
          : {
              inputTokens: Number(parts[13]),
              cachedInputTokens: Number(parts[14]),
              outputTokens: Number(parts[15]),
              reasoningTokens: Number(parts[16]),
              isEstimated: parts[17] === 'true',
            },
      costMicroDollars: parts[18] === undefined ? null : microDollars(Number(parts[18])),
      attempts: attempts === 1 && accountId !== null ? [{ accountId }] : [],
    };
  }
}

const MAX_ENTRIES = 10_000;

/** Caches what the JSON of a few fields was parsed to. */
class ParsedFields<Fields> {
  readonly #parsed = new Map<string, Fields>();

  parse(json: string): Fields {
    const cached = this.#parsed.get(json);
    if (cached) return cached;
    if (this.#parsed.size >= MAX_ENTRIES) this.#parsed.clear();
    const fields = JSON.parse(`{${json}}`) as Fields;
    this.#parsed.set(json, fields);
    return fields;
  }
}
