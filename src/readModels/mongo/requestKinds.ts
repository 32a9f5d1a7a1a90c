import type { Collection } from 'mongodb';
import type { RequestKind } from '../../../projections/requestLog.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import type { KindDocument } from './documents.ts';

/** All request kinds in memory: normally a few thousand at most. */
export class RequestKinds {
  readonly #collection: Collection<KindDocument>;
  readonly #all = new Map<string, RequestKind>();
  #loadedUpTo: Position = position(-1);

  constructor(collection: Collection<KindDocument>) {
    this.#collection = collection;
  }

  /** The kinds of all requests up to this position. */
  async upTo(at: Position): Promise<ReadonlyMap<string, RequestKind>> {
    if (at > this.#loadedUpTo) {
      // Kinds are written before their batch ends, so none is missed.
      const later = await this.#collection.find({ since: { $gt: this.#loadedUpTo } }).toArray();
      for (const { _id, since: _, ...kind } of later) this.#all.set(_id, kind);
      this.#loadedUpTo = position(Math.max(at, this.#loadedUpTo));
    }
    return this.#all;
  }
}
