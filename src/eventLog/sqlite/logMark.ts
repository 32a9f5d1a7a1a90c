import type { DatabaseSync } from 'node:sqlite';
import { MarkFile } from '../../dataFolder/markFile.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { type LogEnd, readLogEnd } from './logEnd.ts';
import type { PruneRange } from './prune.ts';

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
  /** All events up to this position are elsewhere, unless their stream is in `streams`. */
  readonly confirmed: number;
  /** The last revision of each stream that has events only here, as far as the writer knows. */
  readonly streams: Readonly<Record<string, number>>;
}

/** Keeps the mark of the file that this thread writes. */
export interface MarkKeeper {
  onCommitted(written: readonly WrittenEnd[]): void;
  onPruned(range: PruneRange): void;
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
    onPruned: () => undefined,
    close: () => file.close(),
  };
}

function keepPruned(database: DatabaseSync, path: string, options: Options): MarkKeeper {
  const file = new MarkFile<PrunedLogMark>(path, options);
  const streams = new Map<string, { readonly revision: number; readonly position: number }>();
  const rows = database.prepare(
    'SELECT stream, max(revision) AS revision, max(position) AS position FROM events GROUP BY stream ORDER BY position',
  );
  for (const { stream, revision, position } of rows.all() as unknown as (StreamEnd & { stream: string })[]) {
    streams.set(stream, { revision, position });
  }
  const last = readLastGiven(database);
  const inFile = readLogEnd(database);
  let end: LogEnd = inFile.position === last ? inFile : { position: last, hash: null, time: null };
  let confirmed = 0;
  const mark = (): PrunedLogMark => ({
    ...end,
    confirmed,
    streams: Object.fromEntries([...streams].slice(-MAX_STREAMS).map(([stream, { revision }]) => [stream, revision])),
  });
  file.noteNow(mark());
  return {
    onCommitted(written) {
      for (const { stream, revision, position } of written) {
        streams.delete(stream);
        streams.set(stream, { revision, position });
      }
      const { position, hash, time } = written.at(-1) as WrittenEnd;
      end = { position, hash, time };
      file.note(mark());
    },
    onPruned({ upTo, kept }) {
      confirmed = upTo;
      for (const [stream, { position }] of streams) {
        if (position <= upTo && !kept.includes(position as Position)) streams.delete(stream);
      }
      file.note(mark());
    },
    close: () => file.close(),
  };
}

/** So many fit into the file. Whatever loses events of an older stream loses those of the newest ones too. */
const MAX_STREAMS = 100;

interface StreamEnd {
  readonly revision: number;
  readonly position: number;
}

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
