import { type Instant, type Position, position } from '../../domain/core/brands.ts';
import type { EventMetadata, StoredEvent } from '../eventLog.ts';
import type { EventTuple } from '../sqlite/eventTuple.ts';

/** The event that a tuple stands for. @throws SyntaxError when its data or metadata is not JSON */
export function eventOfTuple([at, stream, revision, id, type, version, time, data, metadata]: EventTuple): StoredEvent {
  return {
    position: position(at),
    stream,
    revision,
    id,
    type,
    time: time as Instant,
    data: JSON.parse(data),
    // Folds use the column, so verification must too: a changed column then breaks the hash like any other change.
    metadata: { ...(JSON.parse(metadata) as EventMetadata), schemaVersion: version },
  };
}

/** An event with its data and metadata as svc writes JSON. */
export const tupleOfEvent = (event: StoredEvent): EventTuple => [
  event.position,
  event.stream,
  event.revision,
  event.id,
  event.type,
  event.metadata.schemaVersion,
  event.time,
  JSON.stringify(event.data),
  JSON.stringify(event.metadata),
];

const NAME = '"([\\w.:@-]*)"';
const BEGIN = new RegExp(
  `^\\{"event":\\{"position":(\\d+),"stream":${NAME},"revision":(\\d+),"id":${NAME},"type":${NAME},"time":(\\d+),"data":`,
);
const METADATA = ',"metadata":{"schemaVersion":';
const VERSION = /\d+(?=,)/y;

/**
 * Splits the line of an event in an export as svc writes it, without parsing it.
 * @returns undefined for another line. Whether it is JSON, and data and metadata are divided as in the event, only parsing it tells
 */
export function splitLine(line: string): EventTuple | undefined {
  const begin = BEGIN.exec(line);
  const end = line.lastIndexOf(METADATA);
  VERSION.lastIndex = end + METADATA.length;
  const version = end < 0 ? null : VERSION.exec(line);
  if (!begin || !version || !line.endsWith('"}}}')) return undefined;
  const [{ length }, at, stream = '', revision, id = '', type = '', time] = begin;
  const metadata = line.slice(end + METADATA.indexOf('{'), -2);
  const data = line.slice(length, end);
  return [Number(at), stream, Number(revision), id, type, Number(version[0]), Number(time), data, metadata];
}

/**
 * `splitLine` of a line that was parsed. Its data may still be spelled in another way, which the hash of the event tells: writing data
 * again takes as long as parsing it.
 * @returns undefined for a line that is not split into what it means
 */
export function tupleOfLine(line: string, event: StoredEvent): EventTuple | undefined {
  const split = splitLine(line);
  return split && isOf(split, event) ? split : undefined;
}

const isOf = ([at, stream, revision, id, type, version, time, , metadata]: EventTuple, event: StoredEvent): boolean =>
  at === event.position &&
  stream === event.stream &&
  revision === event.revision &&
  id === event.id &&
  type === event.type &&
  time === event.time &&
  version === event.metadata.schemaVersion &&
  metadata === JSON.stringify(event.metadata);

const MAX_EVENTS_OF_PAGE = 512;

/** Events in pages, for a store that reads them one by one. */
export async function* tuplePages(events: AsyncIterable<StoredEvent>): AsyncGenerator<readonly EventTuple[]> {
  let page: EventTuple[] = [];
  for await (const event of events) {
    page.push(tupleOfEvent(event));
    if (page.length < MAX_EVENTS_OF_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** The tuples up to and including a position. */
export function* tuplesUpTo(events: Iterable<EventTuple>, end: Position): Generator<EventTuple> {
  for (const event of events) {
    if (event[0] > end) return;
    yield event;
  }
}
