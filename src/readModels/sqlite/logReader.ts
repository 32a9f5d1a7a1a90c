import { existsSync } from 'node:fs';
import type { StatementSync } from 'node:sqlite';
import { openDatabase } from '../../dataFolder/openDatabase.ts';
import { type Instant, type Position, position } from '../../domain/core/brands.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { CONTINUED_HASH } from '../../eventLog/hashChain.ts';
import { readAcceptedUpTo } from '../../eventLog/sqlite/acceptedLosses.ts';
import { ArchiveReader } from '../archiveReader.ts';

/** An event as stored in the file, with data and metadata as JSON. */
export type RawEvent = [
  position: number,
  stream: string,
  type: string,
  version: number,
  time: number,
  data: string,
  metadata: string,
  revision: number,
];

/** A position with the id of its event, which distinguishes this log from another one with as many events. */
export interface LogMark {
  readonly position: Position;
  readonly eventId: string | null;
}

const BEGINNING: LogMark = { position: position(0), eventId: null };
const COLUMNS = 'position, stream, type, version, time, data, metadata, revision';

/** Reads the log's file through a connection of its own, so that appends do not wait. */
export class LogReader {
  readonly #path: string;
  /** What is archived of the log. */
  readonly archive: ArchiveReader;
  #open: ReturnType<typeof open> | undefined;

  /** @param archivePath where `archive.sqlite` is, if it is not beside the log */
  constructor(path: string, archivePath = archivePathOf(path)) {
    this.#path = path;
    this.archive = new ArchiveReader(archivePath);
  }

  /** The last event at or before `at`. */
  lastUpTo(at: Position): LogMark {
    const mark = this.#statements()?.last.get(at) as LogMark | undefined;
    return mark ?? BEGINNING;
  }

  /** The first event after `after`, which must exist. */
  firstAfter(after: Position): LogMark {
    return this.#statements()?.first.get(after) as unknown as LogMark;
  }

  /** Events after `after` up to and including `upTo`, in order. */
  between(after: Position, upTo: Position): RawEvent[] {
    return (this.#statements()?.between.all(after, upTo) ?? []) as unknown as RawEvent[];
  }

  /** Times of the events after `after`, in order. */
  times(after: Position, limit: number): { position: Position; time: Instant }[] {
    return (this.#statements()?.times.all(after, limit) ?? []) as { position: Position; time: Instant }[];
  }

  at(at: Position): RawEvent | undefined {
    return this.#statements()?.at.get(at) as unknown as RawEvent | undefined;
  }

  /** For the check that events continue each other. */
  hashAt(stream: string, revision: number): string | null | undefined {
    const row = this.#statements()?.hashAt.get(stream, revision) as { hash: string | null } | undefined;
    return row ? row.hash : this.archive.hashAt(stream, revision);
  }

  /** Up to this position, an operator has accepted gaps. */
  acceptedUpTo(): number {
    const opened = this.#statements();
    return opened ? readAcceptedUpTo(opened.database) : 0;
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #statements() {
    // A log without a file is empty.
    if (!this.#open && existsSync(fileOf(this.#path))) this.#open = open(this.#path);
    return this.#open;
  }
}

/** SQLite also opens URIs. */
const fileOf = (path: string): string | URL => (path.startsWith('file:') ? new URL(path) : path);

function open(path: string) {
  const database = openDatabase(path, { readOnly: true, timeout: 5_000 });
  const asArrays = (sql: string): StatementSync => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    database,
    last: database.prepare(
      'SELECT position, id AS eventId FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1',
    ),
    first: database.prepare('SELECT position, id AS eventId FROM events WHERE position > ? ORDER BY position LIMIT 1'),
    between: asArrays(`SELECT ${COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position`),
    times: database.prepare('SELECT position, time FROM events WHERE position > ? ORDER BY position LIMIT ?'),
    hashAt: database.prepare(`SELECT ${CONTINUED_HASH} AS hash FROM events WHERE stream = ? AND revision = ?`),
    at: asArrays(`SELECT ${COLUMNS} FROM events WHERE position = ?`),
  };
}
