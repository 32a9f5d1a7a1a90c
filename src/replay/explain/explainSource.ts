import type { DatabaseSync } from 'node:sqlite';
import { cooledIn } from '../../domain/coolDown/events.ts';
import type { AccountId, Position } from '../../domain/core/brands.ts';
import type { CompletedRequest } from '../../domain/request/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { EVENT_COLUMNS, type EventColumns } from '../../eventLog/sqlite/eventRows.ts';
import { toRecordedEvent } from '../../eventLog/sqlite/reader.ts';

/** A request of another program's log. */
export type ImportEvent = Extract<RecordedEvent, { type: 'RequestImported' }>;

export type EndEvent = Extract<RecordedEvent, { type: 'RequestCompleted' | 'RequestRefused' }>;

const ENDS = "type IN ('RequestCompleted', 'RequestRefused')";
/** Pins expire after this many events without use (src/state/fold/pins.ts). */
const MAX_PIN_AGE = 1_000_000;

/** Reads single events of a log's file for the explanation of a request. */
export class ExplainSource {
  readonly #database: DatabaseSync;

  /** @param location what SQLite opens: a path, or a `file:` URI */
  constructor(location: string) {
    this.#database = openForReading(location);
  }

  close(): void {
    this.#database.close();
  }

  /**
   * The end of a request; undefined when the log has none.
   * @param at its position if that is known; else the log is searched from its end
   */
  endOf(requestId: string, at?: Position): EndEvent | undefined {
    const field = `"requestId":${JSON.stringify(requestId)}`;
    if (at !== undefined) return this.#firstEnd(requestId, 'position = ? AND instr(data, ?) > 0', at, field);
    // svc writes this field first: comparing the beginning of each event takes a quarter of the time of searching all of it.
    const first = `{${field}`;
    return (
      this.#firstEnd(requestId, 'substr(data, 1, ?) = ?', first.length, first) ??
      this.#firstEnd(requestId, 'instr(data, ?) > 0', field)
    );
  }

  #firstEnd(requestId: string, where: string, ...parameters: (string | number)[]): EndEvent | undefined {
    for (const event of this.#select(`${ENDS} AND ${where} ORDER BY position DESC`, ...parameters))
      if (isEndOf(event, requestId)) return event;
    return undefined;
  }

  /**
   * The event with which a request of another program was imported; undefined when the log has none.
   * @param at its position if that is known; else the log is searched from its end
   */
  importOf(requestId: string, at?: Position): ImportEvent | undefined {
    const where = at === undefined ? '' : 'position = ? AND ';
    const found = this.#select(
      `${where}type = 'RequestImported' AND instr(data, ?) > 0 ORDER BY position DESC`,
      ...(at === undefined ? [] : [at]),
      `"requestId":${JSON.stringify(requestId)}`,
    );
    for (const event of found) if (event.type === 'RequestImported' && event.data.requestId === requestId) return event;
    return undefined;
  }

  /** Events after a position and up to another one that belong to a request by their correlation id, and its cool-downs. */
  eventsOf(requestId: string, after: Position, upTo: Position): RecordedEvent[] {
    const id = JSON.stringify(requestId);
    const range = 'position > ? AND position <= ?';
    const found = this.#select(
      `${range} AND (instr(metadata, ?) > 0 OR (type = 'AccountsCooled' AND instr(data, ?) > 0)) ORDER BY position`,
      after,
      upTo,
      `"correlationId":${id}`,
      `"requestId":${id}`,
    );
    return [...found];
  }

  /** The events at these positions. */
  at(positions: readonly Position[]): RecordedEvent[] {
    return [...new Set(positions)].flatMap((at) => [...this.#select('position = ?', at)]);
  }

  /** Cool-downs that begin or end after a position and up to another one. */
  coolDowns(after: Position, upTo: Position): RecordedEvent[] {
    const types = "type IN ('AccountsCooled', 'AccountRecovered')";
    return [...this.#select(`position > ? AND position <= ? AND ${types} ORDER BY position`, after, upTo)];
  }

  /** The event up to a position by which an account began to cool down. @param since as the cool-down says */
  coolDownOf(
    accountId: AccountId,
    since: number,
    upTo: Position,
  ): { position: Position; requestId: string } | undefined {
    const found = this.#select(
      "position <= ? AND type = 'AccountsCooled' AND instr(data, ?) > 0 ORDER BY position DESC",
      upTo,
      JSON.stringify(accountId),
    );
    for (const event of found) {
      if (event.type !== 'AccountsCooled') continue;
      for (const { requestId, accounts } of cooledIn(event.data)) {
        const isIt = accounts.some((each) => each.accountId === accountId && each.since === since);
        if (isIt) return { position: event.position, requestId };
      }
      if (event.time < since) return undefined;
    }
    return undefined;
  }

  /** The last event of these types in the stream of an account, up to a position. */
  lastOf(accountId: AccountId, types: readonly RecordedEvent['type'][], upTo: Position): RecordedEvent | undefined {
    const list = types.map((type) => `'${type}'`).join(', ');
    const where = `stream = ? AND position <= ? AND type IN (${list}) ORDER BY revision DESC LIMIT 1`;
    return this.#select(where, `account-${accountId}`, upTo).next().value;
  }

  /** The account of a conversation by the log, for events that did not record it. */
  pinOf(digest: string, at: Position): AccountId | null {
    const found = this.#select(
      "position <= ? AND position >= ? AND type = 'RequestCompleted' AND instr(data, ?) > 0 ORDER BY position DESC",
      at,
      at - MAX_PIN_AGE,
      `"digest":${JSON.stringify(digest)}`,
    );
    for (const { data } of found as Iterable<{ data: CompletedRequest }>) {
      const { pin, status, accountId } = data;
      if (pin?.digest === digest && status === '200' && !pin.isFallback && accountId !== null) return accountId;
    }
    return null;
  }

  *#select(where: string, ...parameters: (string | number)[]): Generator<RecordedEvent, undefined> {
    const statement = this.#database.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE ${where}`);
    statement.setReturnArrays(true);
    for (const row of statement.iterate(...parameters)) yield toRecordedEvent(row as unknown as EventColumns);
    return undefined;
  }
}

const isEndOf = (event: RecordedEvent, requestId: string): event is EndEvent =>
  (event.type === 'RequestCompleted' || event.type === 'RequestRefused') && event.data.requestId === requestId;
