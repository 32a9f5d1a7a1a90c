import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ColumnRoom } from '../columns/column.ts';
import {
  type ChunkSummary,
  COLUMNS,
  type ColumnName,
  chunkOf,
  columnNumber,
  concatenate,
  packChunk,
  type RequestChunk,
  type RequestValues,
  unpackValues,
} from '../columns/requestChunk.ts';
import { ColumnCache } from './columnCache.ts';
import { type FieldValues, PairTable } from './pairTable.ts';

/** Requests of a chunk. */
const MAX_LENGTH = 8_192;
/** Bytes as they are in the file: 28 of a request, of which a breakdown needs 21, and 25 by the hour. */
const MAX_CACHED_BYTES = 128 * 2 ** 20;

type StoredSummary = ChunkSummary & { readonly id: number };

/** Columns of one chunk have neighbouring ids. */
const idOf = (chunk: number, name: ColumnName): number => chunk * COLUMNS.length + columnNumber(name);

/**
 * What figures need of all requests that sums were written of, by columns: a breakdown with any filter reads those that it needs.
 * A chunk is written once, unless it has room for the next requests. Which requests it has depends on the log alone.
 */
export class ColumnTable {
  readonly #selectSummaries: StatementSync;
  readonly #saveSummary: StatementSync;
  readonly #select: StatementSync;
  readonly #save: StatementSync;
  readonly #cache = new ColumnCache<Uint8Array>(MAX_CACHED_BYTES);
  /** Sums of chunks to which no request is added any more. */
  readonly pairs: PairTable;
  readonly #maxLength: number;
  #summaries: StoredSummary[] = [];

  /** @param maxLength requests of a chunk */
  constructor(database: DatabaseSync, values: FieldValues, maxLength = MAX_LENGTH) {
    this.#maxLength = maxLength;
    database.exec(`
      CREATE TABLE IF NOT EXISTS requestChunks (
        id INTEGER PRIMARY KEY,
        length INTEGER NOT NULL,
        firstPosition INTEGER NOT NULL,
        lastPosition INTEGER NOT NULL,
        earliest INTEGER NOT NULL,
        latest INTEGER NOT NULL,
        bins INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS requestColumns (id INTEGER PRIMARY KEY, numbers BLOB NOT NULL) STRICT`);
    this.pairs = new PairTable(database, values);
    this.#selectSummaries = database.prepare('SELECT * FROM requestChunks ORDER BY id');
    this.#saveSummary = database.prepare('INSERT OR REPLACE INTO requestChunks VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#select = database.prepare('SELECT numbers FROM requestColumns WHERE id = ?');
    this.#select.setReturnArrays(true);
    this.#save = database.prepare('INSERT OR REPLACE INTO requestColumns VALUES (?, ?)');
    this.reload();
  }

  /** Reads from the file which chunks there are, e.g. after a rollback. */
  reload(): void {
    this.#cache.clear();
    this.pairs.clear();
    this.#summaries = this.#selectSummaries.all() as unknown as StoredSummary[];
  }

  /** Adds the next requests, within the caller's transaction. */
  add(values: RequestValues): void {
    const last = this.#summaries.at(-1);
    const continues = last !== undefined && last.length + values.position.length <= this.#maxLength;
    const { columns, ...summary } = packChunk(
      continues ? concatenate(unpackValues(this.#chunkOf(last)), values) : values,
    );
    const id = continues ? last.id : (last?.id ?? 0) + 1;
    // Not through the cache, which has what queries read.
    if (!continues) this.pairs.beginChunk(id, (own) => this.#chunkOf(this.#summaries[own - 1] as StoredSummary));
    const { length, firstPosition, lastPosition, earliest, latest, bins } = summary;
    this.#saveSummary.run(id, length, firstPosition, lastPosition, earliest, latest, bins);
    COLUMNS.forEach((name) => {
      this.#save.run(idOf(id, name), columns[columnNumber(name)] as Uint8Array);
      this.#cache.delete(idOf(id, name));
    });
    if (continues) this.#summaries.pop();
    this.#summaries.push({ id, ...summary });
  }

  /** What is known of the chunks. */
  get summaries(): readonly ChunkSummary[] {
    return this.#summaries;
  }

  /**
   * Passes on the chunks that match, the latest ones first; the columns of one are there until the next one is asked for. Requests may be
   * added meanwhile, of which only chunks that a later call passes on have any.
   */
  *chunks(isWanted: (summary: ChunkSummary) => boolean): Generator<RequestChunk> {
    this.#cache.beginQuery();
    this.pairs.beginQuery();
    const [last, ...others] = this.#summaries.filter(isWanted).reverse();
    if (!last) return;
    // Of this call alone: others may be between two chunks of it.
    const room = new ColumnRoom<ColumnName>();
    const cached = (id: number) => this.#cache.get(id, () => this.#read(id));
    const chunk = this.#chunkOf(last, cached, room);
    // Requests may be added to the last one, so that its columns are others later.
    if (last === this.#summaries.at(-1)) for (const name of COLUMNS) chunk.column(name);
    yield chunk;
    for (const summary of others) yield this.#chunkOf(summary, cached, room);
  }

  /** @param room see `chunkOf` */
  #chunkOf(summary: StoredSummary, read = (id: number) => this.#read(id), room?: ColumnRoom<ColumnName>): RequestChunk {
    return chunkOf(summary, (name) => read(idOf(summary.id, name)), room);
  }

  #read(id: number): Uint8Array {
    const row = this.#select.get(id) as unknown as readonly [Uint8Array] | undefined;
    if (!row) throw new Error(`The read models have no column ${id} of requests`);
    return row[0];
  }
}
