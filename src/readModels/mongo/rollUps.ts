import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Position } from '../../domain/core/brands.ts';
import type { Addition } from './changes.ts';
import { areDuplicates } from './mongoErrors.ts';

/** Of any group and sums: see `RollUpDocument`. */
interface Stored {
  readonly _id: string;
  readonly position: number;
  readonly [field: string]: unknown;
}

/** So many documents are remembered between batches: more than those of the open hour, day and month. */
const MAX_CACHED = 20_000;
const IDS_PER_QUERY = 5_000;
/** Two who write the same documents would be one too many; a fence tells one of them soon. */
const MAX_ROUNDS = 8;

/**
 * Sums of one roll-up. A batch becomes one change for each document that it touches, from the very version that was read
 * (`position`), so a change of somebody else is never undone, and what a crash left half done is only completed.
 */
export class RollUps {
  readonly #collection: Collection<Stored>;
  /** As they were last read or written here. */
  readonly #known = new Map<string, Stored>();

  // biome-ignore lint/suspicious/noExplicitAny: of any group and sums
  constructor(collection: Collection<any>) {
    this.#collection = collection;
  }

  /** @param upTo the end of the batch: the documents' position afterwards */
  async write(additions: ReadonlyMap<string, Addition>, upTo: Position): Promise<void> {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      await this.#look([...additions.keys()]);
      const next = [...additions].flatMap(([_id, addition]) => {
        const stored = this.#known.get(_id);
        return stored && stored.position >= upTo ? [] : [summed(_id, stored, addition, upTo)];
      });
      if (next.length === 0 || (await this.#replace(next))) return;
      for (const { _id } of next) this.#known.delete(_id);
    }
    throw new Error(`${this.#collection.collectionName} is written by somebody else as well`);
  }

  async #look(ids: readonly string[]): Promise<void> {
    if (this.#known.size > MAX_CACHED) this.#known.clear();
    const unknown = ids.filter((id) => !this.#known.has(id));
    for (let start = 0; start < unknown.length; start += IDS_PER_QUERY) {
      const found = this.#collection.find({ _id: { $in: unknown.slice(start, start + IDS_PER_QUERY) } });
      for (const document of await found.toArray()) this.#known.set(document._id, document as Stored);
    }
  }

  /** @returns whether all of them took the place of what was read */
  async #replace(next: readonly Stored[]): Promise<boolean> {
    const changes = next.map((document): AnyBulkWriteOperation<Stored> => {
      const stored = this.#known.get(document._id);
      if (!stored) return { insertOne: { document: document as never } };
      const { _id, ...fields } = document;
      // Of many, though it is one: FerretDB 1.24 never answers a command with 99 changes that end at the first they find.
      return { updateMany: { filter: { _id, position: stored.position } as never, update: { $set: fields as never } } };
    });
    const expected = next.filter(({ _id }) => this.#known.has(_id)).length;
    try {
      const { matchedCount } = await this.#collection.bulkWrite(changes, { ordered: false });
      if (matchedCount !== expected) return false;
    } catch (error) {
      // Whatever became of each of them has to be looked at.
      for (const { _id } of next) this.#known.delete(_id);
      if (areDuplicates(error)) return false;
      throw error;
    }
    for (const document of next) this.#known.set(document._id, document);
    return true;
  }
}

/** What the document is after the batch. Parts that it holds already are left out. */
function summed(_id: string, stored: Stored | undefined, addition: Addition, upTo: Position): Stored {
  const { period, start, group, parts } = addition;
  const sums: Record<string, number> = {};
  for (const { position, sums: added } of parts) {
    const counts = stored === undefined || position > stored.position;
    for (const name of Object.keys(added)) {
      sums[name] = (sums[name] ?? (stored?.[name] as number | undefined) ?? 0) + (counts ? (added[name] as number) : 0);
    }
  }
  return { _id, period, start, ...group, position: upTo, ...sums };
}
