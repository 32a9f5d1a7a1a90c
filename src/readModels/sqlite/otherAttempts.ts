import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type AttemptList, mergedAttempts } from './attemptList.ts';

/** Of 1,200,000 attempts. */
const MAX_CACHED_BYTES = 24 * 2 ** 20;

interface Known {
  readonly list: AttemptList;
  /** Attempts at later positions are not in it. */
  readonly upTo: number;
}

interface Merged {
  readonly lists: readonly AttemptList[];
  readonly list: AttemptList;
}

/**
 * The requests that tried an account before the one that served them. Those of an account are kept in memory, and for the next query
 * only later ones are read: attempts are added in the order of their positions, and never change.
 */
export class OtherAttempts {
  readonly #selectLast: StatementSync;
  readonly #selectAll: StatementSync;
  readonly #selectLater: StatementSync;
  /** By account, the least recently used first. */
  readonly #known = new Map<string, Known>();
  readonly #maxBytes: number;
  #bytes = 0;
  /** Of accounts that were asked about together, the last ones first: a page, its options and the next page ask about the same. */
  #merged: readonly Merged[] = [];

  constructor(database: DatabaseSync, maxBytes = MAX_CACHED_BYTES) {
    this.#maxBytes = maxBytes;
    this.#selectLast = database.prepare('SELECT MAX(position) AS last FROM otherAttempts');
    // As one text for each column: to make a row of each attempt takes three times as long.
    const lists = 'json_group_array(requestedAt), json_group_array(position), json_group_array(kindId)';
    this.#selectAll = database.prepare(
      `SELECT ${lists} FROM (SELECT requestedAt, position, kindId FROM otherAttempts INDEXED BY otherAttemptsByAccount
       WHERE accountId = ? AND position <= ? ORDER BY requestedAt, position)`,
    );
    this.#selectLater = database.prepare(
      `SELECT ${lists} FROM (SELECT requestedAt, position, kindId FROM otherAttempts NOT INDEXED
       WHERE position > ? AND position <= ? AND accountId = ? ORDER BY requestedAt, position)`,
    );
    for (const select of [this.#selectAll, this.#selectLater]) select.setReturnArrays(true);
  }

  /** Bytes that are in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All requests so far that tried an account. */
  of(accountId: string): AttemptList {
    const known = this.#known.get(accountId);
    const upTo = (this.#selectLast.get()?.last as number | null) ?? 0;
    if (known) this.#forget(accountId, known);
    const list = known ? this.#continued(accountId, known, upTo) : listOf(this.#selectAll.get(accountId, upTo));
    this.#keep(accountId, { list, upTo });
    return list;
  }

  /** All requests so far that tried one of several accounts, each once. */
  ofAny(accountIds: Iterable<string>): AttemptList {
    const lists = [...accountIds].map((id) => this.of(id));
    // A list without new attempts is the same object.
    const isOf = ({ lists: own }: Merged) =>
      own.length === lists.length && own.every((list, index) => list === lists[index]);
    const known = this.#merged.find(isOf);
    const list = known?.list ?? mergedAttempts(lists);
    if (lists.length > 1) {
      let bytes = 0;
      const all = [known ?? { lists, list }, ...this.#merged.filter((each) => each !== known)];
      this.#merged = all.filter((each) => {
        bytes += bytesOf(each.list);
        return bytes <= this.#maxBytes;
      });
    }
    return list;
  }

  #continued(accountId: string, { list, upTo: before }: Known, upTo: number): AttemptList {
    return before < upTo ? mergedAttempts([list, listOf(this.#selectLater.get(before, upTo, accountId))]) : list;
  }

  #keep(accountId: string, known: Known): void {
    const bytes = bytesOf(known.list);
    if (bytes > this.#maxBytes) return;
    for (const [id, other] of this.#known) {
      if (this.#bytes + bytes <= this.#maxBytes) break;
      this.#forget(id, other);
    }
    this.#known.set(accountId, known);
    this.#bytes += bytes;
  }

  #forget(accountId: string, known: Known): void {
    this.#known.delete(accountId);
    this.#bytes -= bytesOf(known.list);
  }
}

const bytesOf = ({ times, positions, kinds }: AttemptList): number =>
  times.byteLength + positions.byteLength + kinds.byteLength;

function listOf(row: unknown): AttemptList {
  const [times, positions, kinds] = (row as readonly string[]).map((text) => JSON.parse(text) as number[]);
  return {
    times: Float64Array.from(times as number[]),
    positions: Float64Array.from(positions as number[]),
    kinds: Uint32Array.from(kinds as number[]),
  };
}
