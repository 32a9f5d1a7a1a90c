import type { DatabaseSync } from 'node:sqlite';
import { MarkFile } from '../../dataFolder/markFile.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { type LogEnd, readLogEnd } from './logEnd.ts';

/** Which mark a writer keeps. */
export interface MarkSettings {
  readonly path: string;
  /** Whether events are deleted from the file once they are elsewhere. */
  readonly isPruned: boolean;
}

/** Called when the mark cannot be written, and with undefined when it can be again. */
export type OnMarkFailure = (message: string | undefined) => void;

/** The last event of an append that was committed. */
export interface WrittenEnd extends LogEnd {
  readonly stream: string;
  readonly revision: number;
}

/** How far a file reaches whose events are deleted once they are elsewhere. */
export interface PrunedLogMark extends LogEnd {
  /** The last revision of each stream that may have events only here; a stream whose events are elsewhere is absent. */
  readonly streams: Readonly<Record<string, number>>;
}

/** Keeps the mark of the file that this thread writes. */
export interface MarkKeeper {
  onCommitted(written: readonly WrittenEnd[]): void;
  /** Called after events were deleted. */
  onDeleted(): void;
  close(): void;
}

/** Starts to keep the mark of a log. Nothing but the end of the log is ever noted, after its commit was synced. */
export function keepLogMark(
  database: DatabaseSync,
  { path, isPruned }: MarkSettings,
  onFailure: OnMarkFailure,
): MarkKeeper {
  const options = { onFailure: ({ message }: Error) => onFailure(message), onRecovered: () => onFailure(undefined) };
  return isPruned ? keepPruned(database, path, options) : keepWhole(database, path, options);
}

type Options = ConstructorParameters<typeof MarkFile>[1];

function keepWhole(database: DatabaseSync, path: string, options: Options): MarkKeeper {
  const file = new MarkFile<LogEnd>(path, options);
  file.noteNow(readLogEnd(database));
  return {
    onCommitted(written) {
      const { position, hash, time } = written.at(-1) as WrittenEnd;
      file.note({ position, hash, time });
    },
    onDeleted: () => undefined,
    close: () => file.close(),
  };
}

function keepPruned(database: DatabaseSync, path: string, options: Options): MarkKeeper {
  const file = new MarkFile<PrunedLogMark>(path, options);
  const streams = new Map<string, number>();
  for (const { stream, revision } of readStreamEnds(database)) streams.set(stream, revision);
  const hasEvents = database.prepare('SELECT 1 FROM events WHERE stream = ? LIMIT 1');
  const last = readLastGiven(database);
  const inFile = readLogEnd(database);
  let end: LogEnd = inFile.position === last ? inFile : { position: last, hash: null, time: null };
  const mark = (): PrunedLogMark => ({ ...end, streams: Object.fromEntries([...streams].slice(-MAX_STREAMS)) });
  file.noteNow(mark());
  return {
    onCommitted(written) {
      for (const { stream, revision } of written) {
        streams.delete(stream);
        streams.set(stream, revision);
      }
      const { position, hash, time } = written.at(-1) as WrittenEnd;
      end = { position, hash, time };
      file.note(mark());
    },
    onDeleted() {
      for (const stream of streams.keys()) if (!hasEvents.get(stream)) streams.delete(stream);
      file.note(mark());
    },
    close: () => file.close(),
  };
}

/** The last revision in a file of each stream, the stream that was written last at the end. */
export const readStreamEnds = (database: DatabaseSync): { readonly stream: string; readonly revision: number }[] =>
  database
    .prepare('SELECT stream, max(revision) AS revision FROM events GROUP BY stream ORDER BY max(position)')
    .all() as { stream: string; revision: number }[];

/** So many fit into the file. Whatever loses events of an older stream loses those of the newest ones too. */
const MAX_STREAMS = 100;

/** The last position that was given to an event, also when that event has been deleted. */
function readLastGiven(database: DatabaseSync): Position {
  const row = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get() as
    | { seq: Position }
    | undefined;
  return row?.seq ?? (0 as Position);
}

/** The end of an append, for `onCommitted`. */
export const writtenEnd = (
  { stream, time, hash }: { readonly stream: string; readonly time: number; readonly hash: string },
  revision: number,
  position: Position,
): WrittenEnd => ({ stream, revision, position, hash, time: time as Instant });
