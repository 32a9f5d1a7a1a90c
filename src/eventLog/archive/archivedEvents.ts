import type { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { endedRequest, type RequestIdRow, RequestIdsReader } from './archivedRequestIds.ts';
import { BLOCK_POSITIONS, openArchiveForReading, type ReadableArchive } from './archiveFile.ts';
import { ArchiveDamaged, type PositionRange, type Segment, type SegmentHeader, sealOf } from './segment.ts';

/** The leaf entry of an archived event: one line of JSON (docs/decisions/0070-leaf-entries.md). */
export interface ArchivedEntry {
  readonly position: number;
  readonly entry: string;
}

/** The last archived event of a stream. */
export interface ArchivedHead {
  readonly revision: number;
  /** What the next event of the stream names as its predecessor; null where it is not known. */
  readonly hash: string | null;
}

/** The end of an archived request. */
export interface ArchivedRequest {
  readonly position: number;
  /** The API key that made the request; null for none, or where the archive does not say. */
  readonly keyId: string | null;
  /** UTC, for example `2026-11-01`. */
  readonly day: string;
  /** The name of the archive file. */
  readonly file: string;
}

/** A sentence for who asks for an archived request, with what to do. */
export const describeArchivedRequest = (requestId: string, { position, day, file }: ArchivedRequest): string =>
  `Request ${requestId} is archived in ${file} (position ${position}). To read it, put its day back with "svc restore-archive ${day}".`;

/** Of segments that count: the log says that they are archived. */
const ARCHIVED = "segment IN (SELECT number FROM segments WHERE status = 'archived')";

/** Reads the remaining parts of archived events. Rows of some of them may still be in the log, which then are the same. */
export class ArchivedEvents {
  readonly #archive: ReadableArchive;
  readonly #statements;
  readonly #requestIds: RequestIdsReader | undefined;
  #statuses: { readonly version: number; readonly text: string } | undefined;

  private constructor(archive: ReadableArchive) {
    const { database } = archive;
    this.#archive = archive;
    this.#statements = prepare(database);
    this.#requestIds = RequestIdsReader.open(database);
  }

  /**
   * @param location as of `openArchiveForReading`
   * @returns undefined when nothing was ever archived
   * @throws ArchiveTooNew, or the error of SQLite
   */
  static open(location: string): ArchivedEvents | undefined {
    const archive = openArchiveForReading(location);
    return archive && new ArchivedEvents(archive);
  }

  /** All segments, those that do not count included, by their number. @throws ArchiveDamaged */
  segments(): Segment[] {
    return this.#statements.segments.all().map(toSegment);
  }

  /** The archived segment that reaches furthest. @throws ArchiveDamaged */
  newest(): Segment | undefined {
    return this.segments()
      .filter(({ status }) => status === 'archived')
      .toSorted((left, right) => left.header.upTo - right.header.upTo || left.number - right.number)
      .at(-1);
  }

  /** The bytes of a segment's state. @throws ArchiveDamaged when they are not those that were sealed */
  stateOf({ number, header }: Segment): Buffer {
    const bytes = Buffer.from(this.#statements.state.get(number)?.state as Uint8Array);
    if (sealOf(bytes) !== header.stateSha256)
      throw new ArchiveDamaged(`The state of segment ${number} in archive.sqlite was changed.`);
    return bytes;
  }

  /** The bytes of a segment's roll-ups. @throws ArchiveDamaged when they are not those that were sealed */
  rollUpsOf({ number, header }: Segment): Buffer {
    const bytes = Buffer.from(this.#statements.rollUps.get(number)?.rollUps as Uint8Array);
    if (sealOf(bytes) !== header.rollUpsSha256)
      throw new ArchiveDamaged(`The roll-ups of segment ${number} in archive.sqlite were changed.`);
    return bytes;
  }

  /** The incomplete tiles of the tree at the end of a segment, one after the other. */
  edgeOf({ number }: Segment): Buffer {
    return Buffer.from(this.#statements.edge.get(number)?.edge as Uint8Array);
  }

  /** Whether all positions from `first` to `last` are archived. */
  covers(first: number, last: number): boolean {
    for (let next = first; next <= last; ) {
      const range = this.rangeAt(next);
      if (!range) return false;
      next = range.last + 1;
    }
    return true;
  }

  /** The range of archived positions that contains a position. */
  rangeAt(position: number): PositionRange | undefined {
    const range = this.#statements.rangeAt.get(position) as unknown as PositionRange | undefined;
    return range && range.last >= position ? range : undefined;
  }

  /** The first archived position after `after`; undefined when there is none. */
  firstAfter(after: number): number | undefined {
    const range = this.rangeAt(after + 1);
    return range ? after + 1 : (this.#statements.firstAfter.get(after)?.first as number | undefined);
  }

  /** The last archived position; undefined when none is archived. */
  lastPosition(): number | undefined {
    return this.#statements.lastRange.get()?.last as number | undefined;
  }

  /** The segment that has a position; undefined when it is not archived. @throws ArchiveDamaged */
  segmentAt(position: number): Segment | undefined {
    const number = this.rangeAt(position) && this.#statements.segmentAt.get(position)?.segment;
    return number === undefined ? undefined : toSegment(this.#statements.segment.get(number as number) as Row);
  }

  /** The positions of a segment, in order. @param after ranges that end before are left out */
  *rangesOf(segment: number, after = 0): Generator<PositionRange> {
    for (const row of this.#statements.rangesOf.iterate(segment, after, after, segment))
      yield row as unknown as PositionRange;
  }

  /** The last archived event of a stream; undefined when none of its events is archived. */
  headOf(stream: string): ArchivedHead | undefined {
    return this.#statements.head.get(stream) as unknown as ArchivedHead | undefined;
  }

  /**
   * The hash that the event after this revision of a stream continues; null when that event is archived as well, so that its row is
   * only there until it is removed; undefined for a revision that is not archived.
   */
  hashAt(stream: string, revision: number): string | null | undefined {
    const head = this.headOf(stream);
    if (!head || head.revision < revision) return undefined;
    return head.revision === revision ? head.hash : null;
  }

  /** The leaf entry at a position; undefined when it is not archived. */
  entryAt(position: number): string | undefined {
    for (const found of this.entries(position - 1, position)) return found.entry;
    return undefined;
  }

  /** The end of a request; undefined when it is not archived. A segment that was not indexed is searched. @throws ArchiveDamaged */
  findRequest(requestId: string): ArchivedRequest | undefined {
    const segments = this.segments().filter(({ status }) => status === 'archived');
    for (const { number, header } of segments.toReversed()) {
      const found = this.#endIn(number, requestId);
      if (found) return { ...found, day: header.day, file: header.file.name };
    }
    return undefined;
  }

  /** The index of the requests of a segment, in order; undefined when it was not made. */
  requestIdsOf(segment: number): Iterable<RequestIdRow> | undefined {
    return this.#requestIds?.has(segment) ? this.#requestIds.rows(segment) : undefined;
  }

  #endIn(segment: number, requestId: string): { position: number; keyId: string | null } | undefined {
    if (this.#requestIds?.has(segment))
      return this.#requestIds
        .find(segment, requestId)
        .find(({ position }) => endedRequest(this.entryAt(position) ?? '') === requestId);
    for (const { position, entry } of this.entriesOf(segment)) {
      if (endedRequest(entry) === requestId) return { position, keyId: null };
    }
    return undefined;
  }

  /** The leaf entries of archived positions after `after` up to and including `upTo`, in order. */
  *entries(after: number, upTo: number): Generator<ArchivedEntry> {
    let block = blockOf(after + 1);
    for (const last = blockOf(upTo); block <= last; block += 1) {
      const next = this.#statements.nextBlock.get(block, last)?.block as number | null;
      if (next === null) return;
      block = next;
      yield* this.#entriesOfBlock(block, after, upTo);
    }
  }

  /** The leaf entries of one segment, in order, also of one that does not count yet. */
  *entriesOf(segment: number): Generator<ArchivedEntry> {
    for (const { block } of this.#statements.blocksOf.all(segment)) {
      yield* parseLines(this.#statements.ofSegment.get(block as number, segment)?.lines as Uint8Array);
    }
  }

  /** The compressed leaf entries of one segment, a block each, in order. */
  *blocksOf(segment: number): Generator<Uint8Array> {
    for (const { block } of this.#statements.blocksOf.all(segment))
      yield this.#statements.ofSegment.get(block as number, segment)?.lines as Uint8Array;
  }

  #entriesOfBlock(block: number, after: number, upTo: number): ArchivedEntry[] {
    const parts = this.#statements.lines.all(block);
    const entries = parts.flatMap(({ lines }) => parseLines(lines as Uint8Array));
    // Of a day that has several segments, positions may alternate.
    if (parts.length > 1) entries.sort((left, right) => left.position - right.position);
    return entries.filter(({ position }) => position > after && position <= upTo);
  }

  /** Another text once a segment was sealed, archived or restored. */
  version(): string {
    const version = this.#archive.version();
    // Looking at all segments each time would cost more than reading events.
    if (version !== this.#statuses?.version)
      this.#statuses = { version, text: this.#statements.statuses.get()?.statuses as string };
    return this.#statuses.text;
  }

  /** Whether it must be opened again, because another process has written to a file that is read without locks. */
  isStale(): boolean {
    return this.#archive.isStale();
  }

  /** @throws ArchiveChanged */
  close(): void {
    this.#archive.close();
  }
}

/** The block of positions that a position is in. */
export const blockOf = (position: number): number => Math.floor((position - 1) / BLOCK_POSITIONS);

/** Within a text of JSON, a quote has a backslash before it: only the key itself matches. */
const POSITION = /[^\\]"position":(\d+),/;

function parseLines(lines: Uint8Array): ArchivedEntry[] {
  const text = zstdDecompressSync(lines).toString();
  return text
    .split('\n')
    .slice(0, -1)
    .map((entry) => ({ position: Number(POSITION.exec(entry)?.[1]), entry }));
}

type Row = Record<string, unknown>;

function toSegment({ number, status, isRemoved, header, seal }: Row): Segment {
  if (sealOf(header as string) !== seal)
    throw new ArchiveDamaged(`The header of segment ${number} in archive.sqlite was changed.`);
  return {
    number: number as number,
    status: status as Segment['status'],
    isRemoved: isRemoved === 1,
    header: JSON.parse(header as string) as SegmentHeader,
    seal: seal as string,
  };
}

const SEGMENT = 'SELECT number, status, isRemoved, header, seal FROM segments';

const prepare = (database: DatabaseSync) => ({
  segments: database.prepare(`${SEGMENT} ORDER BY number`),
  segment: database.prepare(`${SEGMENT} WHERE number = ?`),
  statuses: database.prepare(
    "SELECT coalesce(group_concat(number || status), '') AS statuses FROM (SELECT number, status FROM segments ORDER BY number)",
  ),
  state: database.prepare('SELECT state FROM segments WHERE number = ?'),
  rollUps: database.prepare('SELECT rollUps FROM segments WHERE number = ?'),
  edge: database.prepare('SELECT edge FROM segments WHERE number = ?'),
  rangeAt: database.prepare(
    `SELECT first, last FROM ranges WHERE first <= ? AND ${ARCHIVED} ORDER BY first DESC LIMIT 1`,
  ),
  segmentAt: database.prepare(
    `SELECT segment FROM ranges WHERE first <= ? AND ${ARCHIVED} ORDER BY first DESC LIMIT 1`,
  ),
  firstAfter: database.prepare(`SELECT first FROM ranges WHERE first > ? AND ${ARCHIVED} ORDER BY first LIMIT 1`),
  // Ranges do not overlap.
  lastRange: database.prepare(`SELECT last FROM ranges WHERE ${ARCHIVED} ORDER BY first DESC LIMIT 1`),
  rangesOf: database.prepare(
    `SELECT first, last FROM ranges WHERE segment = ? AND last > ? AND first >= coalesce(
       (SELECT first FROM ranges WHERE first <= ? AND segment = ? ORDER BY first DESC LIMIT 1), 0) ORDER BY first`,
  ),
  head: database.prepare(
    `SELECT revision, hash FROM heads WHERE stream = ? AND ${ARCHIVED} ORDER BY revision DESC LIMIT 1`,
  ),
  nextBlock: database.prepare(
    `SELECT min(block) AS block FROM entries WHERE block >= ? AND block <= ? AND ${ARCHIVED}`,
  ),
  lines: database.prepare(`SELECT lines FROM entries WHERE block = ? AND ${ARCHIVED}`),
  blocksOf: database.prepare('SELECT block FROM entries WHERE segment = ? ORDER BY block'),
  ofSegment: database.prepare('SELECT lines FROM entries WHERE block = ? AND segment = ?'),
});
