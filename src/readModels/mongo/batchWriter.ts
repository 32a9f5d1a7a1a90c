import type { Collection } from 'mongodb';
import type { ArchivedChanges } from './archivedChanges.ts';
import type { Changes, RollUpName } from './changes.ts';
import type { Collections } from './collections.ts';
import { type FigureAddition, figuresAfter } from './figureDocuments.ts';
import { areDuplicates } from './mongoErrors.ts';
import { RollUps } from './rollUps.ts';
import { writeSpans } from './rowSpans.ts';

/** The current quarter of an hour, hour, day and month, and some that late requests belong to; some may have 100 kB. */
const MAX_CACHED_FIGURES = 64;
/** Sums of archived segments that are written at once. */
const MAX_SUMS = 5_000;

/**
 * Writes the changes of a batch without a transaction. A document is either keyed by its position, so that inserting it again
 * changes nothing, or guarded by a position (see `RollUps`). The projector records the reached position afterwards; after
 * a crash in between, the next attempt finds the documents (docs/stores.md#mongodb-guarded-writes-instead-of-transactions).
 */
export class BatchWriter {
  readonly #collections: Collections;
  readonly #rollUps: Readonly<Record<RollUpName, RollUps>>;
  readonly #figures: RollUps<FigureAddition>;
  readonly #knownKinds = new Set<string>();

  constructor(collections: Collections) {
    this.#collections = collections;
    this.#rollUps = {
      requestsByKind: new RollUps(collections.requestsByKind),
      requestsByAttempt: new RollUps(collections.requestsByAttempt),
      requestsBySource: new RollUps(collections.requestsBySource),
      requestsByErrorCode: new RollUps(collections.requestsByErrorCode),
      usageByAccount: new RollUps(collections.usageByAccount),
    };
    this.#figures = new RollUps<FigureAddition>(collections.figures, figuresAfter, MAX_CACHED_FIGURES);
  }

  async write({ to, kinds, figureNames, figures, spans, additions, ...rows }: Changes): Promise<void> {
    // Kinds first: filters would not find a row with an unknown kind.
    await this.#writeKinds([...kinds.values()]);
    // Names as well: a reader of rows looks for them.
    await insertNew(this.#collections.figureNames, figureNames);
    // Before the sums: a query as of an earlier position must know that later rows may be in them.
    await writeSpans(this.#collections.rowSpans, spans);
    const { requestsByKind, requestsByAttempt, requestsBySource, requestsByErrorCode, usageByAccount } = this.#rollUps;
    await allOrThrow([
      insertNew(this.#collections.requests, rows.requests),
      insertNew(this.#collections.attempts, rows.attempts),
      insertNew(this.#collections.refusals, rows.refusals),
      insertNew(this.#collections.usageSamples, rows.usageSamples),
      requestsByKind.write(additions.requestsByKind, to.position),
      requestsByAttempt.write(additions.requestsByAttempt, to.position),
      requestsBySource.write(additions.requestsBySource, to.position),
      requestsByErrorCode.write(additions.requestsByErrorCode, to.position),
      this.#figures.write(figures, to.position),
      usageByAccount.write(additions.usageByAccount, to.position),
      insertNew(this.#collections.history, rows.history),
      insertNew(this.#collections.historyTexts, rows.texts),
    ]);
  }

  /** Writes the sums of an archived segment, in place of its events. */
  async writeArchived({ kinds, figureNames, figures, additions, upTo }: ArchivedChanges): Promise<void> {
    await this.#writeKinds([...kinds.values()]);
    await insertNew(this.#collections.figureNames, figureNames);
    for (const [name, ofRollUp] of Object.entries(additions)) {
      const all = [...ofRollUp];
      for (let at = 0; at < all.length; at += MAX_SUMS)
        await this.#rollUps[name as RollUpName].write(new Map(all.slice(at, at + MAX_SUMS)), upTo);
    }
    const periods = [...figures];
    for (let at = 0; at < periods.length; at += MAX_CACHED_FIGURES)
      await this.#figures.write(new Map(periods.slice(at, at + MAX_CACHED_FIGURES)), upTo);
  }

  async #writeKinds(kinds: readonly { readonly _id: string }[]): Promise<void> {
    const unknown = kinds.filter(({ _id }) => !this.#knownKinds.has(_id));
    await insertNew(this.#collections.kinds, unknown);
    for (const { _id } of unknown) this.#knownKinds.add(_id);
  }
}

/** Inserts documents; those that exist were inserted by an earlier attempt. */
// biome-ignore lint/suspicious/noExplicitAny: any collection
async function insertNew(collection: Collection<any>, documents: readonly object[]): Promise<void> {
  if (documents.length === 0) return;
  try {
    await collection.insertMany([...documents], { ordered: false });
  } catch (error) {
    if (!areDuplicates(error)) throw error;
  }
}

/** Waits until all have settled, then throws the first error. */
async function allOrThrow(writes: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
