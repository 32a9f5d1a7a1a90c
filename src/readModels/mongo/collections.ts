import type { Collection, Db, IndexDescription } from 'mongodb';
import type {
  AccountSums,
  AttemptDocument,
  AttemptKindSums,
  ErrorCodeSums,
  FigureDocument,
  FigureNameDocument,
  HistoryDocument,
  KindDocument,
  KindSums,
  RefusalsDocument,
  RequestDocument,
  SourceSums,
  SpanDocument,
  TextDocument,
  UsageSampleDocument,
} from './documents.ts';

/** The collections of one generation of the read models. */
export interface Collections {
  readonly requests: Collection<RequestDocument>;
  readonly attempts: Collection<AttemptDocument>;
  readonly refusals: Collection<RefusalsDocument>;
  readonly kinds: Collection<KindDocument>;
  readonly requestsByKind: Collection<KindSums>;
  readonly requestsByAttempt: Collection<AttemptKindSums>;
  readonly requestsBySource: Collection<SourceSums>;
  readonly requestsByErrorCode: Collection<ErrorCodeSums>;
  readonly figures: Collection<FigureDocument>;
  readonly figureNames: Collection<FigureNameDocument>;
  readonly usageByAccount: Collection<AccountSums>;
  readonly usageSamples: Collection<UsageSampleDocument>;
  readonly rowSpans: Collection<SpanDocument>;
  readonly history: Collection<HistoryDocument>;
  readonly historyTexts: Collection<TextDocument>;
}

/** All indexes except those of `_id`, each with the queries that use it. Hints refer to their names. */
export const INDEXES: Readonly<Record<keyof Collections, readonly (IndexDescription & { readonly name: string })[]>> = {
  requests: [
    // A page without a filter, or with one that many kinds match: scanned by time; the index covers the kind.
    { name: 'byTime', key: { requestedAt: -1, _id: -1, kind: 1 } },
    // A page of few kinds (one account, one model, one status): one range per kind, merged by time.
    { name: 'byKind', key: { kind: 1, requestedAt: -1, _id: -1 } },
    // Requests of keys, and of a conversation.
    { name: 'byKey', key: { apiKeyId: 1, requestedAt: -1, _id: -1 } },
    { name: 'byConversation', key: { conversations: 1, requestedAt: -1, _id: -1 } },
    // `search` by the beginning of a request id (a range) or a part of it (an index scan); counted without the rows.
    { name: 'byRequestId', key: { requestId: 1, requestedAt: -1, _id: -1, kind: 1 } },
    // Whether any request has a name that its kind does not have.
    { name: 'byModelBeyond', key: { modelBeyond: 1 }, sparse: true },
    { name: 'byEffortBeyond', key: { effortBeyond: 1 }, sparse: true },
    // `search` by a part of an error message: a scan of the messages; the index contains failed requests only.
    { name: 'byErrorMessage', key: { errorMessage: 1 }, sparse: true },
  ],
  attempts: [
    // Requests by the accounts that they tried before their own: pages, and counts without the documents.
    { name: 'byAccount', key: { accountId: 1, requestedAt: -1, position: -1, kind: 1 } },
    // Number of attempts by account and kind within a part of an hour; a covering index.
    { name: 'byTime', key: { requestedAt: 1, accountId: 1, kind: 1 } },
  ],
  refusals: [
    // Refusals without rows within a part of an hour.
    { name: 'byMinute', key: { minute: 1 } },
  ],
  kinds: [
    // Kinds that a reader has not loaded yet.
    { name: 'bySince', key: { since: 1 } },
  ],
  requestsByKind: [
    // Number of requests by kind and period; a covering index.
    { name: 'byPeriod', key: { period: 1, start: -1, kind: 1, requests: 1 } },
  ],
  requestsByAttempt: [
    // Number of requests by account, kind and period; a covering index.
    { name: 'byPeriod', key: { period: 1, start: -1, attemptedAccountId: 1, kind: 1, requests: 1 } },
  ],
  requestsBySource: [
    // Sums of each key and error code since a moment.
    { name: 'byPeriod', key: { period: 1, start: -1 } },
  ],
  requestsByErrorCode: [
    // Totals since a moment, and the number of requests per period; covers the latter.
    { name: 'byPeriod', key: { period: 1, start: -1, requests: 1 } },
  ],
  figures: [
    // Sums and sketches within periods.
    { name: 'byPeriod', key: { period: 1, start: -1 } },
  ],
  figureNames: [
    // Names of the months of some rows.
    { name: 'byMonth', key: { month: 1 } },
  ],
  usageByAccount: [
    // Sums of each account since a moment.
    { name: 'byTime', key: { start: 1 } },
    // The hours of one account, and the last hour before them.
    { name: 'byAccount', key: { accountId: 1, start: -1 } },
  ],
  usageSamples: [
    // Samples within a part of an hour.
    { name: 'byTime', key: { time: 1 } },
  ],
  rowSpans: [
    // Spans that a reader has not loaded yet.
    { name: 'bySpan', key: { span: 1 } },
  ],
  history: [
    // Events of a subject, latest first.
    { name: 'bySubject', key: { subject: 1, _id: -1 } },
    // Events of some types, latest first.
    { name: 'byType', key: { type: 1, _id: -1 } },
    // Events of an actor, latest first.
    { name: 'byActor', key: { actors: 1, _id: -1 } },
    // The last position up to a time, which maps `since` and `until` to positions.
    { name: 'byLatest', key: { latest: 1, _id: 1 } },
  ],
  // A part of a sentence: a scan by position, latest first.
  historyTexts: [],
};

const NAMES = Object.keys(INDEXES) as (keyof Collections)[];

/** The collections whose names begin with `prefix`. They may not exist yet: see `prepare`. */
export const collectionsOf = (db: Db, prefix: string): Collections =>
  Object.fromEntries(NAMES.map((name) => [name, db.collection(`${prefix}.${name}`)])) as unknown as Collections;

/** Creates the missing collections and indexes. */
export async function prepare(collections: Collections): Promise<void> {
  await Promise.all(
    NAMES.map(async (name) => {
      const existing = await indexNames(collections[name]);
      // FerretDB 1.24 closes the connection when an index exists already.
      const missing = INDEXES[name].filter((index) => !existing.has(index.name));
      if (missing.length > 0) await collections[name].createIndexes([...missing]);
    }),
  );
}

/** Drops the collections of a generation. */
export async function drop(collections: Collections): Promise<void> {
  await Promise.all(NAMES.map((name) => collections[name].drop()));
}

const NAMESPACE_NOT_FOUND = 26;

// biome-ignore lint/suspicious/noExplicitAny: of any document
async function indexNames(collection: Collection<any>): Promise<ReadonlySet<string>> {
  try {
    return new Set((await collection.listIndexes().toArray()).map(({ name }) => String(name)));
  } catch (error) {
    if ((error as { code?: unknown }).code === NAMESPACE_NOT_FOUND) return new Set();
    throw error;
  }
}
