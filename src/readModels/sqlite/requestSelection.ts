import type { SQLInputValue } from 'node:sqlite';
import type { Instant } from '../../domain/core/brands.ts';
import { kindPredicate, namesPredicate, timeRangeOf } from '../requestFilter.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import { needsRows, sourcePredicate } from '../sourceFilter.ts';
import type { AttemptList } from './attemptList.ts';
import { POSITIONS_OF_CONVERSATIONS } from './requestLayout.ts';
import type { RequestTable } from './requestTable.ts';

/** Which rows of the request log a query selects; `to` is exclusive. */
export interface RequestSelection {
  readonly from: Instant;
  readonly to: Instant;
  /** The last position of a row. */
  readonly upTo: number;
  /** Undefined selects every kind. */
  readonly kinds: KindSelection | undefined;
  /** Selects further rows, by an account that was tried before that of the row. */
  readonly attempted: AttemptSelection | undefined;
  /** Conditions that no sums are grouped by: then rows are counted. Undefined selects every source. */
  readonly source: SourceSelection | undefined;
}

/** Conditions on where a request came from. */
export interface SourceSelection {
  /** JSON: the ids of the selected sources. Undefined: all. */
  readonly sourceIds: string | undefined;
  /** Further conditions on a row of `requests`. */
  readonly rest: Condition;
  /** JSON: digests of conversations, of which a request has one. */
  readonly conversations: string | undefined;
}

export interface KindSelection {
  /** One byte per kind id: 1 for those that are selected. */
  readonly bytes: Uint8Array;
  /** Only kinds of failed requests are selected; those have an index of their own. */
  readonly isFailedOnly: boolean;
}

export interface AttemptSelection {
  /** JSON. */
  readonly accountIds: string;
  /** For each attempt kind of the accounts, by its id, 1 if it is of a kind that is selected. */
  readonly attemptKinds: () => Uint8Array;
  /** A row may have tried several of the accounts, and must count once. */
  readonly isOne: boolean;
  /** As in `KindSelection`, without the kinds that it selects. */
  readonly bytes: Uint8Array;
  /** The requests that tried one of the accounts, of whichever kind. */
  readonly list: () => AttemptList;
}

/** Rows by time and position; `to` is exclusive, `upTo` is not. */
export type RowRange = Pick<RequestSelection, 'from' | 'to' | 'upTo'>;

/** The selection of a filter, with its conditions evaluated once per kind. */
export function selectionOf(
  filter: RequestLogFilter,
  table: RequestTable,
  upTo = Number.MAX_SAFE_INTEGER,
): RequestSelection {
  const { kinds, otherAttempts } = table;
  const isBeyond = table.hasBeyond(filter);
  const predicate = kindPredicate(filter, isBeyond);
  const source = sourceSelectionOf(filter, table, isBeyond);
  if (!predicate) return { ...timeRangeOf(filter), upTo, kinds: undefined, attempted: undefined, source };
  const { matches, attempted } = predicate;
  const bytes = bytesOf(kinds.entries, matches);
  const attemptedBytes = attempted && bytesOf(kinds.entries, attempted.matches);
  let list: AttemptList | undefined;
  const isFailedOnly = kinds.entries.every(({ status }, index) => bytes[index] === 0 || status !== '200');
  return {
    ...timeRangeOf(filter),
    upTo,
    source,
    kinds: { bytes, isFailedOnly },
    attempted: attempted && {
      accountIds: JSON.stringify([...attempted.accountIds]),
      attemptKinds: () => attemptKindsOf(table, attempted.accountIds, attemptedBytes as Uint8Array),
      isOne: attempted.accountIds.size === 1,
      bytes: attemptedBytes as Uint8Array,
      list() {
        list ??= otherAttempts.ofAny(attempted.accountIds);
        return list;
      },
    },
  };
}

function attemptKindsOf(table: RequestTable, wanted: ReadonlySet<string>, bytes: Uint8Array): Uint8Array {
  const { accountIds, accounts, kinds } = table.attemptKindNumbers();
  const isWanted = Uint8Array.from(accountIds, (id) => (wanted.has(id) ? 1 : 0));
  const selected = new Uint8Array(accounts.length);
  for (let id = 1; id < selected.length; id++)
    selected[id] = (isWanted[accounts[id] as number] as number) & (bytes[(kinds[id] as number) - 1] as number);
  return selected;
}

function sourceSelectionOf(
  filter: RequestLogFilter,
  { kinds, sources }: RequestTable,
  isBeyond: boolean,
): SourceSelection | undefined {
  if (!isBeyond && !needsRows(filter)) return undefined;
  const matches = sourcePredicate(filter);
  const { clients, addressDigests, conversations } = filter;
  const conditions: Condition[] = isBeyond
    ? [namesCondition(filter, bytesOf(kinds.entries, namesPredicate(filter)))]
    : [];
  if (clients) {
    // The client of a row is unknown when there is none, and when it does not name itself.
    const isNullWanted = clients.includes(null);
    conditions.push({
      sql: `AND (clientId IN (SELECT id FROM requestClients WHERE client IN (SELECT value FROM json_each(?)))
        ${isNullWanted ? 'OR clientId IS NULL OR clientId IN (SELECT id FROM requestClients WHERE client IS NULL)' : ''})`,
      values: [JSON.stringify(clients.filter((client) => client !== null))],
    });
  }
  if (addressDigests) {
    conditions.push({
      sql: `AND clientId IN (SELECT id FROM requestClients WHERE addressDigest IN (SELECT value FROM json_each(?)))`,
      values: [JSON.stringify(addressDigests)],
    });
  }
  return {
    sourceIds:
      matches && JSON.stringify(sources.entries.flatMap((entry, index) => (matches(entry) ? [index + 1] : []))),
    rest: { sql: conditions.map(({ sql }) => sql).join(' '), values: conditions.flatMap(({ values }) => values) },
    conversations: conversations && JSON.stringify(conversations),
  };
}

