import { type Position, position } from '../../domain/brands.ts';
import { upcast } from '../../domain/eventTypes.ts';
import type { EventMetadata, RecordedEvent, StoredEvent } from '../eventLog.ts';
import { openForReading } from './database.ts';

/** What stands in a row is not what the log once wrote. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
  readonly code = 'LOG_DAMAGED';
}

/** Events up to the first that this build cannot give out, and why. */
export interface Page<Event = RecordedEvent> {
  readonly events: readonly Event[];
  readonly failure?: Error;
}

export interface Reader<Event = RecordedEvent> {
  /** Events behind `after`, up to and with `upTo`, in the shape a fold takes. */
  page(after: Position, upTo: Position): Page<Event>;
  storedPage(after: Position, upTo: Position): StoredEvent[];
  streamPage(stream: string, fromRevision: number, upTo: Position): StoredEvent[];
  /** Position of the last event; 0 when there is none. */
  head(): Position;
  close(): void;
}

/** Long enough that the statement costs nothing, short enough that the event loop waits about 3 ms for a page. */
const PAGE_SIZE = 512;

type Row = [
  position: number,
  stream: string,
  revision: number,
  type: string,
  version: number,
  time: number,
  data: string,
];
type StoredRow = [...Row, id: string, metadata: string];

/** Data of an event from its JSON, where not all of it is needed; undefined where it must be parsed. */
export type ReadQuickly = (type: string, version: number, json: string) => unknown;

/**
 * Reads pages on the calling thread; no read transaction outlives a call, so the writer's checkpoints are not held up.
 * @param quickly gives what `Event` needs of data; all of it is parsed without
 */
export function createReader<Event = RecordedEvent>(
  path: string,
  quickly: ReadQuickly = () => undefined,
): Reader<Event> {
  const database = openForReading(path);
  const select = (columns: string, where: string) => {
    const statement = database.prepare(`SELECT ${columns} FROM events WHERE ${where} LIMIT ${PAGE_SIZE}`);
    statement.setReturnArrays(true);
    return statement;
  };
  const columns = 'position, stream, revision, type, version, time, data';
  const inOrder = 'position > ? AND position <= ? ORDER BY position';
  const events = select(columns, inOrder);
  const stored = select(`${columns}, id, metadata`, inOrder);
  const ofStream = select(
    `${columns}, id, metadata`,
    'stream = ? AND revision >= ? AND position <= ? ORDER BY revision',
  );
  const last = database.prepare('SELECT MAX(position) AS head FROM events');
  const storedEvents = (rows: unknown) => (rows as StoredRow[]).map(storedEvent);
  return {
    page: (after, upTo) => recordedEvents(events.all(after, upTo) as unknown as Row[], quickly),
    storedPage: (after, upTo) => storedEvents(stored.all(after, upTo)),
    streamPage: (stream, fromRevision, upTo) => storedEvents(ofStream.all(stream, fromRevision, upTo)),
    head: () => position((last.get()?.head as number | null) ?? 0),
    close: () => database.close(),
  };
}

function recordedEvents<Event>(rows: readonly Row[], quickly: ReadQuickly): Page<Event> {
  const events: Event[] = [];
  try {
    for (const row of rows) events.push(recordedEvent(row, quickly) as Event);
    return { events };
  } catch (error) {
    return { events, failure: error as Error };
  }
}

function recordedEvent([at, stream, revision, type, version, time, json]: Row, quickly: ReadQuickly): unknown {
  const data = quickly(type, version, json) ?? upcast(type, version, parse(json, at));
  return { type, data, position: position(at), time, stream, revision };
}

function storedEvent([at, stream, revision, type, version, time, json, id, metadata]: StoredRow): StoredEvent {
  const parsed = parse(metadata, at) as EventMetadata;
  return {
    position: position(at),
    stream,
    revision,
    id,
    type,
    time: time as StoredEvent['time'],
    data: parse(json, at),
    // The column is what folds go by: given out here, a change of it breaks the hash like any other.
    metadata: { ...parsed, schemaVersion: version },
  };
}

function parse(json: string, at: number): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new LogDamaged(`The log is damaged at position ${at}: ${(error as Error).message}`, { cause: error });
  }
}
