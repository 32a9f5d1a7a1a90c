import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArchivedEvents } from '../../archive/archivedEvents.ts';
import { archivePathOf } from '../../archive/archiveFile.ts';
import { ArchiveWriter } from '../../archive/archiveWriter.ts';
import type { Segment, SegmentStatus } from '../../archive/segment.ts';
import { SegmentImport } from '../../archive/segmentImport.ts';
import { framesIn } from '../../archive/segmentParts.ts';
import { SegmentUnreadable, segmentStreamOf } from '../../archive/segmentStreams.ts';
import { withArchive } from '../../archive/withArchive.ts';
import type { EventStoreClient } from '../client/client.ts';
import { readParts } from '../client/readParts.ts';
import type { AllEvent } from '../client/readResponse.ts';
import { ArchivedPlaces } from './archivedPlaces.ts';
import { archiveEntryOf, readStoredSegments, type StoredSegment } from './archiveEvents.ts';
import { findMissingRows } from './findMissingRows.ts';
import { makeMirrorUnusable } from './mirrorFile.ts';
import { MirrorUnusable } from './mirrorUnusable.ts';
import { removeArchivedRows } from './removeArchivedRows.ts';
import { restoreFromStore } from './restoreFromStore.ts';

export interface MirrorArchiveOptions {
  readonly database: DatabaseSync;
  /** The path of the mirror. */
  readonly path: string;
  /** Called when rows cannot be removed; undefined once they could. */
  readonly onFailure: (failure: string | undefined) => void;
}

const REMOVAL_INTERVAL_MS = 500;

/**
 * Keeps `archive.sqlite` beside a mirror: has each segment that the store names before the mirror has the event that names it, removes
 * the rows of archived days and puts back those of restored ones (docs/decisions/0078-archives-in-eventstoredb.md).
 */
export class MirrorArchive {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #folderPath: string;
  readonly #onFailure: MirrorArchiveOptions['onFailure'];
  /** The segments that the store named when this subscription began, as far as nothing is left to do about their events. */
  #known = new Map<number, StoredSegment>();
  readonly #restoring = new Set<number>();
  #hasRowsToRemove = true;
  #isRemoving = false;

  constructor({ database, path, onFailure }: MirrorArchiveOptions) {
    this.#database = database;
    this.#path = archivePathOf(path);
    this.#folderPath = path;
    this.#onFailure = onFailure;
  }

