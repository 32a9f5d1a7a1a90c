import type { Collection } from 'mongodb';
import type { RequestKind } from '../../../projections/requestLog.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import type { KindDocument } from './documents.ts';

/** All kinds of requests that occurred, kept in memory: a few thousand at most where models and accounts are honest. */
export class RequestKinds {
  readonly #collection: Collection<KindDocument>;
  readonly #all = new Map<string, RequestKind>();
  #reach: Position = position(-1);

  constructor(collection: Collection<KindDocument>) {
    this.#collection = collection;
  }

  /** Every kind that a request up to this position has. */
  async upTo(at: Position): Promise<ReadonlyMap<string, RequestKind>> {
    if (at > this.#reach) {
      // A kind is written before the batch that brought it ends: none can come late.
      const later = await this.#collection.find({ since: { $gt: this.#reach } }).toArray();
      for (const { _id, since: _, ...kind } of later) this.#all.set(_id, kind);
      this.#reach = position(Math.max(at, this.#reach));
    }
    return this.#all;
  }
}
