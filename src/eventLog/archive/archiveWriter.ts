import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { blockOf } from './archivedEvents.ts';
import { deleteRequestIds, RequestIdsDraft } from './archivedRequestIds.ts';
import { openArchiveForWriting } from './archiveFile.ts';
import { type SegmentHeader, type SegmentStatus, sealOf, textOfHeader } from './segment.ts';

/** What a segment has beside its events. */
export interface SealedParts {
  readonly header: SegmentHeader;
  /** The incomplete tiles of the tree at `upTo`, one after the other. */
  readonly edge: Buffer;
  readonly state: Buffer;
  /** What the projections make of the events. */
  readonly rollUps: Buffer;
}

/** Writes `archive.sqlite`. One process at a time: that which has locked the data folder. */
export class ArchiveWriter {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = openArchiveForWriting(path);
  }

  /** Begins a segment, in place of one that was never archived. Nothing is kept before `seal` returns. */
  begin(number: number): SegmentDraft {
    this.#database.exec('BEGIN IMMEDIATE');
    this.#delete(number);
    return new SegmentDraft(this.#database, number);
  }

  /** The number of the next segment: that of a segment that was never archived, or one more. */
  nextNumber(): number {
    const row = this.#database
      .prepare("SELECT coalesce(max(number) FILTER (WHERE status <> 'sealed'), 0) + 1 AS next FROM segments")
      .get();
    return row?.next as number;
  }

  setStatus(number: number, status: SegmentStatus): void {
    this.#transaction(() => {
      this.#database.prepare('UPDATE segments SET status = ? WHERE number = ?').run(status, number);
      if (status === 'restored') this.#deleteEvents(number);
    });
  }

  /** Notes whether no row of a segment is in the log. */
  setRemoved(number: number, isRemoved: boolean): void {
    this.#database.prepare('UPDATE segments SET isRemoved = ? WHERE number = ?').run(isRemoved ? 1 : 0, number);
  }

  /** Drops a segment that was sealed and never archived. */
  discard(number: number): void {
    this.#transaction(() => this.#delete(number));
  }

  close(): void {
    this.#database.close();
  }

  #delete(number: number): void {
    this.#deleteEvents(number);
    this.#database.prepare('DELETE FROM segments WHERE number = ?').run(number);
  }

  #deleteEvents(number: number): void {
    for (const table of ['entries', 'ranges', 'heads'])
      this.#database.prepare(`DELETE FROM ${table} WHERE segment = ?`).run(number);
    deleteRequestIds(this.#database, number);
  }

  #transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** A segment that is being written, in one transaction. */
export class SegmentDraft {
  readonly #database: DatabaseSync;
  readonly #number: number;
  readonly #insertEntries: StatementSync;
  readonly #insertRange: StatementSync;
  readonly #digest = createHash('sha256');
  readonly #requestIds: RequestIdsDraft;
  #block = -1;
  #lines: string[] = [];
  #first = 0;
  #last = 0;

  constructor(database: DatabaseSync, number: number) {
    this.#database = database;
    this.#number = number;
    this.#insertEntries = database.prepare('INSERT INTO entries VALUES (?, ?, ?)');
    this.#insertRange = database.prepare('INSERT INTO ranges (first, segment, last) VALUES (?, ?, ?)');
    this.#requestIds = new RequestIdsDraft(database, number);
  }

  /**
   * Adds the leaf entry of the next event.
   * @param keyId of the API key that made the request, for the end of one
   */
  add(position: number, entry: string, keyId: string | null = null): void {
    this.#requestIds.add(position, entry, keyId);
    const block = blockOf(position);
    if (block !== this.#block) this.#writeBlock();
    this.#block = block;
    this.#lines.push(entry);
    this.#digest.update(entry).update('\n');
    if (position !== this.#last + 1 || this.#first === 0) {
      this.#writeRange();
      this.#first = position;
    }
    this.#last = position;
  }

  /** Writes the rest. @returns the digest of the entries for the header */
  finishEntries(): string {
    this.#writeBlock();
    this.#writeRange();
    this.#requestIds.finish();
    return this.#digest.digest('hex');
  }

  /** Makes the segment durable, with the status `sealed`. @returns its seal */
  seal({ header, edge, state, rollUps }: SealedParts): string {
    const text = textOfHeader(header);
    const seal = sealOf(text);
    const { number, day, upTo, streams } = header;
    const insertHead = this.#database.prepare('INSERT INTO heads VALUES (?, ?, ?, ?)');
    for (const [stream, , revision, hash] of streams) insertHead.run(stream, this.#number, revision, hash);
    this.#database
      .prepare("INSERT INTO segments VALUES (?, ?, ?, 'sealed', 0, ?, ?, ?, ?, ?)")
      .run(number, day, upTo, text, seal, edge, state, rollUps);
    this.#database.exec('COMMIT');
    return seal;
  }

  /** Drops what was written. */
  abort(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  #writeBlock(): void {
    if (this.#lines.length === 0) return;
    const text = `${this.#lines.join('\n')}\n`;
    this.#insertEntries.run(this.#block, this.#number, zstdCompressSync(text));
    this.#lines = [];
  }

  #writeRange(): void {
    if (this.#first > 0) this.#insertRange.run(this.#first, this.#number, this.#last);
    this.#first = 0;
  }
}
