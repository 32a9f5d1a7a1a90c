import type { Collection, Db } from 'mongodb';
import { HISTORY_VERSION } from '../../../projections/history.ts';
import { type Instant, instant, type Position, position } from '../../domain/core/brands.ts';
import { PROJECTIONS_VERSION } from '../projections.ts';
import { type Collections, collectionsOf, drop, prepare } from './collections.ts';
import { isDuplicateKey } from './mongoErrors.ts';

/** How far read models reach: the event's id tells a log from another that has as many. */
export interface LogMark {
  readonly position: Position;
  readonly eventId: string | null;
  /** The latest time of any event up to there. */
  readonly latest: Instant;
}

export const BEGINNING: LogMark = { position: position(0), eventId: null, latest: instant(0) };

/** Whose epochs fence: those of one lease are of no meaning to another, e.g. after a history moved to another store. */
export interface Fence {
  readonly by: string;
  readonly epoch: number;
}

/** Somebody else makes these read models now. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** Goes up with every change of documents or indexes. */
const LAYOUT = 1;

/** What this build makes and reads; nodes of another one have their own, so that both can run side by side. */
const BUILD = `${PROJECTIONS_VERSION}, history ${HISTORY_VERSION}, layout ${LAYOUT}`;
const PREFIX = `v${BUILD.replaceAll(/[^0-9,]/g, '').replaceAll(',', '-')}`;

/** The scratch generation of a comparison. */
export const SCRATCH_GENERATION = 0;

interface Pointer {
  readonly _id: string;
  readonly generation: number;
  readonly since: Date;
}

interface Checkpoint extends LogMark {
  readonly _id: string;
  readonly fence: Fence;
  readonly updatedAt: Date;
}

/**
 * Generations of the read models beside each other, each in collections of its own name, and one document that says
 * which of them is read: writing that one document is what a rebuild ends with.
 */
export class Generations {
  readonly #db: Db;
  readonly #pointers: Collection<Pointer>;
  readonly #checkpoints: Collection<Checkpoint>;

  constructor(db: Db) {
    this.#db = db;
    this.#pointers = db.collection('readModels.pointer');
    this.#checkpoints = db.collection('readModels.checkpoints');
  }

  /** The one that is read. */
  async active(): Promise<number> {
    const found = await this.#pointers.findOne({ _id: BUILD });
    if (found) return found.generation;
    await insertNew(this.#pointers, { _id: BUILD, generation: 1, since: new Date() });
    return (await this.#pointers.findOne({ _id: BUILD }))?.generation ?? 1;
  }

  /** Has another one read from now on. @returns false when somebody else was sooner */
  async activate(generation: number, before: number): Promise<boolean> {
    const change = { $set: { generation, since: new Date() } };
    const { matchedCount } = await this.#pointers.updateOne({ _id: BUILD, generation: before }, change);
    return matchedCount === 1;
  }

  collections(generation: number): Collections {
    return collectionsOf(this.#db, `${PREFIX}.g${generation}`);
  }

  /** How far a generation reaches; undefined before anybody began it. */
  async mark(generation: number): Promise<LogMark | undefined> {
    return markOf(await this.#checkpoints.findOne({ _id: idOf(generation) }));
  }

  /**
   * Takes a generation over: whoever had it before can end nothing any more.
   * @returns how far it reaches
   * @throws Fenced when a later epoch has it
   */
  async claim(generation: number, fence: Fence): Promise<LogMark> {
    await prepare(this.collections(generation));
    await insertNew(this.#checkpoints, { _id: idOf(generation), ...BEGINNING, fence, updatedAt: new Date() });
    const claimed = await this.#checkpoints.findOneAndUpdate(
      { _id: idOf(generation), $or: [{ 'fence.by': { $ne: fence.by } }, { 'fence.epoch': { $lte: fence.epoch } }] },
      { $set: { fence } },
      { returnDocument: 'after' },
    );
    const mark = markOf(claimed);
    if (!mark)
      throw new Fenced(
        `another projector has the read models, of a later epoch than ${fence.epoch}. If EventStoreDB was restored from an older backup, run "svc rebuild".`,
      );
    return mark;
  }

  /** Ends a batch whose documents are written. @throws Fenced when somebody else has the generation, or has ended it */
  async advance(generation: number, fence: Fence, from: LogMark, to: LogMark): Promise<void> {
    const { matchedCount } = await this.#checkpoints.updateOne(
      { _id: idOf(generation), position: from.position, 'fence.by': fence.by, 'fence.epoch': fence.epoch },
      { $set: { ...to, updatedAt: new Date() } },
    );
    if (matchedCount === 0) throw new Fenced(`another projector went on from position ${from.position}`);
  }

  /** Throws away what a generation holds. */
  async remove(generation: number): Promise<void> {
    await this.#checkpoints.deleteOne({ _id: idOf(generation) });
    await drop(this.collections(generation));
  }

  /** Those of this build that anything is left of, e.g. of a rebuild that was cancelled. */
  async all(): Promise<number[]> {
    const names = await this.#db.listCollections({}, { nameOnly: true }).toArray();
    const numbers = names.flatMap(({ name }) => {
      const [prefix, generation] = name.split('.');
      return prefix === PREFIX && generation ? [Number(generation.slice(1))] : [];
    });
    return [...new Set(numbers)].sort((a, b) => a - b);
  }
}

const idOf = (generation: number) => `${PREFIX}.g${generation}`;

function markOf(checkpoint: LogMark | null): LogMark | undefined {
  if (!checkpoint) return undefined;
  const { position: at, eventId, latest } = checkpoint;
  return { position: at, eventId, latest };
}

async function insertNew<Document extends { readonly _id: string }>(
  collection: Collection<Document>,
  document: Document,
): Promise<void> {
  try {
    await collection.insertOne(document as never);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}
