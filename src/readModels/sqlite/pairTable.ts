import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Grouping } from '../../../projections/figures.ts';
import { COLUMN_OF, FIELD_PAIRS, type IdColumn } from '../columns/fieldPairs.ts';
import { type FieldCodes, fieldCodes, idsIn, type PairCells, packPair, unpackPair } from '../columns/pairCells.ts';
import type { RequestChunk } from '../columns/requestChunk.ts';
import { ColumnCache } from './columnCache.ts';

/** Chunks of a block: cells of fewer requests would hold little more than one each. */
export const BLOCK_CHUNKS = 16;
/** Pairs that are made when a chunk begins, so that all are made before the next block is full, and none takes long. */
const PAIRS_AT_ONCE = Math.ceil(FIELD_PAIRS.length / BLOCK_CHUNKS);
/** A column with more ids than this in a block has no cells: each client may name itself differently. */
const MAX_IDS = 16_384;
/** Those of a year of 5,000,000 requests by key and account are 30 MB. */
const MAX_CACHED_BYTES = 32 * 2 ** 20;

/** What cells are made of beside chunks. */
export interface FieldValues {
  /** What a field has with an id of its column. */
  valueOf(field: Grouping, id: number): string | null;
  /** For each kind of request 1 if it failed. */
  failedKinds(): Uint8Array;
}

/** The number of the block of a chunk; chunks are numbered from 1 on. */
export const blockOf = (chunk: number): number => Math.floor((chunk - 1) / BLOCK_CHUNKS);

const idOf = (block: number, pair: number): number => block * FIELD_PAIRS.length + pair + 1;

/** The cells of all pairs of fields, for blocks of chunks to which no request is added any more. */
export class PairTable {
  readonly #values: FieldValues;
  readonly #select: StatementSync;
  readonly #save: StatementSync;
  readonly #cache = new ColumnCache<Uint8Array>(MAX_CACHED_BYTES);

  constructor(database: DatabaseSync, values: FieldValues) {
    database.exec('CREATE TABLE IF NOT EXISTS requestPairs (id INTEGER PRIMARY KEY, cells BLOB NOT NULL) STRICT');
    this.#values = values;
    this.#select = database.prepare('SELECT cells FROM requestPairs WHERE id = ?');
    this.#select.setReturnArrays(true);
    this.#save = database.prepare('INSERT INTO requestPairs VALUES (?, ?)');
  }

  /**
   * Makes some pairs of the block before that of a chunk that begins, within the caller's transaction.
   * @param read a chunk by its number
   */
  beginChunk(chunk: number, read: (chunk: number) => RequestChunk): void {
    const block = blockOf(chunk) - 1;
    const first = ((chunk - 1) % BLOCK_CHUNKS) * PAIRS_AT_ONCE;
    const pairs = FIELD_PAIRS.slice(first, first + PAIRS_AT_ONCE);
    if (block < 0 || pairs.length === 0) return;
    const chunks = Array.from({ length: BLOCK_CHUNKS }, (_, index) => read(block * BLOCK_CHUNKS + index + 1));
    const ids = new Map<IdColumn, number[] | undefined>();
    const known = new Map<Grouping, FieldCodes | undefined>();
    const codesOf = (field: Grouping): FieldCodes | undefined => {
      const column = COLUMN_OF[field];
      if (!ids.has(column)) ids.set(column, idsIn(chunks, column, MAX_IDS));
      if (!known.has(field)) {
        const own = ids.get(column);
        known.set(field, own && fieldCodes(own, (id) => this.#values.valueOf(field, id)));
      }
      return known.get(field);
    };
    const failedKinds = this.#values.failedKinds();
    pairs.forEach((pair, index) => {
      const [own, other] = [codesOf(pair[0]), codesOf(pair[1])];
      const packed = own && other && packPair(chunks, pair, [own, other], failedKinds);
      if (packed) this.#save.run(idOf(block, first + index), packed);
    });
  }

  /** Forgets what is in memory, e.g. after a rollback. */
  clear(): void {
    this.#cache.clear();
  }

  /** See `ColumnCache.beginQuery`. */
  beginQuery(): void {
    this.#cache.beginQuery();
  }

  /** The cells of a pair; undefined where the block is not full, or cells would be hardly fewer than requests. */
  cells(block: number, pair: number): PairCells | undefined {
    const id = idOf(block, pair);
    const packed = this.#cache.get(
      id,
      () => (this.#select.get(id) as unknown as readonly [Uint8Array] | undefined)?.[0],
    );
    return packed && unpackPair(packed);
  }
}
