import type { DatabaseSync } from 'node:sqlite';
import { damageIn } from '../../dataFolder/openDatabase.ts';
import type { Position } from '../../domain/core/brands.ts';
import { EventParked } from '../../domain/outbox/events.ts';
import { ID_TAKEN } from '../eventLog.ts';
import { chainEvent, type SerialisedEvent } from '../hashChain.ts';
import type { WrittenAppend } from './batchText.ts';
import { isIoError } from './database.ts';
import { type EventRow, prepareInsertEvents } from './insertEvents.ts';
import { type WrittenEnd, writtenEnd } from './logMark.ts';
import { createStreamHeads } from './streamHeads.ts';

export type WriterOutcome =
  | {
      readonly kind: 'committed';
      readonly revision: number;
      readonly position: Position;
      /** The events had been written before. */
      readonly isRepeat: boolean;
    }
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  | { readonly kind: 'rejected'; readonly reason: string; readonly isLogFine?: true; readonly remedy?: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Primary result codes of SQLite that decide an outcome (sqlite.org/rescode.html). */
const Code = { readOnly: 8, corrupt: 11, full: 13, tooBig: 18, constraint: 19, notADatabase: 26 } as const;
const DAMAGED = 'It is damaged: stop svc and restore the data folder from a backup.';
/** What an operator can do about errors after which a repeat fails as well. */
const PERMANENT: ReadonlyMap<number, string> = new Map([
  [Code.readOnly, 'Let the user that runs svc write to it; svc accepts requests again by itself.'],
  [Code.corrupt, DAMAGED],
  [Code.full, 'Make room on its disk; svc accepts requests again by itself.'],
  [Code.notADatabase, DAMAGED],
]);
/** Codes that may concern only one append of a batch: its id is in use, or it is too large for the free disk space. */
const RETRY_ONE_BY_ONE: ReadonlySet<number> = new Set([Code.full, Code.constraint]);

const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

/**
 * Creates a function that writes a batch in one synced transaction. An append that cannot be written does not affect the
 * others of its batch, and the file stays usable after a failed batch. After an I/O error it does not: the function throws.
 * @param onCommitted called after each synced transaction with the end of each append that it wrote
 * @param archivePath the file that knows the ends of streams without rows
 */
export function createBatchWriter(
  database: DatabaseSync,
  onCommitted: (written: readonly WrittenEnd[]) => void = () => undefined,
  archivePath?: string,
): (appends: readonly WrittenAppend[]) => WriterOutcome[] {
  const heads = createStreamHeads(database, archivePath);
  const insert = prepareInsertEvents(database);
  const selectIds = database.prepare(
    'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
  );
  const [begin, commit, rollback] = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'].map((sql) => database.prepare(sql)) as [
    Sql,
    Sql,
    Sql,
  ];

  let written: WrittenEnd[] = [];

  function write(appends: readonly WrittenAppend[]): WriterOutcome[] {
    written = [];
    try {
      begin.run();
      const outcomes = appends.map(writeAppend);
      commit.run();
      if (written.length > 0) onCommitted(written);
      return outcomes;
    } catch (error) {
      heads.clear();
      if (database.isTransaction) rollback.run();
      if (isIoError(error)) throw error;
      if (RETRY_ONE_BY_ONE.has(codeOf(error)) && appends.length > 1)
        return appends.flatMap((append) => write([append]));
      const failed = toFailureOutcome(error as Error);
      return appends.map(() => failed);
    }
  }

  function writeAppend(append: WrittenAppend): WriterOutcome {
    const head = heads.get(append.stream);
    if (head.revision !== append.expected)
      return findOriginalOutcome(append) ?? { kind: 'conflict', actualRevision: head.revision };
    const position = insertAll(append);
    return { kind: 'committed', revision: append.expected + append.events.length, position, isRepeat: false };
  }

  function insertAll({ stream, expected, events }: WrittenAppend): Position {
    let { hash } = heads.get(stream);
    let revision = expected;
    const rows: EventRow[] = [];
    for (const event of events) {
      revision += 1;
      const link = chainEvent(event, stream, revision, hash);
      rows.push([stream, revision, event.id, event.type, event.version, event.time, event.data, link.metadata]);
      hash = event.type === EventParked.type ? JSON.parse(event.data).hash : link.hash;
    }
    heads.set(stream, { revision, hash });
    const position = insert(rows) as Position;
    written.push(writtenEnd({ stream, hash, time: (events.at(-1) as SerialisedEvent).time }, revision, position));
    return position;
  }

  /** The original outcome of a repeated append; undefined when the stream has other events at these revisions. */
  function findOriginalOutcome({ stream, expected, events }: WrittenAppend): WriterOutcome | undefined {
    const written = selectIds.all(stream, expected, events.length) as { id: string; position: Position }[];
    const last = written.at(-1);
    if (!last || !events.every((event, index) => event.id === written[index]?.id)) return undefined;
    return { kind: 'committed', revision: expected + events.length, position: last.position, isRepeat: true };
  }

  return write;
}

type Sql = ReturnType<DatabaseSync['prepare']>;

// A repeat is always safe, whether or not the transaction was rolled back, because event ids are unique. But an append that
// cannot succeed must not be repeated (docs/decisions/0004-append-outcomes.md).
function toFailureOutcome(error: Error): WriterOutcome {
  const code = codeOf(error);
  if (code === Code.constraint) return { kind: 'rejected', reason: ID_TAKEN, isLogFine: true };
  if (code === Code.tooBig)
    return { kind: 'rejected', reason: 'an event is larger than SQLite stores', isLogFine: true };
  const damage = damageIn(error);
  const remedy = damage?.remedy ?? PERMANENT.get(code);
  if (remedy === undefined) return { kind: 'unknown', message: error.message };
  const problem = damage?.cause.replace(/\.$/, '') ?? error.message;
  return { kind: 'rejected', reason: `the log cannot be written: ${problem}`, remedy };
}
