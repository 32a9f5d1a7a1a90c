import { hash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { actorLabels, requestIdOf, searchTextOf, subjectOf } from '../../../projections/history.ts';
import { FIRST_STRETCH, partAt, type Stretch } from '../../domain/clock/stretches.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { actorOf } from './actorOf.ts';
import { Dictionary } from './dictionary.ts';
import type { LogReader } from './logReader.ts';
import { Postings } from './postings.ts';

/** Distance of the marks that map times to positions; events between two marks are read from the log. */
const EVENTS_PER_MARK = 256;
const MAX_CACHED_ACTORS = 10_000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS marks (position INTEGER PRIMARY KEY, latest INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS marksByTime ON marks (latest, position);
  CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, tokenize = 'trigram', content = '', columnsize = 0);
`;

/**
 * The index of the history: posting lists by type, by actor and type, and by subject and type; a text index of the sentences;
 * and marks that map times to positions, also where a clock jumped. The events themselves are read from the log. Requests are found through the request
 * log (docs/decisions/0055-history.md).
 */
export class HistoryIndex {
  readonly types: Dictionary<{ readonly text: string }>;
  readonly postings: Postings;
  readonly database: DatabaseSync;
  readonly #log: LogReader;
  readonly #insertText: StatementSync;
  readonly #insertMark: StatementSync;
  readonly #selectMark: StatementSync;
  /** Labels by the actor's JSON. */
  readonly #actors = new Map<string, readonly number[]>();
  /** Sentences that the text index does not have yet. */
  #texts: { readonly at: Position; readonly text: string }[] = [];
  #latest: number;

  /** @param upTo position up to which the index is complete */
  constructor(database: DatabaseSync, log: LogReader, upTo: Position) {
    database.exec(TABLES);
    this.database = database;
    this.#log = log;
    this.types = new Dictionary(database, 'eventTypes', ['text']);
    this.postings = new Postings(database);
    this.#insertText = database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
    this.#insertMark = database.prepare('INSERT INTO marks VALUES (?, ?)');
    this.#selectMark = database.prepare(
      'SELECT position FROM marks WHERE latest <= ? AND position > ? AND position <= ? ORDER BY latest DESC, position DESC LIMIT 1',
    );
    this.#latest = this.#latestAt(upTo);
  }

  /** Adds the next event. The data of a completed request may be a `LoggedRequest`. @param metadata as JSON */
  add(event: KnownEvent, at: Position, time: Instant, stream: string, metadata: string): void {
    const type = this.types.idOf({ text: event.type });
    this.postings.add(ALL_EVENTS_LABEL, type, at);
    for (const label of this.#labelsOf(actorOf(metadata))) this.postings.add(label, type, at);
    const subject = subjectOf(stream, event);
    if (requestIdOf(subject) === undefined) this.postings.add(subjectLabel(subject), type, at);
    const text = searchTextOf(event, subject);
    if (text !== undefined) this.#texts.push({ at, text });
    const isJump = event.type === 'ClockJumped';
    if (isJump) this.#latest = event.data.to;
    if (time > this.#latest) this.#latest = time;
    if (isJump || at % EVENTS_PER_MARK === 0) this.#insertMark.run(at, this.#latest);
  }

  /** Writes the events added since the last flush, within the caller's transaction. */
  flush(): void {
    this.postings.flush();
    // One after the other: each other statement between two of them makes FTS5 write what it has gathered.
    for (const { at, text } of this.#texts) this.#insertText.run(at, text);
    this.#texts = [];
  }

  /** Discards the events added since the last flush. @param upTo position up to which the index is complete now */
  clear(upTo: Position): void {
    this.postings.clear();
    this.#texts = [];
    this.types.reload();
    this.#latest = this.#latestAt(upTo);
  }

  /** The last position that was written by `time`. @param stretches the parts of the log between jumps of clocks */
  positionAt(time: Instant, stretches: readonly Stretch[] = [FIRST_STRETCH]): Position {
    const { after, until } = partAt(stretches, time);
    let found = (this.#selectMark.get(time, after, until)?.position ?? after) as Position;
    for (;;) {
      const page = this.#log.times(found, EVENTS_PER_MARK);
      for (const event of page) {
        if (event.time > time || event.position > until) return found;
        found = event.position;
      }
      if (page.length === 0) return found;
    }
  }

  #latestAt(at: Position): number {
    const mark = this.database.prepare('SELECT position, latest FROM marks ORDER BY position DESC LIMIT 1').get();
    const since = (mark?.position ?? 0) as Position;
    const times = this.#log.times(since, at - since).map(({ time }) => time);
    return Math.max(Number(mark?.latest ?? 0), ...times);
  }

  #labelsOf(actor: string): readonly number[] {
    const known = this.#actors.get(actor);
    if (known) return known;
    if (this.#actors.size >= MAX_CACHED_ACTORS) this.#actors.clear();
    const labels = actorLabels(JSON.parse(actor)).map(actorLabel);
    this.#actors.set(actor, labels);
    return labels;
  }
}

/** The label of the lists of all events of a type. */
export const ALL_EVENTS_LABEL = 0;
/** The labels of the lists of an actor's events, and of a subject's. */
export const actorLabel = (actor: string): number => labelOf(`actor ${actor}`);
export const subjectLabel = (subject: string): number => labelOf(`subject ${subject}`);

/** 48 bits of a hash, which SQLite stores in six bytes. Readers check the events that they find, in case of a collision. */
const labelOf = (text: string): number => Number.parseInt(hash('sha1', text).slice(0, 12), 16);
