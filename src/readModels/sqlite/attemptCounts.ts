import type { DatabaseSync } from 'node:sqlite';
import { type RequestKind, requestLog } from '../../../projections/requestLog.ts';
import { type Cut, lastPositionOf, splitAtCut } from '../cut.ts';
import type { AttemptCounts, Condition } from '../requestFilter.ts';
import type { AttemptKindNumbers } from './attemptKindNumbers.ts';
import { type AttemptList, forEachAttempt } from './attemptList.ts';
import type { Dictionary } from './dictionary.ts';
import type { AttemptSelection, RequestSelection, RowRange } from './requestSelection.ts';
import type { RequestTable } from './requestTable.ts';
import type { Tables } from './tables.ts';

type TimeRange = Pick<RequestSelection, 'from' | 'to'>;

/** Counted rows: those of parts of a period. */
interface AttemptRow {
  readonly accountId: string;
  readonly kindId: number;
  readonly count: number;
}

/** Counts of attempts as lists of numbers: tens of thousands of objects would take longer to make than to count. */
class SummedAttempts implements AttemptCounts {
  readonly #kinds: Dictionary<RequestKind>;
  readonly #numbers: AttemptKindNumbers;
  readonly #sums: Float64Array;
  readonly #rows: readonly AttemptRow[];

  /** @param sums by the id of the attempt kind @param rows further ones */
  constructor(
    kinds: Dictionary<RequestKind>,
    numbers: AttemptKindNumbers,
    sums: Float64Array,
    rows: readonly AttemptRow[],
  ) {
    this.#kinds = kinds;
    this.#numbers = numbers;
    this.#sums = sums;
    this.#rows = rows;
  }

  byAccount(matches: Condition): Map<string, number> {
    const { accountIds, accounts, kinds } = this.#numbers;
    const { entries } = this.#kinds;
    const wanted = new Uint8Array(entries.length + 1);
    for (let index = 0; index < entries.length; index++)
      if (matches(entries[index] as RequestKind)) wanted[index + 1] = 1;
    const sums = this.#sums;
    const byPlace = new Float64Array(accountIds.length);
    for (let id = 1; id < sums.length; id++) {
      const place = accounts[id] as number;
      byPlace[place] = (byPlace[place] as number) + (sums[id] as number) * (wanted[kinds[id] as number] as number);
    }
    const found = new Map<string, number>();
    byPlace.forEach((count, place) => {
      if (count > 0) found.set(accountIds[place] as string, count);
    });
    for (const { accountId, kindId, count } of this.#rows)
      if (wanted[kindId] === 1) found.set(accountId, (found.get(accountId) ?? 0) + count);
    return found;
  }

  of(accountId: string): [RequestKind, number][] {
    const { accountIds, accounts, kinds } = this.#numbers;
    const sums = this.#sums;
    const place = accountIds.indexOf(accountId);
    const found: [RequestKind, number][] = [];
    for (let id = 1; id < sums.length; id++)
      if (accounts[id] === place && sums[id] !== 0)
        found.push([this.#kinds.entryOf(kinds[id] as number), sums[id] as number]);
    for (const row of this.#rows)
      if (row.accountId === accountId) found.push([this.#kinds.entryOf(row.kindId), row.count]);
    return found;
  }
}

/** The numbers of requests that tried each account before their own, by kind. */
export function attemptCounts(
  database: DatabaseSync,
  { requests, attemptCounts: counts }: Pick<Tables, 'requests' | 'attemptCounts'>,
  { from, to }: TimeRange,
  cut: Cut | undefined,
): AttemptCounts {
  const inRows = database.prepare(
    `SELECT accountId, kindId, COUNT(*) AS count FROM otherAttempts INDEXED BY otherAttemptsByTime
     WHERE requestedAt >= ? AND requestedAt < ? AND position <= ? GROUP BY accountId, kindId`,
  );
  const sums = new Float64Array(requests.attemptKinds.entries.length + 1);
  const rows: AttemptRow[] = [];
  for (const range of splitAtCut(from, to, cut, requestLog.periods.requestsByAttempt)) {
    if (range.period) {
      counts.forEach(range.period, range.from, range.to, (id, count) => {
        sums[id] = (sums[id] as number) + count;
      });
      continue;
    }
    rows.push(...(inRows.all(range.from, range.to, lastPositionOf(cut)) as unknown as AttemptRow[]));
  }
  return new SummedAttempts(requests.kinds, requests.attemptKindNumbers(), sums, rows);
}

/**
 * The numbers of requests that a selection finds by one of several accounts that were tried before their own, by kind. A kind may
 * occur more than once: the sums count a request for each of the accounts, so what is counted again is taken off.
 * @param attempts of the same time range
 */
export function countsByAttempted(
  { kinds, otherAttempts }: Pick<RequestTable, 'kinds' | 'otherAttempts'>,
  { bytes, list }: AttemptSelection,
  wanted: ReadonlySet<string>,
  attempts: AttemptCounts,
  range: RowRange,
): [kind: RequestKind, count: number][] {
  const found: [RequestKind, number][] = [];
  for (const accountId of wanted)
    for (const [kind, count] of attempts.of(accountId))
      if (kind.accountId === null || !wanted.has(kind.accountId)) found.push([kind, count]);
  const repeated = new Int32Array(kinds.entries.length + 1);
  const add = (attempted: AttemptList, factor: number) =>
    forEachAttempt(attempted, { ...range, bytes }, (_, kind) => {
      repeated[kind] = (repeated[kind] as number) + factor;
    });
  for (const accountId of wanted) add(otherAttempts.of(accountId), 1);
  add(list(), -1);
  for (let kind = 1; kind < repeated.length; kind++) {
    const count = repeated[kind] as number;
    if (count > 0) found.push([kinds.entryOf(kind), -count]);
  }
  return found;
}
