import type { DatabaseSync } from 'node:sqlite';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { CONTINUED_HASH } from '../eventLog/hashChain.ts';
import { readAcceptedUpTo } from '../eventLog/sqlite/acceptedLosses.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import type { Finding } from './finding.ts';
import { LogJoiner } from './logJoiner.ts';
import { startScanPool } from './scanPool.ts';
import type { AcceptedLoss, Occurrence, ScannedPart, ScanRange, ScanSource, Sighting } from './scanProtocol.ts';

/** Called after each part with the number of events so far, and how many there are if that is known. */
export type OnProgress = (events: number, of: number | undefined) => void;

export interface ScanOptions {
  readonly source: ScanSource;
  /** The ranges to scan, in order. */
  readonly ranges: () => AsyncIterable<ScanRange> | Iterable<ScanRange>;
  /** Position of the last event that is not verified. */
  readonly after: number;
  /** Hashes and ids of events whose positions are asked for. */
  readonly wanted: readonly string[];
  readonly total?: number | undefined;
  readonly onProgress: OnProgress;
  /** Called with each part in order. */
  readonly onPart?: (part: ScannedPart) => void;
  readonly signal?: AbortSignal | undefined;
  readonly threads?: number | undefined;
}

export interface Scan {
  readonly events: number;
  /** Position of the last event. */
  readonly last: number;
  readonly findings: readonly Finding[];
  readonly sightings: readonly Sighting[];
  /** Losses that an operator has accepted, in order. */
  readonly losses: readonly AcceptedLoss[];
  /** Up to this position missing events are an accepted loss. */
  readonly acceptedTo: number;
  /** What would be found up to there if it were not. */
  readonly accepted: readonly Finding[];
}

/** The first ones say enough of a log from which much was lost. */
const MAX_ACCEPTED = 20;

/** Losses as notes, one sentence each, with what is not found because of them: an accepted loss hides nothing. */
export function describeLosses({ losses, accepted }: Scan): string[] {
  const named = accepted.slice(0, MAX_ACCEPTED).map(({ kind, position, stream, expected, found }) => {
    const place = `position ${position}${stream === null ? '' : ` in ${stream}`}`;
    return `Accepted with it: ${kind} at ${place}: expected ${expected}, found ${found}.`;
  });
  const rest = accepted.length - named.length;
  return [
    ...losses.map(({ position, description }) => `Accepted at position ${position}: ${description}.`),
    ...named,
    ...(rest > 0 ? [`Accepted with it: ${rest} more.`] : []),
  ];
}

/** Reads a source once, on all cores, and checks each event and how they follow each other. */
export async function scanSource(options: ScanOptions): Promise<Scan> {
  const { source, ranges, after, wanted, total, onProgress, onPart, signal } = options;
  const lookup = source.kind === 'sqlite' && after > 0 ? openLookup(source.location, source.archive) : undefined;
  const joiner = new LogJoiner({ after, headBefore: lookup?.headBefore ?? (() => undefined) });
  const pool = startScanPool(source, wanted, options.threads);
  const sightings: Sighting[] = [];
  const scanned: ScanRange[] = [];
  async function* noted() {
    for await (const range of ranges()) {
      signal?.throwIfAborted();
      scanned.push(range);
      yield range;
    }
  }
  try {
    for await (const part of pool.scan(noted())) {
      signal?.throwIfAborted();
      joiner.add(part);
      sightings.push(...part.sightings);
      onPart?.(part);
      onProgress(joiner.events, total);
    }
    const keys = joiner.repeated();
    const repeated = keys.length > 0 ? await findRepeated(pool.locate(scanned, keys)) : [];
    const accepted = Math.max(
      lookup?.acceptedUpTo ?? 0,
      ...joiner.losses.map(({ position, isOfEvents }) => (isOfEvents ? position : 0)),
    );
    return {
      events: joiner.events,
      last: joiner.last,
      findings: [...joiner.findings(accepted), ...repeated].toSorted(byPosition),
      sightings,
      losses: joiner.losses,
      acceptedTo: accepted,
      accepted: joiner.accepted(accepted),
    };
  } finally {
    await pool.close();
    joiner.close();
    lookup?.close();
  }
}

const byPosition = (left: Finding, right: Finding) => (left.position ?? 0) - (right.position ?? 0);

/** Compares what has the same key: a finding for each repetition. */
async function findRepeated(located: AsyncIterable<readonly Occurrence[]>): Promise<Finding[]> {
  const first = new Map<string, Occurrence>();
  const findings: Finding[] = [];
  const found = new Set<number>();
  for await (const part of located) {
    for (const occurrence of part) {
      const name = `${occurrence.of} ${occurrence.value}`;
      const earlier = first.get(name);
      if (!earlier) first.set(name, occurrence);
      else if (!found.has(occurrence.position)) {
        found.add(occurrence.position);
        findings.push(repetition(occurrence, earlier));
      }
    }
  }
  return findings;
}

const repetition = ({ of, value, position, stream }: Occurrence, earlier: Occurrence): Finding => ({
  kind: 'inserted',
  position,
  stream,
  expected: {
    id: `event ${value} once, at position ${earlier.position}`,
    end: `one end of request ${value}, at position ${earlier.position}`,
    content: `this content once, at position ${earlier.position}`,
  }[of],
  found: 'it again',
});

function openLookup(location: string, archivePath: string | undefined) {
  const archived = archivePath === undefined ? undefined : ArchivedEvents.open(archivePath);
  const database: DatabaseSync = openForReading(location);
  const select = database.prepare(
    `SELECT position, ${CONTINUED_HASH} AS hash FROM events WHERE stream = ? AND revision = ?`,
  );
  return {
    acceptedUpTo: readAcceptedUpTo(database),
    headBefore(stream: string, revision: number) {
      const row = select.get(stream, revision) as { position: number; hash: string | null } | undefined;
      if (row) return { position: row.position, hash: row.hash ?? undefined };
      const head = archived?.headOf(stream);
      // Where in the archive it is does not matter: it is before what is verified.
      return head && head.revision >= revision
        ? { position: 0, hash: archived?.hashAt(stream, revision) ?? undefined }
        : undefined;
    },
    close() {
      database.close();
      archived?.close();
    },
  };
}
