import type { Collection, Db, IndexDescription } from 'mongodb';
import type {
  AccountSums,
  ErrorCodeSums,
  HistoryDocument,
  KindDocument,
  KindSums,
  OutcomeSums,
  RefusalsDocument,
  RequestDocument,
  TextDocument,
} from './documents.ts';

/** Everything that one generation of the read models consists of. */
export interface Collections {
  readonly requests: Collection<RequestDocument>;
  readonly refusals: Collection<RefusalsDocument>;
  readonly kinds: Collection<KindDocument>;
  readonly requestsByKind: Collection<KindSums>;
  readonly requestsByOutcome: Collection<OutcomeSums>;
  readonly requestsByErrorCode: Collection<ErrorCodeSums>;
  readonly usageByAccount: Collection<AccountSums>;
  readonly history: Collection<HistoryDocument>;
  readonly historyTexts: Collection<TextDocument>;
}

/** Every index but that of `_id`, with the query that it is there for. Hints name them. */
export const INDEXES: Readonly<Record<keyof Collections, readonly (IndexDescription & { readonly name: string })[]>> = {
  requests: [
    // A page without filter, or with one that many kinds pass: along the time; the kind is read from the index.
    { name: 'byTime', key: { requestedAt: -1, _id: -1, kind: 1 } },
    // A page of few kinds (one account, one model, one status): one range a kind, merged by time.
    { name: 'byKind', key: { kind: 1, requestedAt: -1, _id: -1 } },
    // `search` by the beginning of a request id (a range) or a part of it (along the index); counted without the rows.
    { name: 'byRequestId', key: { requestId: 1, requestedAt: -1, _id: -1, kind: 1 } },
    // `search` by a part of an error message: along the messages of failed requests, others are not in it.
    { name: 'byErrorMessage', key: { errorMessage: 1 }, sparse: true },
    // Together with that of `_id` (the rows of a page, by their positions) five.
  ],
  refusals: [
    // Refusals without rows within a part of an hour.
    { name: 'byMinute', key: { minute: 1 } },
  ],
  kinds: [
    // Kinds that a reader does not know yet.
    { name: 'bySince', key: { since: 1 } },
  ],
  requestsByKind: [
    // How many requests of these kinds each period has; and which kinds it has. Answered without the documents.
    { name: 'byPeriod', key: { period: 1, start: -1, kind: 1, requests: 1 } },
  ],
  requestsByOutcome: [
    // Sums of each key and error code since a moment.
    { name: 'byPeriod', key: { period: 1, start: -1 } },
  ],
  requestsByErrorCode: [
    // Totals since a moment; and how many requests of any kind each period has, without the documents.
    { name: 'byPeriod', key: { period: 1, start: -1, requests: 1 } },
  ],
  usageByAccount: [
    // Sums of each account since a moment.
    { name: 'byTime', key: { start: 1 } },
    // The hours of one account, and the last one before them.
    { name: 'byAccount', key: { accountId: 1, start: -1 } },
  ],
  history: [
    // Everything that happened to a subject, the latest first.
    { name: 'bySubject', key: { subject: 1, _id: -1 } },
    // Events of some types, the latest first.
    { name: 'byType', key: { type: 1, _id: -1 } },
    // What somebody did, the latest first.
    { name: 'byActor', key: { actors: 1, _id: -1 } },
    // The last position up to a time: `since` and `until` become positions.
    { name: 'byLatest', key: { latest: 1, _id: 1 } },
  ],
  // A part of a sentence: along the positions, the latest first.
  historyTexts: [],
};

const NAMES = Object.keys(INDEXES) as (keyof Collections)[];

export const collectionsOf = (db: Db, prefix: string): Collections =>
  Object.fromEntries(NAMES.map((name) => [name, db.collection(`${prefix}.${name}`)])) as unknown as Collections;

/** Makes the collections and indexes that are not there yet. */
export async function prepare(collections: Collections): Promise<void> {
  await Promise.all(
    NAMES.map(async (name) => {
      const there = await indexNames(collections[name]);
      // FerretDB 1.24 breaks the connection over an index that is there already.
      const missing = INDEXES[name].filter((index) => !there.has(index.name));
      if (missing.length > 0) await collections[name].createIndexes([...missing]);
    }),
  );
}

/** Throws the documents and indexes of a generation away. */
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