/**
 * The names of a row, where those of its kind are not the ones that are wanted: see `KindNames`.
 * @param exactly the kinds whose names are
 */
function namesCondition({ models, efforts, modelOptions }: RequestLogFilter, exactly: Uint8Array): Condition {
  const model = 'coalesce(modelBeyond, kind.model)';
  const effort = 'coalesce(effortBeyond, kind.effort)';
  const lists = [
    { list: models, sql: `EXISTS (SELECT 1 FROM json_each(?) WHERE value = ${model})` },
    { list: efforts, sql: `EXISTS (SELECT 1 FROM json_each(?) WHERE value IS ${effort})` },
    {
      list: modelOptions,
      sql: `EXISTS (SELECT 1 FROM json_each(?) WHERE value ->> 'model' = ${model} AND value ->> 'effort' IS ${effort})`,
    },
  ].filter(({ list }) => list !== undefined);
  return {
    sql: `AND (substr(?, kindId, 1) = x'01' OR EXISTS (SELECT 1 FROM requestKinds AS kind
      WHERE kind.id = kindId AND ${lists.map(({ sql }) => sql).join(' AND ')}))`,
    values: [exactly, ...lists.map(({ list }) => JSON.stringify(list))],
  };
}

/** A byte for each entry: 1 if it matches. Several times as fast as `Uint8Array.from`. */
function bytesOf<Entry>(entries: readonly Entry[], matches: (entry: Entry) => boolean): Uint8Array {
  const bytes = new Uint8Array(entries.length);
  for (let index = 0; index < entries.length; index++) if (matches(entries[index] as Entry)) bytes[index] = 1;
  return bytes;
}

/** The SQL condition on `kindId`. Where there is a selection, its bytes are the statement's parameter. */
export const kindCondition = (kinds: KindSelection | undefined) => (kinds ? "AND substr(?, kindId, 1) = x'01'" : '');

/** SQL with its parameters. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** The earlier attempts of a row of `tried` on one of the accounts. */
const EARLIER = `SELECT 1 FROM otherAttempts AS earlier
  WHERE earlier.position = tried.position AND earlier.ordinal < tried.ordinal AND earlier.accountId IN
    (SELECT value FROM json_each(?))`;
const AMONG = 'accountId IN (SELECT value FROM json_each(?))';

/** The condition on the source of a row of a table that has `position`. */
function sourceCondition(source: SourceSelection | undefined, table: string): Condition {
  if (!source) return { sql: '', values: [] };
  const { sourceIds, rest, conversations } = source;
  const conditions: Condition[] = [rest];
  if (sourceIds) conditions.push({ sql: 'AND sourceId IN (SELECT value FROM json_each(?))', values: [sourceIds] });
  if (conversations) {
    conditions.push({
      sql: `AND position IN (
        SELECT position FROM (${POSITIONS_OF_CONVERSATIONS})
        UNION SELECT position FROM otherConversations WHERE conversation IN (SELECT value FROM json_each(?)))`,
      values: [conversations, conversations],
    });
  }
  const sql = conditions.map((condition) => condition.sql).join(' ');
  const values = conditions.flatMap((condition) => condition.values);
  if (table === 'requests') return { sql, values };
  return { sql: `AND EXISTS (SELECT 1 FROM requests WHERE requests.position = ${table}.position ${sql})`, values };
}

/** The condition on rows of a table that has `position` and `kindId`. */
export function rowCondition(selection: RequestSelection, table: string): Condition {
  const source = sourceCondition(selection.source, table);
  const { sql, values } = kindAndPosition(selection, table);
  return { sql: `${sql} ${source.sql}`, values: [...values, ...source.values] };
}

function kindAndPosition({ upTo, kinds, attempted }: RequestSelection, table: string): Condition {
  const included = `AND ${table}.position <= ?`;
  if (!kinds) return { sql: included, values: [upTo] };
  if (!attempted) return { sql: `${included} ${kindCondition(kinds)}`, values: [upTo, kinds.bytes] };
  return {
    sql: `${included} AND (substr(?, kindId, 1) = x'01' OR substr(?, kindId, 1) = x'01' AND EXISTS (
      SELECT 1 FROM otherAttempts AS tried WHERE tried.position = ${table}.position AND tried.${AMONG}))`,
    values: [upTo, kinds.bytes, attempted.bytes, attempted.accountIds],
  };
}

/** `FROM` and `WHERE` of the attempts that select further rows in a time range, each row once. */
export function attemptsIn({ accountIds, bytes, isOne }: AttemptSelection, { from, to, upTo }: RowRange): Condition {
  const first = `AND (ordinal = 0 OR NOT EXISTS (${EARLIER}))`;
  return {
    sql: `FROM otherAttempts AS tried INDEXED BY otherAttemptsByAccount
      WHERE ${AMONG} AND requestedAt >= ? AND requestedAt < ? AND tried.position <= ? AND substr(?, kindId, 1) = x'01'
      ${isOne ? '' : first}`,
    values: [accountIds, from, to, upTo, bytes, ...(isOne ? [] : [accountIds])],
  };
}
