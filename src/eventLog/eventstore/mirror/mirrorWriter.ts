import type { DatabaseSync } from 'node:sqlite';
import { type Position, position } from '../../../domain/core/brands.ts';
import type { LogBreak } from '../../continuity.ts';
import { isLease, isSideStream, isVaultStream } from '../../sideStreams.ts';
import type { AllEvent } from '../client/readResponse.ts';
import { fromWire } from '../client/wireEvent.ts';
import type { ArchivedPlaces } from './archivedPlaces.ts';
import { HiddenLeases } from './hiddenLeases.ts';
import { INSTALLATION_STREAM } from './installationStream.ts';
import { MirrorBreaks } from './mirrorBreaks.ts';
import { readKnownStore } from './readKnownStore.ts';
import type { KnownStore } from './resumePoint.ts';
import { type RulesOfStream, readRules, rulesIn, writeRules } from './streamRules.ts';

export const STREAM_DELETED = '$streamDeleted';

/** Whether an event is part of the history. Types and streams of system events begin with `$`. */
const isHistory = (stream: string, type: string): boolean =>
  !stream.startsWith('$') && !type.startsWith('$') && !isSideStream(stream);

/** Writes events of `$all` into the mirror and counts those of the history. One batch is one transaction. */
export class MirrorWriter {
  readonly #database: DatabaseSync;
  readonly #breaks: MirrorBreaks;
  readonly #leases: HiddenLeases;
  #head: Position;
  #newBreaks: LogBreak[] = [];
  #newRules: RulesOfStream[] = [];
  #archived: ArchivedPlaces | undefined;

  /** @param archivePath of the file that knows archived events */
  constructor(database: DatabaseSync, archivePath?: string) {
    this.#database = database;
    const { head } = database.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get() as {
      head: number;
    };
    this.#head = position(head);
    this.#breaks = new MirrorBreaks(database, head, archivePath);
    this.#leases = new HiddenLeases(readRules(database));
  }

  /** Position of the last event of the history. */
  get head(): Position {
    return this.#head;
  }

  /** Sets the places of archived events that are not mirrored: they are left out, and no other event gets their positions. */
  setArchived(places: ArchivedPlaces | undefined): void {
    this.#archived = places;
  }

  readKnownStore(): KnownStore {
    return readKnownStore(this.#database);
  }

  /** Keeps the id of the first event of the vault, unless one is kept already. */
  keepInstallation(id: string): void {
    this.#database.prepare('INSERT OR IGNORE INTO installation (only, id) VALUES (1, ?)').run(id);
  }

  /** Events of the last batch that do not continue the log before them. */
  get newBreaks(): readonly LogBreak[] {
    return this.#newBreaks;
  }

  /** Rules of streams that the last batch set or removed. */
  get newRules(): readonly RulesOfStream[] {
    return this.#newRules;
  }

  /** Writes a batch in one transaction. @throws the error of SQLite; nothing is written then */
  apply(batch: readonly AllEvent[]): void {
    const last = batch.at(-1);
    if (!last) return;
    const before = this.#head;
    this.#newBreaks = [];
    this.#newRules = [];
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const event of batch) this.#applyOne(event);
      this.#database
        .prepare('INSERT OR REPLACE INTO progress (only, commitPosition, preparePosition, id) VALUES (1, ?, ?, ?)')
        .run(last.position.commit, last.position.prepare, last.id);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#head = before;
      this.#newBreaks = [];
      this.#newRules = [];
      this.#breaks.rollBack(before);
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #applyOne(event: AllEvent): void {
    const { streamId, type, revision, id } = event;
    const found = rulesIn(event);
    const rules = found
      ? this.#leases.harmfulIn(found)
      : isLease(streamId)
        ? this.#leases.onEntry(streamId, Number(revision))
        : undefined;
    if (rules) {
      writeRules(this.#database, rules);
      this.#newRules.push(rules);
    }
    if (streamId === INSTALLATION_STREAM && revision === 0n) this.keepInstallation(id);
    if (isHistory(streamId, type)) this.#insert(event);
    else if (isVaultStream(streamId)) this.#recordVaultStream(streamId, type);
  }

  #insert(event: AllEvent): void {
    const mirrored = fromWire(event);
    const { native, stream, revision, id, type, version, time, data, metadata } = mirrored;
    if (this.#archived?.has(stream, revision)) return;
    this.#head = position(this.#archived?.next(this.#head) ?? this.#head + 1);
    const found = this.#breaks.check(this.#head, mirrored);
    if (found) this.#newBreaks.push(found);
    this.#insertStatement.run(
      this.#head,
      stream,
      revision,
      id,
      type,
      version,
      time,
      data,
      metadata,
      native.commit,
      native.prepare,
    );
  }

  /** Stores only the name of a vault stream: copies of the file must not contain destroyed keys. */
  #recordVaultStream(stream: string, type: string): void {
    const sql =
      type === STREAM_DELETED
        ? 'DELETE FROM vaultStreams WHERE stream = ?'
        : 'INSERT OR IGNORE INTO vaultStreams (stream) VALUES (?)';
    this.#database.prepare(sql).run(stream);
  }

  #preparedInsert: ReturnType<DatabaseSync['prepare']> | undefined;
  get #insertStatement() {
    this.#preparedInsert ??= this.#database.prepare(
      `INSERT INTO events (position, stream, revision, id, type, version, time, data, metadata, commitPosition,
       preparePosition) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    return this.#preparedInsert;
  }
}
