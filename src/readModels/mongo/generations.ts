import type { Collection, Db } from 'mongodb';
import { HISTORY_VERSION } from '../../../projections/history.ts';
import { type Instant, instant, type Position, position } from '../../domain/core/brands.ts';
import { type ArchiveState, NOTHING_ARCHIVED } from '../archiveReader.ts';
import { PROJECTIONS_VERSION } from '../projections.ts';
import { type Collections, collectionsOf, drop, prepare } from './collections.ts';
import { isDuplicateKey } from './mongoErrors.ts';

/** The last event that read models include. The id distinguishes the log from another one with as many events. */
export interface LogMark {
  readonly position: Position;
  readonly eventId: string | null;
  /** The latest time of all events up to there since the last jump of a clock. */
  readonly latest: Instant;
}

export const BEGINNING: LogMark = { position: position(0), eventId: null, latest: instant(0) };

/** A fencing token. Epochs of different leases are not comparable, e.g. after the history moved to another store. */
export interface Fence {
  readonly by: string;
  readonly epoch: number;
}

/** Another projector has taken the generation over. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** Must be raised with every change of documents or indexes. */
const LAYOUT = 7;

/** Identifies the read models of this build. Other builds have their own, so that nodes of both can run side by side. */
const BUILD = `${PROJECTIONS_VERSION}, history ${HISTORY_VERSION}, layout ${LAYOUT}`;
const PREFIX = `v${BUILD.replaceAll(/[^0-9,]/g, '').replaceAll(',', '-')}`;

/** The generation that a comparison builds. */
export const SCRATCH_GENERATION = 0;

interface Pointer {
  readonly _id: string;
  readonly generation: number;
  readonly since: Date;
}

interface Checkpoint extends LogMark {
  /** The segments whose roll-ups the generation has in place of their events; absent for none. */
  readonly archive?: ArchiveState;
  readonly _id: string;
  readonly fence: Fence;
  readonly updatedAt: Date;
}

/**
 * The generations of the read models, each in collections of its own, and a pointer document to the active one. A rebuild ends
 * with an update of the pointer.
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

  /** The generation that queries read. */
  async active(): Promise<number> {
    const found = await this.#pointers.findOne({ _id: BUILD });
    if (found) return found.generation;
    await insertNew(this.#pointers, { _id: BUILD, generation: 1, since: new Date() });
    return (await this.#pointers.findOne({ _id: BUILD }))?.generation ?? 1;
  }

  /** Makes another generation the active one. @returns false when another process was faster */
  async activate(generation: number, before: number): Promise<boolean> {
    const change = { $set: { generation, since: new Date() } };
    const { matchedCount } = await this.#pointers.updateOne({ _id: BUILD, generation: before }, change);
    return matchedCount === 1;
  }

  collections(generation: number): Collections {
    return collectionsOf(this.#db, `${PREFIX}.g${generation}`);
  }

  /** How far a generation reaches; undefined before it was claimed for the first time. */
  async mark(generation: number): Promise<LogMark | undefined> {
    return markOf(await this.#checkpoints.findOne({ _id: idOf(generation) }));
  }

  /** The archived segments whose roll-ups a generation has. */
  async archive(generation: number): Promise<ArchiveState> {
    return (await this.#checkpoints.findOne({ _id: idOf(generation) }))?.archive ?? NOTHING_ARCHIVED;
  }

  /** Notes that a generation has the roll-ups of archived segments, before it has any event. @throws Fenced */
  async setArchive(generation: number, fence: Fence, archive: ArchiveState): Promise<void> {
    const { matchedCount } = await this.#checkpoints.updateOne(
      { _id: idOf(generation), position: BEGINNING.position, 'fence.by': fence.by, 'fence.epoch': fence.epoch },
      { $set: { archive, updatedAt: new Date() } },
    );
    if (matchedCount === 0) throw new Fenced('another projector continued from the beginning');
  }

  /**
   * Takes a generation over: its former projector can no longer advance it.
   * @returns how far the generation reaches
   * @throws Fenced when a later epoch has claimed it
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
        `another projector, with a later epoch than ${fence.epoch}, has claimed the read models. If EventStoreDB was restored from an older backup, run "svc rebuild".`,
      );
    return mark;
  }

  /** Completes a batch whose documents are written. @throws Fenced when another projector has claimed or advanced the generation */
  async advance(generation: number, fence: Fence, from: LogMark, to: LogMark): Promise<void> {
    const { matchedCount } = await this.#checkpoints.updateOne(
      { _id: idOf(generation), position: from.position, 'fence.by': fence.by, 'fence.epoch': fence.epoch },
      { $set: { ...to, updatedAt: new Date() } },
    );
    if (matchedCount === 0) throw new Fenced(`another projector continued from position ${from.position}`);
  }

  /** Drops a generation. */
  async remove(generation: number): Promise<void> {
    await this.#checkpoints.deleteOne({ _id: idOf(generation) });
    await drop(this.collections(generation));
  }

  /** The generations of this build with any collection, including those of a cancelled rebuild. */
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
