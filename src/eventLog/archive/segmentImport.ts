import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { blockOf } from './archivedEvents.ts';
import { deleteRequestIds, RequestIdsDraft } from './archivedRequestIds.ts';
import { openArchiveForWriting } from './archiveFile.ts';
import { type SegmentHeader, type SegmentStatus, sealOf } from './segment.ts';
import { FRAME, type Frame, requestIdRowsOf } from './segmentParts.ts';

/** Positions within a text of JSON: see `ArchivedEvents`. */
const POSITION = /[^\\]"position":(\d+),/;

/**
 * Adds a segment that another node sealed to `archive.sqlite`, frame by frame. What counts for readers appears with `finish`, once all
 * of it was found to be what was sealed; a process that is killed before leaves what the next import removes.
 */
export class SegmentImport {
  readonly #database: DatabaseSync;
  readonly #number: number;
  readonly #seal: string;
  readonly #insertEntries: StatementSync;
  readonly #insertRange: StatementSync;
  readonly #digest = createHash('sha256');
  #requestIds: RequestIdsDraft | undefined;
  #header: SegmentHeader | undefined;
  #text = '';
  #edge = Buffer.alloc(0);
  #state = Buffer.alloc(0);
  #rollUps = Buffer.alloc(0);
  #events = 0;
  #first = 0;
  #last = 0;

  /** @param path of `archive.sqlite` @throws ArchiveTooNew, or the error of SQLite */
  constructor(path: string, number: number, seal: string) {
    this.#database = openArchiveForWriting(path);
    this.#number = number;
    this.#seal = seal;
    this.#insertEntries = this.#database.prepare('INSERT INTO entries VALUES (?, ?, ?)');
    this.#insertRange = this.#database.prepare('INSERT INTO ranges (first, segment, last) VALUES (?, ?, ?)');
    this.#transaction(() => {
      for (const table of ['entries', 'ranges', 'heads'])
        this.#database.prepare(`DELETE FROM ${table} WHERE segment = ?`).run(number);
      deleteRequestIds(this.#database, number);
      this.#database.prepare('DELETE FROM segments WHERE number = ?').run(number);
    });
  }

  /** @throws Error when the frame is not what was sealed */
  add({ kind, content }: Frame): void {
    switch (kind) {
      case FRAME.header:
        this.#text = content.toString();
        if (sealOf(this.#text) !== this.#seal) throw new Error('has a header that is not the sealed one');
        this.#header = JSON.parse(this.#text) as SegmentHeader;
        if (this.#header.number !== this.#number) throw new Error('has another segment');
        break;
      case FRAME.edge:
        this.#edge = Buffer.from(content);
        break;
      case FRAME.state:
        this.#state = Buffer.from(content);
        break;
      case FRAME.rollUps:
        this.#rollUps = Buffer.from(content);
        break;
      case FRAME.entries:
        this.#addEntries(content);
        break;
      case FRAME.requestIds:
        this.#requestIds ??= new RequestIdsDraft(this.#database, this.#number);
        for (const row of requestIdRowsOf(content)) this.#requestIds.addRow(row);
        break;
      default:
        throw new Error('has a frame of a newer svc: start that version');
    }
  }

  /** Makes the segment count. @throws Error when a part is missing, or is not what was sealed */
  finish(status: SegmentStatus): SegmentHeader {
    const header = this.#header;
    if (!header) throw new Error('has no header');
    const found = [this.#digest.digest('hex'), sealOf(this.#state), sealOf(this.#rollUps), this.#events];
    const sealed = [header.entriesSha256, header.stateSha256, header.rollUpsSha256, header.events];
    if (found.some((value, index) => value !== sealed[index]))
      throw new Error('has parts that are not the sealed ones');
    this.#transaction(() => {
      this.#writeRange();
      this.#requestIds?.finish();
      const insertHead = this.#database.prepare('INSERT INTO heads VALUES (?, ?, ?, ?)');
      for (const [stream, , revision, hash] of header.streams) insertHead.run(stream, this.#number, revision, hash);
      this.#database
        .prepare('INSERT INTO segments VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?)')
        .run(
          this.#number,
          header.day,
          header.upTo,
          status,
          this.#text,
          this.#seal,
          this.#edge,
          this.#state,
          this.#rollUps,
        );
    });
    return header;
  }

  close(): void {
    this.#database.close();
  }

  #addEntries(content: Buffer): void {
    const text = zstdDecompressSync(content);
    this.#digest.update(text);
    let first: number | undefined;
    this.#transaction(() => {
      for (const entry of text.toString().split('\n').slice(0, -1)) {
        const position = Number(POSITION.exec(entry)?.[1]);
        if (!(position > this.#last)) throw new Error('has leaf entries that are not in order');
        first ??= position;
        if (blockOf(position) !== blockOf(first)) throw new Error('has leaf entries of several blocks in one');
        if (position !== this.#last + 1 || this.#first === 0) {
          this.#writeRange();
          this.#first = position;
        }
        this.#last = position;
        this.#events += 1;
      }
      if (first !== undefined) this.#insertEntries.run(blockOf(first), this.#number, content);
    });
  }

  #writeRange(): void {
    if (this.#first > 0) this.#insertRange.run(this.#first, this.#number, this.#last);
    this.#first = 0;
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
