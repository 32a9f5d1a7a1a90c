import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type MarkFileContent, readMarkFile } from '../dataFolder/markFile.ts';
import { newestSnapshotName } from '../state/snapshots/snapshotFolder.ts';
import type { Finding } from './finding.ts';
import type { Sighting } from './scanProtocol.ts';

/** What something beside the log says about an event of it. */
export interface KnownFact {
  /** What says so, for example `log.mark`. */
  readonly source: string;
  readonly position: number;
  /** Hash or id of the event there; undefined where only the position is known. */
  readonly name: string | undefined;
}

/** Reads what the marks, the read models and the snapshots of a data folder say. Read before the log, none is ahead of it. */
export function readKnownFacts(folder: string, markName: string, readModels: string | undefined): KnownFact[] {
  const facts: KnownFact[] = [];
  const add = (source: string, position: number | undefined, name?: string | null) => {
    if (position) facts.push({ source, position, name: name ?? undefined });
  };
  const mark = markOf<{ position: number; hash: string | null }>(join(folder, markName));
  if (mark.kind === 'mark') add(markName, mark.mark.position, mark.mark.hash);
  const verified = markOf<{ position: number }>(join(folder, 'verified.mark'));
  if (verified.kind === 'mark') add('verified.mark', verified.mark.position);
  const snapshot = newestSnapshotName(join(folder, 'snapshots'));
  if (snapshot) add(`snapshots/${snapshot.name}`, snapshot.position);
  if (readModels !== undefined) {
    const end = endOfReadModels(readModels);
    if (end) add('readmodels.sqlite', end.position, end.id);
  }
  return facts;
}

/** SQLite counts the positions that it has given. */
export function positionsGiven(location: string): KnownFact[] {
  const database = new DatabaseSync(location, { readOnly: true });
  try {
    const row = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get();
    return row ? [{ source: 'its counter of positions', position: row.seq as number, name: undefined }] : [];
  } catch {
    // The table is missing, as in a mirror.
    return [];
  } finally {
    database.close();
  }
}

/** Compares what is known with what was found. @param after the last position that was not verified */
export function compareFacts(
  facts: readonly KnownFact[],
  sightings: readonly Sighting[],
  { after, last }: { readonly after: number; readonly last: number },
): Finding[] {
  const byPlace = new Map<string, Finding>();
  for (const fact of facts.toSorted((left, right) => right.position - left.position)) {
    const finding = compareFact(fact, sightings, after, last);
    const place = finding && `${finding.kind} ${finding.position}`;
    if (place && !byPlace.has(place)) byPlace.set(place, finding);
  }
  return [...byPlace.values()];
}

function compareFact(
  { source, position, name }: KnownFact,
  sightings: readonly Sighting[],
  after: number,
  last: number,
): Finding | undefined {
  const seen = sightings.filter((sighting) => sighting.name === name).map((sighting) => sighting.position);
  if (seen.includes(position) || position <= after) return undefined;
  const expected = `position ${position}, as ${source} says`;
  const [elsewhere] = seen;
  if (elsewhere !== undefined && elsewhere < position) {
    const found = `position ${elsewhere}: ${position - elsewhere} events before it are missing`;
    return { kind: 'deleted', position: elsewhere, stream: null, expected, found };
  }
  if (elsewhere !== undefined) {
    const found = `position ${elsewhere}: ${elsewhere - position} events before it were not there`;
    return { kind: 'inserted', position: elsewhere, stream: null, expected, found };
  }
  if (position > last) {
    const wanted = `events up to position ${position}, as ${source} says`;
    return { kind: 'truncated', position: last + 1, stream: null, expected: wanted, found: `the last one at ${last}` };
  }
  if (name === undefined) return undefined;
  return {
    kind: 'rehashed',
    position,
    stream: null,
    expected: `event ${name}, as ${source} says`,
    found: 'another event',
  };
}

function markOf<Mark>(path: string): MarkFileContent<Mark> {
  return existsSync(path) ? readMarkFile<Mark>(path) : { kind: 'missing' };
}

function endOfReadModels(location: string): { position: number; id: string } | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(location, { readOnly: true });
    const row = database.prepare('SELECT position, eventId AS id FROM progress WHERE eventId IS NOT NULL').get();
    return row as { position: number; id: string } | undefined;
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}
