import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/**
 * Where the ends of archived requests are, by a part of the hash of their ids, and whose they were. `indexedSegments` names the
 * segments that have been indexed; of others, the leaf entries are read. Tables of an `archive.sqlite` that an earlier svc made
 * are added when the next segment is written.
 */
export const REQUEST_ID_TABLES = `
  CREATE TABLE IF NOT EXISTS requestIds (
    segment INTEGER NOT NULL, id INTEGER NOT NULL, position INTEGER NOT NULL, owner INTEGER,
    PRIMARY KEY (segment, id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS owners (number INTEGER PRIMARY KEY, keyId TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS indexedSegments (segment INTEGER PRIMARY KEY) STRICT;
`;

/** Hexadecimal digits of the hash that are kept: a number that SQLite stores in six bytes. */
const DIGITS = 12;

/** How the index names a request. Two of them may share a number. */
const numberOf = (requestId: string): number => Number.parseInt(hash('sha256', requestId).slice(0, DIGITS), 16);

/** The beginning and the end of the leaf entry of a request's end (docs/decisions/0070-leaf-entries.md). */
const ENTRY = /^\{"correlationId":"([^"\\]*)".*"type":"Request(?:Completed|Refused)","version":\d+\}$/;

/** The request whose end a leaf entry is; undefined for other events. */
export const endedRequest = (entry: string): string | undefined => ENTRY.exec(entry)?.[1];

/** Ids are random: inserted one by one, each would change another page. */
const MAX_SORTED = 131_072;

/** Indexes the requests of a segment, within the caller's transaction. */
export class RequestIdsDraft {
  readonly #insert;
  readonly #database: DatabaseSync;
  readonly #segment: number;
  readonly #owners = new Map<string, number>();
  #rows: [id: number, position: number, owner: number | null][] = [];

  constructor(database: DatabaseSync, segment: number) {
    this.#database = database;
    this.#segment = segment;
    this.#insert = database.prepare('INSERT OR IGNORE INTO requestIds VALUES (?, ?, ?, ?)');
  }

  /** @param keyId of the API key that made the request; null for none, or where that is not known */
  add(position: number, entry: string, keyId: string | null): void {
    const requestId = endedRequest(entry);
    if (requestId === undefined) return;
    this.#rows.push([numberOf(requestId), position, keyId === null ? null : this.#ownerOf(keyId)]);
    if (this.#rows.length >= MAX_SORTED) this.#write();
  }

  /** Adds a row of the index of another node. */
  addRow([id, position, keyId]: RequestIdRow): void {
    this.#rows.push([id, position, keyId === null ? null : this.#ownerOf(keyId)]);
    if (this.#rows.length >= MAX_SORTED) this.#write();
  }

  finish(): void {
    this.#write();
    this.#database.prepare('INSERT OR IGNORE INTO indexedSegments VALUES (?)').run(this.#segment);
  }

  #write(): void {
    this.#rows.sort(([left], [right]) => left - right);
    for (const [id, position, owner] of this.#rows) this.#insert.run(this.#segment, id, position, owner);
    this.#rows = [];
  }

  #ownerOf(keyId: string): number {
    const known = this.#owners.get(keyId);
    if (known !== undefined) return known;
    this.#database.prepare('INSERT OR IGNORE INTO owners (keyId) VALUES (?)').run(keyId);
    const number = this.#database.prepare('SELECT number FROM owners WHERE keyId = ?').get(keyId)?.number as number;
    this.#owners.set(keyId, number);
    return number;
  }
}

/** Removes a segment from the index. */
export function deleteRequestIds(database: DatabaseSync, segment: number): void {
  database.prepare('DELETE FROM requestIds WHERE segment = ?').run(segment);
  database.prepare('DELETE FROM indexedSegments WHERE segment = ?').run(segment);
}

/** A row of the index, as nodes pass it on. */
export type RequestIdRow = readonly [id: number, position: number, keyId: string | null];

export interface FoundEnd {
  readonly position: number;
  /** The API key that made the request; null for none, or where that is not known. */
  readonly keyId: string | null;
}

/** Reads the index. */
export class RequestIdsReader {
  readonly #statements;

  private constructor(database: DatabaseSync) {
    this.#statements = {
      isIndexed: database.prepare('SELECT 1 FROM indexedSegments WHERE segment = ?'),
      all: database.prepare(
        'SELECT id, position, keyId FROM requestIds LEFT JOIN owners ON number = owner WHERE segment = ? ORDER BY id, position',
      ),
      find: database.prepare(
        'SELECT position, keyId FROM requestIds LEFT JOIN owners ON number = owner WHERE segment = ? AND id = ?',
      ),
    };
  }

  /** @returns undefined for an archive that has no index */
  static open(database: DatabaseSync): RequestIdsReader | undefined {
    const table = database
      .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'indexedSegments'")
      .get();
    return table && new RequestIdsReader(database);
  }

  has(segment: number): boolean {
    return this.#statements.isIndexed.get(segment) !== undefined;
  }

  /** All rows of a segment, in order. */
  *rows(segment: number): Generator<RequestIdRow> {
    for (const { id, position, keyId } of this.#statements.all.iterate(segment))
      yield [id as number, position as number, keyId as string | null];
  }

  /** Positions in a segment that may be the end of the request. */
  find(segment: number, requestId: string): FoundEnd[] {
    return this.#statements.find.all(segment, numberOf(requestId)) as unknown as FoundEnd[];
  }
}
