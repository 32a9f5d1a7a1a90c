import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Position } from '../../domain/core/brands.ts';
import type { Addition } from './addition.ts';
import { areDuplicates } from './mongoErrors.ts';

/** A `RollUpDocument` of any group and sums. */
export interface Stored {
  readonly _id: string;
  readonly position: number;
  readonly [field: string]: unknown;
}

/** Maximum number of documents cached between batches: more than the current hour, day and month have. */
const MAX_CACHED = 20_000;

/** The document after a batch. Parts that the stored one already includes are skipped. */
type SumUp<Added> = (_id: string, stored: Stored | undefined, addition: Added, upTo: Position) => Stored;
const IDS_PER_QUERY = 5_000;
/** Rounds of optimistic locking. Another writer means a lost lease, which the fence detects soon. */
const MAX_ROUNDS = 8;

/**
 * Writes the sums of one roll-up with optimistic locking: a batch replaces each document only if its `position` is still the one
 * that was read. Changes of another writer are never overwritten, and a batch that a crash interrupted is only completed.
 */
export class RollUps<Added = Addition> {
  readonly #collection: Collection<Stored>;
  /** Documents as last read or written. */
  readonly #cache = new Map<string, Stored>();

  readonly #sumUp: SumUp<Added>;
  readonly #maxCached: number;

  // biome-ignore lint/suspicious/noExplicitAny: of any group and sums
  constructor(collection: Collection<any>, sumUp = summed as unknown as SumUp<Added>, maxCached = MAX_CACHED) {
    this.#collection = collection;
    this.#sumUp = sumUp;
    this.#maxCached = maxCached;
  }

  /** @param upTo the end of the batch, which becomes the documents' position */
  async write(additions: ReadonlyMap<string, Added>, upTo: Position): Promise<void> {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      await this.#load([...additions.keys()]);
      const next = [...additions].flatMap(([_id, addition]) => {
        const stored = this.#cache.get(_id);
        return stored && stored.position >= upTo ? [] : [this.#sumUp(_id, stored, addition, upTo)];
      });
      if (next.length === 0 || (await this.#replace(next))) return;
      for (const { _id } of next) this.#cache.delete(_id);
    }
    throw new Error(`${this.#collection.collectionName} has another writer`);
  }

  async #load(ids: readonly string[]): Promise<void> {
    if (this.#cache.size > this.#maxCached) this.#cache.clear();
    const unknown = ids.filter((id) => !this.#cache.has(id));
    for (let start = 0; start < unknown.length; start += IDS_PER_QUERY) {
      const found = this.#collection.find({ _id: { $in: unknown.slice(start, start + IDS_PER_QUERY) } });
      for (const document of await found.toArray()) this.#cache.set(document._id, document as Stored);
    }
  }

  /** @returns whether all documents were replaced */
  async #replace(next: readonly Stored[]): Promise<boolean> {
    const changes = next.map((document): AnyBulkWriteOperation<Stored> => {
      const stored = this.#cache.get(document._id);
      if (!stored) return { insertOne: { document: document as never } };
      const { _id, ...fields } = document;
      // `updateMany` for one document: FerretDB 1.24 never responds to a command with 99 `updateOne` changes.
      return { updateMany: { filter: { _id, position: stored.position } as never, update: { $set: fields as never } } };
    });
    const expected = next.filter(({ _id }) => this.#cache.has(_id)).length;
    try {
      const { matchedCount } = await this.#collection.bulkWrite(changes, { ordered: false });
      if (matchedCount !== expected) return false;
    } catch (error) {
      // The outcome of each change is unknown: read the documents again.
      for (const { _id } of next) this.#cache.delete(_id);
      if (areDuplicates(error)) return false;
      throw error;
    }
    for (const document of next) this.#cache.set(document._id, document);
    return true;
  }
}

/** See `SumUp`, of sums of numbers. */
export function summed(_id: string, stored: Stored | undefined, addition: Addition, upTo: Position): Stored {
  const { period, start, group, parts } = addition;
  const sums: Record<string, number> = {};
  for (const { position, sums: added } of parts) {
    const isNew = stored === undefined || position > stored.position;
    for (const name of Object.keys(added)) {
      sums[name] = (sums[name] ?? (stored?.[name] as number | undefined) ?? 0) + (isNew ? (added[name] as number) : 0);
    }
  }
  return { _id, period, start, ...group, position: upTo, ...sums };
}
