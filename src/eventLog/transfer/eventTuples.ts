import type { Position } from '../../domain/core/brands.ts';
import type { StoredEvent } from '../eventLog.ts';
import type { EventTuple } from '../sqlite/eventTuple.ts';
import { toStoredEvent } from '../sqlite/reader.ts';

/** The event that a tuple stands for. @throws EventDamaged when its data or metadata is not JSON */
export function eventOfTuple([at, stream, revision, id, type, version, time, data, metadata]: EventTuple): StoredEvent {
  return toStoredEvent([at, stream, revision, type, version, time, data, id, metadata]);
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
const NUMBER = '(0|[1-9]\\d*)';
const BEGIN = new RegExp(
  `^\\{"event":\\{"position":${NUMBER},"stream":${NAME},"revision":${NUMBER},"id":${NAME},"type":${NAME},"time":${NUMBER},"data":`,
);
const METADATA = ',"metadata":{"schemaVersion":';
const VERSION = /\d+(?=,)/y;

/**
 * Splits the line of an event in an export as svc writes it, without parsing it.
 * @returns undefined for another line. Only `tupleOfLine` makes sure that the texts are all that the line says
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
 * `splitLine` of a line whose data and metadata are JSON. Its data may still be spelled in another way, which the hash of the event
 * tells: writing data again takes as long as parsing it.
 * @returns undefined for a line that has to be parsed as a whole
 */
export function tupleOfLine(line: string): EventTuple | undefined {
  const split = splitLine(line);
  return split && isJson(split) ? split : undefined;
}

/** A field of the line that stands twice, or that svc does not write, would be a part of the text of the data. */
function isJson([, , , , , , , data, metadata]: EventTuple): boolean {
  try {
    JSON.parse(data);
    return JSON.stringify(JSON.parse(metadata)) === metadata;
  } catch {
    return false;
  }
}

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
