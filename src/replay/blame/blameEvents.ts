import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import type { StoredEvent } from '../../eventLog/eventLog.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { createReader, type Reader } from '../../eventLog/sqlite/reader.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { REFRESH_STREAM_PREFIX } from '../../state/fold/refreshStreams.ts';

/** What fields follow from that no event of the subject's own stream sets. */
export type Derivation = 'usage' | 'tokens' | 'requests';

/** Reads the events that may have set the fields of a subject. */
export interface BlameEvents {
  /** The state before the first event, where the log does not begin at the beginning. It must not be changed. */
  readonly begin?: HotState;
  /** Events of a stream from a revision on, up to a position: a page of them, none behind the last one. */
  page(stream: string, fromRevision: number, upTo: Position): Promise<readonly StoredEvent[]>;
  /** The last event up to a position that fields of an account or an API key follow from; undefined when none is near. */
  last(derivation: Derivation, id: string, upTo: Position): Promise<StoredEvent | undefined>;
}

/** How far back a request is looked for: only the whole log says more of a key that was not used since. */
const MAX_REQUEST_AGE = 100_000;

/** The first text behind all those that begin with a prefix which ends with `-` or `_`. */
const behind = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

/** Reads them from the log's file, on the calling thread. */
export class BlameEventsOfFile implements BlameEvents {
  readonly #reader: Reader;
  readonly #database: DatabaseSync;
  readonly begin?: HotState;

  /** @param location what SQLite opens: a path, or a `file:` URI */
  constructor(location: string, begin?: HotState) {
    if (begin) this.begin = begin;
    this.#reader = createReader(location);
    this.#database = openForReading(location);
  }

  close(): void {
    this.#reader.close();
    this.#database.close();
  }

  page(stream: string, fromRevision: number, upTo: Position): Promise<readonly StoredEvent[]> {
    return Promise.resolve(this.#reader.streamPage(stream, fromRevision, upTo));
  }

  last(derivation: Derivation, id: string, upTo: Position): Promise<StoredEvent | undefined> {
    const at = this.#positionOf(derivation, id, upTo);
    if (at === undefined) return Promise.resolve(undefined);
    return Promise.resolve(this.#reader.storedPage((at - 1) as Position, at as Position)[0]);
  }

  #positionOf(derivation: Derivation, id: string, upTo: Position): number | undefined {
    const named = JSON.stringify(id);
    switch (derivation) {
      case 'usage': {
        const prefix = `accountUsage-${id}_`;
        const where = 'stream >= ? AND stream < ? AND position <= ?';
        return this.#find(where, 'stream DESC, revision DESC', prefix, behind(prefix), upTo);
      }
      case 'tokens': {
        const prefix = REFRESH_STREAM_PREFIX;
        const where =
          "stream >= ? AND stream < ? AND position <= ? AND type = 'TokensRefreshed' AND instr(data, ?) > 0";
        return this.#find(where, 'position DESC', prefix, behind(prefix), upTo, named);
      }
      case 'requests': {
        const where = "position <= ? AND position > ? AND type = 'RequestCompleted' AND instr(data, ?) > 0";
        return this.#find(where, 'position DESC', upTo, upTo - MAX_REQUEST_AGE, named);
      }
    }
  }

  #find(where: string, order: string, ...parameters: (string | number)[]): number | undefined {
    const sql = `SELECT position FROM events WHERE ${where} ORDER BY ${order} LIMIT 1`;
    return this.#database.prepare(sql).get(...parameters)?.position as number | undefined;
  }
}
