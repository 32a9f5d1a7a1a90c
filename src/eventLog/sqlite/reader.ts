import { type Position, position } from '../../domain/core/brands.ts';
import { isOpenVersion, upcast } from '../../domain/eventTypes.ts';
import type { EventMetadata, RecordedEvent, StoredEvent } from '../eventLog.ts';
import { describeInvalidField, EventDamaged, findInvalidField } from '../storedJson/invalidField.ts';
import { findUnknownField, UnknownField } from '../storedJson/unknownField.ts';
import { openForReading } from './database.ts';
import {
  EVENT_COLUMNS,
  type EventColumns,
  IN_ORDER,
  prepareEventRows,
  prepareLastPosition,
  preparePage,
} from './eventRows.ts';

/** Events up to the first that this build cannot read, and why it cannot. */
export interface Page<Event = RecordedEvent> {
  readonly events: readonly Event[];
  readonly failure?: Error;
}

export interface Reader {
  /** A page of events after position `after`, up to and including `upTo`, in the shape that folds need. */
  page(after: Position, upTo: Position): Page;
  storedPage(after: Position, upTo: Position): StoredEvent[];
  streamPage(stream: string, fromRevision: number, upTo: Position): StoredEvent[];
  /** Position of the last event; 0 when there is none. */
  head(): Position;
  close(): void;
}

export type StoredRow = [...EventColumns, id: string, metadata: string];

/** Reads pages in the calling thread. No read transaction outlives a call, so the writer's checkpoints are not blocked. */
export function createReader(path: string): Reader {
  const database = openForReading(path);
  const rows = prepareEventRows(database);
  const columns = `${EVENT_COLUMNS}, id, metadata`;
  const stored = preparePage(database, columns, IN_ORDER);
  const ofStream = preparePage(database, columns, 'stream = ? AND revision >= ? AND position <= ? ORDER BY revision');
  const toStoredEvents = (rows: unknown) => (rows as StoredRow[]).map(toStoredEvent);
  return {
    page: (after, upTo) => toPage(rows(after, upTo)),
    storedPage: (after, upTo) => toStoredEvents(stored.all(after, upTo)),
    streamPage: (stream, fromRevision, upTo) => toStoredEvents(ofStream.all(stream, fromRevision, upTo)),
    head: prepareLastPosition(database),
    close: () => database.close(),
  };
}

function toPage(rows: readonly EventColumns[]): Page {
  const events: RecordedEvent[] = [];
  try {
    for (const row of rows) events.push(toRecordedEvent(row));
    return { events };
  } catch (error) {
    return { events, failure: error as Error };
  }
}

/** @throws EventDamaged; UnknownEventType or UnknownField when this build does not know all of the event */
export function toRecordedEvent([at, stream, revision, type, version, time, json]: EventColumns): RecordedEvent {
  const data = upcastStored(at, stream, type, version, parse(json, 'is not JSON', at, stream, type));
  const unknown = isOpenVersion(type, version) ? undefined : findUnknownField(type, data);
  if (unknown !== undefined) throw new UnknownField(at, type, version, unknown);
  const invalid = findInvalidField(type, data);
  if (invalid) throw new EventDamaged(at, stream, type, describeInvalidField(invalid));
  return { type, data, position: position(at), time, stream, revision } as RecordedEvent;
}

function upcastStored(at: number, stream: string, type: string, version: number, data: unknown): unknown {
  try {
    return upcast(type, version, data);
  } catch (error) {
    // Upcasters rely on the fields of their version.
    if (!(error instanceof TypeError)) throw error;
    throw new EventDamaged(at, stream, type, `does not have the fields of its schema version ${version}`);
  }
}

/** @throws EventDamaged */
export function toStoredEvent([at, stream, revision, type, version, time, json, id, metadata]: StoredRow): StoredEvent {
  const parsed = parse(metadata, 'has metadata that is not JSON', at, stream, type) as EventMetadata;
  return {
    position: position(at),
    stream,
    revision,
    id,
    type,
    time: time as StoredEvent['time'],
    data: parse(json, 'is not JSON', at, stream, type),
    // Folds use the column, so verification must too: a changed column then breaks the hash like any other change.
    metadata: { ...parsed, schemaVersion: version },
  };
}

/** @throws EventDamaged */
function parse(json: string, problem: string, at: number, stream: string, type: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new EventDamaged(at, stream, type, problem);
  }
}
