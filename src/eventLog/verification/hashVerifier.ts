import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Instant, Position } from '../../domain/core/brands.ts';
import type { ArchivedEvents } from '../archive/archivedEvents.ts';
import { Continuity, type LogBreak } from '../continuity.ts';
import type { EventMetadata } from '../eventLog.ts';
import { CONTINUED_HASH, hashOf, hashOfStored } from '../hashChain.ts';
import { readAcceptedUpTo } from '../sqlite/acceptedLosses.ts';
import { EVENT_COLUMNS, type EventTuple } from '../sqlite/eventTuple.ts';
import { chainOf, continuedHashOf, parseJson } from '../storedChain.ts';

/** An event that is not the one that was written, or does not continue the log before it. */
export interface FoundBreak extends LogBreak {
  /** Whether its own content is not what its hash says. */
  readonly isAltered: boolean;
}

/** Called with an event whose content is what its hash says; `data` is JSON. */
export type OnIntact = (event: {
  position: number;
  type: string;
  version: number;
  data: string;
  metadata: string;
}) => void;

/** Events per step: some milliseconds of work. */
const STEP_EVENTS = 200;

/** Verifies a log's file from a position on: the hash of each event, and that each continues those before it. */
export class HashVerifier {
  readonly #page: StatementSync;
  readonly #continuity: Continuity;
  readonly #acceptedUpTo: number;
  readonly #onIntact: OnIntact | undefined;
  #position: number;

  /**
   * @param onIntact called for each event that is not altered
   * @param archived knows events without rows
   */
  constructor(
    database: DatabaseSync,
    after: number,
    onIntact?: OnIntact,
    archived?: Pick<ArchivedEvents, 'hashAt' | 'covers'>,
  ) {
    this.#position = after;
    this.#onIntact = onIntact;
    this.#page = database.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events
       WHERE position > ? ORDER BY position LIMIT ${STEP_EVENTS}`,
    );
    this.#page.setReturnArrays(true);
    const hashAt = database.prepare(`SELECT ${CONTINUED_HASH} AS hash FROM events WHERE stream = ? AND revision = ?`);
    this.#continuity = new Continuity(
      after,
      (stream, revision) => {
        const row = hashAt.get(stream, revision) as { hash: string | null } | undefined;
        return row ? row.hash : archived?.hashAt(stream, revision);
      },
      archived && ((first, last) => archived.covers(first, last)),
    );
    this.#acceptedUpTo = readAcceptedUpTo(database);
  }

  /** The last event that was verified. */
  get position(): number {
    return this.#position;
  }

  /** Verifies some events. @returns the breaks among them; undefined when there was no further event */
  step(): FoundBreak[] | undefined {
    const rows = this.#page.all(this.#position) as unknown as EventTuple[];
    if (rows.length === 0) return undefined;
    const found = rows.map((row) => this.#verify(row)).filter((each) => each !== undefined);
    this.#position = (rows.at(-1) as EventTuple)[0];
    return found;
  }

  #verify(row: EventTuple): FoundBreak | undefined {
    const [position, stream, revision, , type, version, , data, metadata] = row;
    const chain = chainOf(metadata);
    const hash = continuedHashOf(type, data, chain);
    const broken = this.#continuity.check({ position, stream, revision, previousHash: chain.previousHash, hash });
    // An event that svc did not write has no hash.
    if (chain.hash !== undefined && !isIntact(row, chain.hash)) {
      return { position, stream, revision, reason: 'is not what its hash says: it was altered', isAltered: true };
    }
    this.#onIntact?.({ position, type, version, data, metadata });
    if (!broken || position <= this.#acceptedUpTo) return undefined;
    return { ...broken, isAltered: false };
  }
}

/** Whether the content of an event is what its hash says. */
export function isIntact(
  [position, stream, revision, id, type, version, time, data, metadata]: EventTuple,
  hash: string,
): boolean {
  const event = { stream, revision, id, type, time, data };
  if (metadata.startsWith(`{"schemaVersion":${version},`) && hashOfStored(event, metadata) === hash) return true;
  // The text may be spelled in another way than it was hashed.
  const [parsedData, parsed] = [parseJson(data), parseJson(metadata) as EventMetadata | undefined];
  if (parsedData === undefined || !parsed) return false;
  const whole = { ...event, position: position as Position, time: time as Instant, data: parsedData };
  return hashOf({ ...whole, metadata: { ...parsed, schemaVersion: version } }) === hash;
}
