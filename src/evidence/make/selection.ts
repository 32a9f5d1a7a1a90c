import { actorLabels, searchTextOf, subjectOf } from '../../../projections/history.ts';
import { instant, iso } from '../../domain/core/brands.ts';
import { type KnownEvent, upcast } from '../../domain/eventTypes.ts';
import type { EventMetadata } from '../../eventLog/eventLog.ts';
import type { StoredRow } from '../../integrity/leaf/leafEntry.ts';
import type { Selection } from '../format/manifest.ts';

/** Which events a bundle is to have. The values of a list are alternatives; an absent condition is none. */
export interface EventSelection {
  /**
   * First and last moment, milliseconds since 1970. As in the history, an event counts with the latest time of all events up to
   * it.
   */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Request ids: events that were caused by the request or mention it. */
  readonly requests?: readonly string[] | undefined;
  /** Subjects of the history. */
  readonly subjects?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  /** Actors of the history. */
  readonly actors?: readonly string[] | undefined;
  /** A part of the sentence, ignoring case. */
  readonly search?: string | undefined;
  /** Adds what the state at the beginning of the period depends on: all earlier events but those of requests. */
  readonly isIncident?: boolean | undefined;
}

/** The selection as the manifest states it. */
export function describeSelection(selection: EventSelection): Selection {
  const { since, until, requests, subjects, types, actors, search, isIncident } = selection;
  const conditions = {
    since: since === undefined ? undefined : iso(instant(since)),
    until: until === undefined ? undefined : iso(instant(until)),
    requests,
    subjects,
    types,
    actors,
    search,
    incident: isIncident || undefined,
  };
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined)) as Selection;
}

/** Conditions on the columns of `events` that every selected event meets; others may meet them, too. */
export interface RowCondition {
  readonly sql: string;
  readonly values: readonly string[];
}

/** How SQLite finds what `createMatcher` may accept, so that few rows are parsed. */
export function rowCondition({ requests, subjects, types }: EventSelection): RowCondition {
  const conditions: RowCondition[] = [];
  const any = (alternatives: readonly RowCondition[]) =>
    conditions.push({
      sql: `(${alternatives.map(({ sql }) => sql).join(' OR ')})`,
      values: alternatives.flatMap(({ values }) => values),
    });
  if (types) conditions.push({ sql: `type IN (${types.map(() => '?').join()})`, values: types });
  if (requests) {
    any(
      requests.map(inJson).map((id) => ({ sql: '(instr(data, ?) > 0 OR instr(metadata, ?) > 0)', values: [id, id] })),
    );
  }
  if (subjects) any(subjects.map(subjectCondition));
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND ') || '1',
    values: conditions.flatMap(({ values }) => values),
  };
}

/** A text as it stands within a string of JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A subject is a stream, or its id stands in the data (projections/history.ts). */
function subjectCondition(subject: string): RowCondition {
  const id = subject.slice(subject.indexOf('-') + 1);
  if (subject.startsWith('accountCoolDown-'))
    return { sql: "type IN ('AccountsCooled', 'AccountRecovered')", values: [] };
  return { sql: '(stream = ? OR instr(data, ?) > 0)', values: [subject, inJson(id)] };
}

/** Decides which of the rows are selected, apart from the period. */
export function createMatcher(selection: EventSelection): (row: StoredRow) => boolean {
  const { requests, subjects, types, actors } = selection;
  const search = selection.search?.toLowerCase();
  const [anyRequest, anySubject, anyType, anyActor] = [requests, subjects, types, actors].map(
    (values) => values && new Set(values),
  );
  return (row) => {
    if (anyType && !anyType.has(row.type)) return false;
    if (anyRequest && !mentions(row, anyRequest)) return false;
    if (anyActor && !actorsOf(row).some((label) => anyActor.has(label))) return false;
    if (!anySubject && search === undefined) return true;
    const event = knownEvent(row);
    const subject = event ? subjectOf(row.stream, event) : row.stream;
    if (anySubject && !anySubject.has(subject)) return false;
    return search === undefined || (event && searchTextOf(event, subject)?.toLowerCase().includes(search)) === true;
  };
}

/** Whether an event was caused by one of the requests, or has its id as a value. */
function mentions({ data, metadata }: StoredRow, ids: ReadonlySet<string>): boolean {
  let isMentioned = false;
  const look = (_name: string, value: unknown) => {
    if (typeof value === 'string' && ids.has(value)) isMentioned = true;
    return value;
  };
  try {
    JSON.parse(data, look);
    const { correlationId } = JSON.parse(metadata) as Partial<EventMetadata>;
    return isMentioned || ids.has(correlationId ?? '');
  } catch {
    return isMentioned;
  }
}

function actorsOf({ metadata }: StoredRow): string[] {
  try {
    return actorLabels((JSON.parse(metadata) as EventMetadata).actor);
  } catch {
    return [];
  }
}

/** @returns undefined for an event that this svc does not know */
function knownEvent({ type, version, data }: StoredRow): KnownEvent | undefined {
  try {
    return { type, data: upcast(type, version, JSON.parse(data)) } as KnownEvent;
  } catch {
    return undefined;
  }
}
