import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Of 2,000,000 attempts. */
const MAX_CACHED_BYTES = 16 * 2 ** 20;

interface Known {
  /** Sorted. */
  readonly positions: Float64Array;
  /** Attempts at later positions are not among them. */
  readonly upTo: number;
}

/**
 * The positions of requests that tried an account before the one that served them. Those of an account are kept in memory, and of the
 * next query only later ones are read: attempts are added in the order of their positions, and never change.
 */
export class AttemptPositions {
  readonly #selectLast: StatementSync;
  readonly #selectAll: StatementSync;
  readonly #selectLater: StatementSync;
  /** By account, the least recently used first. */
  readonly #known = new Map<string, Known>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(database: DatabaseSync, maxBytes = MAX_CACHED_BYTES) {
    this.#maxBytes = maxBytes;
    this.#selectLast = database.prepare('SELECT MAX(position) AS last FROM otherAttempts');
    // As one text: to make a row of each position takes three times as long.
    this.#selectAll = database.prepare(
      `SELECT json_group_array(position) AS positions FROM otherAttempts INDEXED BY otherAttemptsByAccount
       WHERE accountId = ? AND position <= ?`,
    );
    this.#selectLater = database.prepare(
      `SELECT json_group_array(position) AS positions FROM otherAttempts NOT INDEXED
       WHERE position > ? AND position <= ? AND accountId = ?`,
    );
  }

  /** Bytes that are in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All positions of an account so far, sorted; a request may try an account more than once. */
  of(accountId: string): Float64Array {
    const known = this.#known.get(accountId);
    const upTo = (this.#selectLast.get()?.last as number | null) ?? 0;
    if (known) this.#forget(accountId, known);
    const next = known ? this.#continued(accountId, known, upTo) : { positions: this.#read(accountId, upTo), upTo };
    this.#keep(accountId, next);
    return next.positions;
  }

  #read(accountId: string, upTo: number): Float64Array {
    // The index is in the order of times.
    return listOf(this.#selectAll.get(accountId, upTo)).sort();
  }

  #continued(accountId: string, known: Known, upTo: number): Known {
    if (known.upTo >= upTo) return known;
    const later = listOf(this.#selectLater.get(known.upTo, upTo, accountId));
    if (later.length === 0) return { ...known, upTo };
    const positions = new Float64Array(known.positions.length + later.length);
    positions.set(known.positions);
    positions.set(later.sort(), known.positions.length);
    return { positions, upTo };
  }

  #keep(accountId: string, known: Known): void {
    const { byteLength } = known.positions;
    if (byteLength > this.#maxBytes) return;
    for (const [id, other] of this.#known) {
      if (this.#bytes + byteLength <= this.#maxBytes) break;
      this.#forget(id, other);
    }
    this.#known.set(accountId, known);
    this.#bytes += byteLength;
  }

  #forget(accountId: string, { positions }: Known): void {
    this.#known.delete(accountId);
    this.#bytes -= positions.byteLength;
  }
}

const listOf = (row: Record<string, unknown> | undefined): Float64Array =>
  Float64Array.from(JSON.parse(row?.positions as string) as number[]);
