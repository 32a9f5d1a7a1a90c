import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LOSSES_STREAM, LossAccepted } from '../../../domain/losses/events.ts';
import { withArchive } from '../../archive/withArchive.ts';
import { Continuity, type LogBreak } from '../../continuity.ts';
import { CONTINUED_HASH } from '../../hashChain.ts';
import type { MirroredEvent } from '../client/wireEvent.ts';

/** Kept in the mirror, because a mirror that resumes does not read the events before it again. */
export const BREAKS_TABLE = `
  CREATE TABLE IF NOT EXISTS breaks (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    reason TEXT NOT NULL
  ) STRICT;
`;

/** More are not needed to refuse a start. */
const MAX_BREAKS = 100;

/** Checks that events which are written into a mirror continue it, and keeps where they do not. */
export class MirrorBreaks {
  readonly #hashAt: StatementSync;
  readonly #eventAt: StatementSync;
  readonly #insert: StatementSync;
  readonly #archivePath: string | undefined;
  #continuity: Continuity;
  #count: number;

  /** @param archivePath of the file that knows events without rows */
  constructor(database: DatabaseSync, head: number, archivePath?: string) {
    this.#archivePath = archivePath;
    this.#hashAt = database.prepare(`SELECT ${CONTINUED_HASH} AS hash FROM events WHERE stream = ? AND revision = ?`);
    this.#eventAt = database.prepare("SELECT metadata ->> '$.hash' AS hash FROM events WHERE position = ?");
    this.#insert = database.prepare(
      'INSERT OR IGNORE INTO breaks (position, stream, revision, reason) VALUES (?, ?, ?, ?)',
    );
    this.#continuity = this.#from(head);
    this.#count = (database.prepare('SELECT count(*) AS count FROM breaks').get() as { count: number }).count;
  }

  /** Called before an event is written. @returns where the log is broken, unless it continues */
  check(position: number, { stream, revision, type, data, chain }: MirroredEvent): LogBreak | undefined {
    const found =
      this.#continuity.check({ position, stream, revision, ...chain }) ??
      (stream === LOSSES_STREAM && type === LossAccepted.type ? this.#checkAccepted(position, data) : undefined);
    if (found && this.#count < MAX_BREAKS) {
      this.#count += 1;
      this.#insert.run(found.position, found.stream, found.revision, found.reason);
    }
    return found;
  }

  /** Another node may have read a history from which events were gone, and gives other positions since. */
  #checkAccepted(position: number, data: string): LogBreak | undefined {
    const { of, found } = JSON.parse(data) as ReturnType<typeof LossAccepted>['data'];
    if (of !== 'log' || found.hash === null) return undefined;
    const hash = this.#eventAt.get(found.position)?.hash;
    if (hash === found.hash) return undefined;
    return {
      // Not covered by the acceptance itself.
      position: position + 1,
      stream: LOSSES_STREAM,
      revision: 0,
      reason: `would follow an accepted loss after which other nodes count events differently (position ${found.position})`,
    };
  }

  /** Called when a batch was not written. */
  rollBack(head: number): void {
    this.#continuity = this.#from(head);
  }

  #from(head: number): Continuity {
    const path = this.#archivePath;
    return new Continuity(
      head,
      (stream, revision) => {
        const row = this.#hashAt.get(stream, revision);
        if (row || path === undefined) return row?.hash as string | null | undefined;
        return withArchive(path, (archived) => archived.hashAt(stream, revision));
      },
      (first, last) => path !== undefined && (withArchive(path, (archived) => archived.covers(first, last)) ?? false),
    );
  }
}

/** The breaks of a mirror that no `LossAccepted` after them covers, the first one first. */
export function readBreaks(database: DatabaseSync): LogBreak[] {
  const statement = database.prepare(
    `SELECT position, stream, revision, reason FROM breaks WHERE position > (
       SELECT coalesce(max(position), 0) FROM events
       WHERE stream = ? AND type = ? AND data ->> '$.of' = 'log'
     ) ORDER BY position`,
  );
  return statement.all(LOSSES_STREAM, LossAccepted.type) as unknown as LogBreak[];
}
