import { closeSync, openSync, readSync } from 'node:fs';
import type { ArchivedEntry } from '../eventLog/archive/archivedEvents.ts';
import { FollowedArchive } from '../eventLog/archive/followedArchive.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { EVENT_COLUMNS, type EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import { parseJson } from '../eventLog/storedChain.ts';
import { ArchivedHashes, type ArchivedLeaf, readArchived } from './archivedEntry.ts';
import type { ScanRange, ScanSource } from './scanProtocol.ts';
import { openStoredBytes } from './storedBytes.ts';

export interface RangeReader {
  /** The events of a range, in the order in which the source has them. */
  events(range: ScanRange): Iterable<EventTuple>;
  /** The events of a range, with the remaining parts of those that are archived and have no row. */
  withArchived(range: ScanRange): Iterable<EventTuple | ArchivedLeaf>;
  /** The hash that the next event of a stream names, where an archived event is the last one of its stream. */
  hashOfArchived(leaf: ArchivedLeaf): string | undefined;
  /** Whether the source has exactly the bytes of an event's data and metadata in UTF-8; what an export has is proved by its own digest. */
  hasBytesOf(event: EventTuple): boolean;
  /** The beginnings of lines that should be events and are not, since the last call. */
  takeMalformed(): string[];
  close(): void;
}

export const openRangeReader = (source: ScanSource): RangeReader =>
  source.kind === 'sqlite' ? openSqlite(source.location, source.archive) : openExportRanges(source.path);

const ROWS_PER_READ = 256;

function openSqlite(location: string, archivePath: string | undefined): RangeReader {
  const archive = archivePath === undefined ? undefined : new FollowedArchive(archivePath);
  const hashes = archive && new ArchivedHashes(archive);
  const database = openForReading(location);
  const page = database.prepare(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${ROWS_PER_READ}`,
  );
  page.setReturnArrays(true);
  function* events({ from, to }: ScanRange): Generator<EventTuple> {
    for (let after = from; after < to; ) {
      const rows = page.all(after, to) as unknown as EventTuple[];
      // Not by `yield*`, which makes an object for each event.
      for (const row of rows) yield row;
      if (rows.length < ROWS_PER_READ) return;
      after = (rows.at(-1) as EventTuple)[0];
    }
  }
  /** Rows that a run removes or puts back meanwhile are read once: with a page of rows, the entries of the positions between them. */
  function* followed({ from, to }: ScanRange, followedArchive: FollowedArchive) {
    for (let after = from; after < to; ) {
      const { rows, upTo, entries } = followedArchive.read((archived) => {
        const rows = page.all(after, to) as unknown as EventTuple[];
        const upTo = rows.length < ROWS_PER_READ ? to : (rows.at(-1) as EventTuple)[0];
        return { rows, upTo, entries: archived ? [...archived.entries(after, upTo)] : [] };
      });
      for (const event of entries.length === 0 ? rows : merged(rows, entries)) yield event;
      after = upTo;
    }
  }
  return {
    events,
    withArchived: (range) => (archive ? followed(range, archive) : events(range)),
    hashOfArchived: (leaf) => hashes?.hashOf(leaf),
    hasBytesOf: openStoredBytes(database),
    takeMalformed: () => [],
    close() {
      database.close();
      archive?.close();
    },
  };
}

/** In the order of positions. Rows that are still there although they are archived are read as rows. */
function* merged(rows: Iterable<EventTuple>, archived: Iterable<ArchivedEntry>): Generator<EventTuple | ArchivedLeaf> {
  const rest = archived[Symbol.iterator]();
  let next = rest.next();
  for (const row of rows) {
    for (; next.done !== true && next.value.position <= row[0]; next = rest.next()) {
      if (next.value.position < row[0]) yield readArchived(next.value);
    }
    yield row;
  }
  for (; next.done !== true; next = rest.next()) yield readArchived(next.value);
}

const LINE_FEED = 10;
/** With this, the lines of an export begin that have events. */
export const EVENT_LINE = '{"event":';
const SHOWN_CHARACTERS = 80;

/** Reads the lines that begin within a range of bytes. */
function openExportRanges(path: string): RangeReader {
  const file = openSync(path, 'r');
  const malformed: string[] = [];
  function* events({ from, to }: ScanRange): Generator<EventTuple> {
    const bytes = Buffer.allocUnsafe(to - from);
    for (let filled = 0; filled < bytes.length; ) {
      const read = readSync(file, bytes, filled, bytes.length - filled, from + filled);
      if (read === 0) throw new Error(`${path} became shorter while it was read.`);
      filled += read;
    }
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, start);
      const line = bytes.toString('utf8', start, end < 0 ? bytes.length : end);
      const event = eventOf(line);
      if (event) yield event;
      else if (line.startsWith(EVENT_LINE)) malformed.push(line.slice(0, SHOWN_CHARACTERS));
      start = end < 0 ? bytes.length : end + 1;
    }
  }
  return {
    events,
    withArchived: events,
    hashOfArchived: () => undefined,
    hasBytesOf: () => true,
    takeMalformed: () => malformed.splice(0),
    close: () => closeSync(file),
  };
}

type ExportedEvent = Readonly<Record<string, unknown>>;

/** @returns undefined for a line that is no event */
function eventOf(line: string): EventTuple | undefined {
  const value = parseJson(line) as { readonly event?: ExportedEvent } | undefined;
  const event = value?.event;
  if (!event) return undefined;
  const { position, stream, revision, id, type, time, data, metadata } = event;
  const isEvent =
    [position, revision, time].every(Number.isSafeInteger) &&
    [stream, id, type].every((text) => typeof text === 'string');
  if (!isEvent || data === undefined || typeof metadata !== 'object' || metadata === null) return undefined;
  const version = (metadata as { readonly schemaVersion?: number }).schemaVersion ?? 0;
  const json = JSON.stringify(data);
  // No hash is that of a text with a space behind it: the check then compares what the text means.
  const spelled = JSON.stringify(value) === line ? json : `${json} `;
  return [position, stream, revision, id, type, version, time, spelled, JSON.stringify(metadata)] as EventTuple;
}
