import { statSync } from 'node:fs';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { idOfEntry } from '../eventLog/archive/archivedIds.ts';
import { type Segment, sealOf } from '../eventLog/archive/segment.ts';
import type { ArchivedDay } from './archivedDays.ts';

/** The archived segments of a log, by which read models name those whose roll-ups they have. */
export interface ArchiveState {
  /** Names the segments; empty when there is none. */
  readonly signature: string;
  /** Up to here rows may be archived; 0 when none is. */
  readonly upTo: number;
  /** The earliest first. */
  readonly days: readonly ArchivedDay[];
}

export const NOTHING_ARCHIVED: ArchiveState = { signature: '', upTo: 0, days: [] };

/**
 * What the read models of a log need of its archive. The file is opened each time: that is seldom, and it may appear while this
 * runs.
 */
export class ArchiveReader {
  readonly #path: string;

  /** @param path of `archive.sqlite`, which need not exist */
  constructor(path: string) {
    this.#path = path;
  }

  /** Changes with each change of the file; 0 while there is none. Costs no read. */
  changedAt(): number {
    const times = ['', '-wal'].map((suffix) => statSync(this.#path + suffix, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    return Math.max(...times);
  }

  /** Names the segments that are archived; empty when there is none. */
  signature(): string {
    const segments = this.#archived((archived) => archivedSegments(archived)) ?? [];
    return segments.length === 0 ? '' : sealOf(segments.map(({ seal }) => seal).join()).slice(0, 12);
  }

  /** The last archived position; 0 when none is. */
  end(): number {
    return this.#archived((archived) => archived.lastPosition()) ?? 0;
  }

  /** The archived segments as read models that are made now have them. */
  state(): ArchiveState {
    return { signature: this.signature(), upTo: this.end(), days: this.days() };
  }

  /** The id of an archived event; undefined when the position is not archived. */
  idAt(position: number): string | undefined {
    const entry = this.#archived((archived) => archived.entryAt(position));
    return entry === undefined ? undefined : idOfEntry(entry);
  }

  /** The roll-ups of each archived segment, in order. */
  *rollUps(): Generator<Uint8Array> {
    const archived = ArchivedEvents.open(this.#path);
    try {
      for (const segment of archived ? archivedSegments(archived) : []) {
        if (archived) yield archived.rollUpsOf(segment);
      }
    } finally {
      archived?.close();
    }
  }

  /** The archived days, the earliest first; those with several segments more than once. */
  days(): ArchivedDay[] {
    const segments = this.#archived((archived) => archivedSegments(archived)) ?? [];
    return segments
      .map(({ header: { day, file, events } }) => ({ day, file: file.name, events }))
      .toSorted((left, right) => (left.day < right.day ? -1 : 1));
  }

  /** Whether all these positions are archived. */
  covers(first: number, last: number): boolean {
    return this.#archived((archived) => archived.covers(first, last)) ?? false;
  }

  /** The archived ones of some positions. */
  among(positions: readonly number[]): Set<number> {
    return new Set(this.#archived((archived) => positions.filter((at) => archived.rangeAt(at))) ?? []);
  }

  /** The archived positions around one, and the segment that has it. */
  rangeAt(position: number): { readonly first: number; readonly day: ArchivedDay } | undefined {
    return this.#archived((archived) => {
      const range = archived.rangeAt(position);
      const header = archived.segmentAt(position)?.header;
      return range && header
        ? { first: range.first, day: { day: header.day, file: header.file.name, events: header.events } }
        : undefined;
    });
  }

  hashAt(stream: string, revision: number): string | null | undefined {
    return this.#archived((archived) => archived.hashAt(stream, revision));
  }

  #archived<Result>(read: (archived: ArchivedEvents) => Result): Result | undefined {
    const archived = ArchivedEvents.open(this.#path);
    try {
      return archived && read(archived);
    } finally {
      archived?.close();
    }
  }
}

const archivedSegments = (archived: ArchivedEvents): Segment[] =>
  archived.segments().filter(({ status }) => status === 'archived');