  /** The places of archived events behind a position. */
  placesBehind(head: number): ArchivedPlaces | undefined {
    return withArchive(this.#path, (archived) => ArchivedPlaces.behind(archived, head));
  }

  /** Whether an event of the mirror is archived: the store need not have it any more. */
  has(stream: string, revision: number): boolean {
    return revision <= (withArchive(this.#path, (archived) => archived.headOf(stream)?.revision) ?? -1);
  }

  /**
   * Called before a subscription begins: gets the segments that the store has and this node lacks.
   * @param head of the mirror
   * @param served the position up to which the process has had events
   * @throws MirrorUnusable when a process that runs cannot read a part of a day any more; what the client throws
   */
  async synchronise(client: EventStoreClient, head: number, served: number | undefined): Promise<void> {
    const stored = await readStoredSegments(client);
    this.#known = new Map();
    const isArchived = (day: string) => [...stored.values()].some((each) => each.day === day && !each.isRestored);
    if (served === undefined) {
      this.#forgetOthers(stored);
      this.#findRowsAgain();
    }
    for (const segment of stored.values()) {
      const isLeftOut = segment.isRestored && (isArchived(segment.day) || !this.#isDue(segment, head));
      if (!isLeftOut && !this.#hasArchived(segment)) {
        // Its rows are all here, and are compared with it when its event comes.
        if (served !== undefined && segment.upTo <= head && !segment.isRestored) continue;
        if (served !== undefined && segment.upTo > served)
          throw new MirrorUnusable(
            `The requests of ${segment.day} were archived while this node was cut off from EventStoreDB, before it had read all of them. It must start again.`,
          );
        await this.#import(client, segment, 'archived');
      }
      this.#known.set(segment.segment, segment);
    }
    this.#hasRowsToRemove = true;
  }

  /** What must be done before the mirror has an event; undefined for nearly all events. */
  prepare(event: AllEvent, client: EventStoreClient): Promise<void> | undefined {
    const entry = archiveEntryOf(event);
    if (!entry) return undefined;
    return entry.kind === 'archived'
      ? this.#prepareArchived({ ...entry.data, isRestored: false }, client)
      : this.#prepareRestored(entry.data.segment, client);
  }

  /** Begins to remove the rows of archived days that the mirror has passed, in the background. */
  removeRows(signal: AbortSignal): void {
    if (!this.#hasRowsToRemove || this.#isRemoving) return;
    this.#hasRowsToRemove = false;
    this.#isRemoving = true;
    removeArchivedRows({
      database: this.#database,
      archivePath: this.#path,
      isLeft: (number) => this.#restoring.has(number),
      signal,
    })
      .then(this.#onFailure, (error: Error) => {
        if (!signal.aborted) this.#onFailure(error.message);
      })
      .finally(() => {
        this.#isRemoving = false;
        if (!signal.aborted) this.#removeLater(signal);
      });
  }

  /** The mirror may not have reached the event of a segment yet. */
  #removeLater(signal: AbortSignal): void {
    const segments = this.#read((archived) => archived.segments()) ?? [];
    if (!segments.some(({ status, isRemoved }) => status === 'archived' && !isRemoved)) return;
    const again = () => {
      this.#hasRowsToRemove = true;
      if (!signal.aborted) this.removeRows(signal);
    };
    setTimeout(again, REMOVAL_INTERVAL_MS).unref();
  }

  async #prepareArchived(segment: StoredSegment, client: EventStoreClient): Promise<void> {
    if (this.#known.get(segment.segment)?.seal === segment.seal) return;
    const own = this.#segment(segment.segment);
    if (own?.seal !== segment.seal || own.status === 'restored') await this.#import(client, segment, 'sealed');
    const missing = withArchive(this.#path, (archived) => {
      const sealed = archived.segments().find(({ number }) => number === segment.segment);
      return sealed ? findMissingRows(this.#database, archived, sealed) : 'the segment is missing';
    });
    if (missing !== undefined) {
      makeMirrorUnusable(this.#database);
      throw new MirrorUnusable(
        `The copy of EventStoreDB lacks events of the archived requests of ${segment.day}: ${missing}. It must be made again, which the next start does.`,
      );
    }
    this.#setStatus(segment.segment, 'archived');
    this.#hasRowsToRemove = true;
  }

  async #prepareRestored(number: number, client: EventStoreClient): Promise<void> {
    const own = this.#segment(number);
    if (own?.status !== 'archived') return;
    const isArchivedAgain = [...this.#known.values()].some(
      ({ segment, day, isRestored }) => segment > number && day === own.header.day && !isRestored,
    );
    if (!isArchivedAgain) {
      this.#restoring.add(number);
      try {
        await restoreFromStore({ database: this.#database, path: this.#folderPath, segment: own, client });
      } finally {
        this.#restoring.delete(number);
      }
    }
    this.#setStatus(number, 'restored');
  }

  /** Whether the mirror has yet to read the restore of a segment, or events among its own. */
  #isDue({ segment, upTo }: StoredSegment, head: number): boolean {
    const restored = this.#database.prepare(
      `SELECT 1 FROM events WHERE stream = 'archives-main' AND type = 'ArchiveRestored' AND data ->> '$.segment' = ?`,
    );
    return upTo > head || restored.get(segment) === undefined;
  }

  /** A store that was restored from a backup has no events about what was archived later. */
  #forgetOthers(stored: ReadonlyMap<number, StoredSegment>): void {
    const others = this.#read((archived) =>
      archived
        .segments()
        .filter(({ number, status, seal }) => status === 'archived' && stored.get(number)?.seal !== seal),
    );
    for (const { number } of others ?? []) this.#setStatus(number, 'restored');
  }

  /** The mirror may be another file than the one whose rows were removed, for instance from a backup. */
  #findRowsAgain(): void {
    const has = this.#database.prepare('SELECT 1 FROM events WHERE position IN (?, ?)');
    const segments = this.#read((archived) => archived.segments()) ?? [];
    const again = segments.filter(
      ({ status, isRemoved, header }) => status === 'archived' && isRemoved && has.get(header.first, header.last),
    );
    if (again.length === 0) return;
    const writer = new ArchiveWriter(this.#path);
    try {
      for (const { number } of again) writer.setRemoved(number, false);
    } finally {
      writer.close();
    }
  }

  #hasArchived({ segment, seal }: StoredSegment): boolean {
    const own = this.#segment(segment);
    return own?.seal === seal && own.status === 'archived';
  }

  #segment(number: number): Segment | undefined {
    return this.#read((archived) => archived.segments().find((segment) => segment.number === number));
  }

  #read<Result>(read: (archived: ArchivedEvents) => Result): Result | undefined {
    return withArchive(this.#path, read);
  }

  #setStatus(number: number, status: SegmentStatus): void {
    const writer = new ArchiveWriter(this.#path);
    try {
      writer.setStatus(number, status);
    } finally {
      writer.close();
    }
  }

  async #import(client: EventStoreClient, { segment, seal }: StoredSegment, status: SegmentStatus): Promise<void> {
    const stream = segmentStreamOf(seal);
    const draft = new SegmentImport(this.#path, segment, seal);
    try {
      for await (const frame of framesIn(readParts(stream, (read) => read(client)))) {
        draft.add(frame);
        await nextTurn();
      }
      draft.finish(status);
    } catch (error) {
      // The errors of the client and of the file have classes of their own.
      throw error instanceof Error && error.constructor === Error
        ? new SegmentUnreadable(stream, error.message)
        : error;
    } finally {
      draft.close();
    }
  }
}
