import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { ARCHIVE_STREAM, type ArchiveEvent } from '../domain/archive/events.ts';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import type { Segment } from '../eventLog/archive/segment.ts';
import { PART_BYTES, segmentParts } from '../eventLog/archive/segmentParts.ts';
import { restoredStreamOf, SegmentUnreadable, segmentStreamOf } from '../eventLog/archive/segmentStreams.ts';
import { withArchive } from '../eventLog/archive/withArchive.ts';
import { newEventId } from '../eventLog/eventId.ts';
import { NO_STREAM } from '../eventLog/eventLog.ts';
import type { ArchiveHost } from './archiveHost.ts';
import { CannotArchive } from './cannotArchive.ts';
import type { SharedArchive } from './sharedArchive.ts';

/** A host over a store that several nodes share. */
export type SharedHost = ArchiveHost & { readonly shared: SharedArchive };

const PAUSE_MS = 500;
/** Every node first reads the segment or the restored rows. */
const MAX_APPEND_MS = 600_000;
const MAX_REMOVAL_MS = 600_000;

/** How many events the stream of archive events has: what is decided now holds while it has no more. */
export async function archiveRevision({ log, shared }: SharedHost): Promise<number> {
  await shared.catchUp();
  let last = NO_STREAM;
  for await (const { revision } of log.readStream(ARCHIVE_STREAM)) last = revision;
  return last;
}

/**
 * Appends an event about the archive at exactly a revision, so that of two nodes one decides.
 * @throws CannotArchive when another node was first, or the log does not take it
 */
export async function appendAtRevision(
  { log, actor, now }: SharedHost,
  { type, data }: ArchiveEvent,
  expected: number,
): Promise<void> {
  const event = { id: newEventId(), type, data, time: now(), actor, correlationId: randomUUID() };
  for (const deadline = performance.now() + MAX_APPEND_MS; ; ) {
    const outcome = await log.append(ARCHIVE_STREAM, expected, [event]);
    if (outcome.kind === 'committed') return;
    if (outcome.kind === 'conflict')
      throw new CannotArchive('archiving_elsewhere', 'Another node archived or restored a day meanwhile. Try again.');
    const reason = outcome.kind === 'rejected' ? outcome.reason : outcome.error.message;
    if (outcome.kind === 'rejected' || performance.now() >= deadline)
      throw new CannotArchive('not_recorded', `EventStoreDB did not take the event ${type}: ${reason}. Try again.`);
    await delay(PAUSE_MS);
  }
}

/** Writes a sealed segment to its stream, unless it stands there, and reads it back. @throws what the store throws */
export async function publishSegment(
  host: SharedHost,
  { number, seal }: Pick<Segment, 'number' | 'seal'>,
): Promise<void> {
  const stream = segmentStreamOf(seal);
  const expected = await digestOf(partsOf(host, number));
  if ((await storedDigest(host, stream)) === expected) return;
  await host.shared.segments.write(stream, partsOf(host, number));
  if ((await storedDigest(host, stream)) !== expected)
    throw new CannotArchive(
      'not_recorded',
      `EventStoreDB returned ${stream} otherwise than it was written. Try again.`,
    );
}

/** Writes an archive file to a stream, from which every node restores its rows. @throws what the store throws */
export async function publishFile({ shared }: SharedHost, { seal, header }: Segment, path: string): Promise<void> {
  const stream = restoredStreamOf(seal);
  if ((await storedDigest({ shared }, stream)) === header.file.sha256) return;
  await shared.segments.write(stream, createReadStream(path, { highWaterMark: PART_BYTES }));
  if ((await storedDigest({ shared }, stream)) !== header.file.sha256)
    throw new CannotArchive(
      'not_recorded',
      `EventStoreDB returned ${stream} otherwise than it was written. Try again.`,
    );
}

/**
 * Truncates the request streams of archived days whose segments are in the store: what a run that was killed left, too. The last
 * event of a stream stays until the stream has a later one: EventStoreDB keeps it.
 * @param heldBecause why the events of a day stay in the store for now
 */
export async function truncateArchived(
  host: SharedHost,
  heldBecause: (day: string) => Promise<string | undefined>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const truncations = host.shared.truncations();
  for (const segment of archivedSegments(host)) {
    const due = segment.header.streams.filter(([stream, , revision]) => (truncations.get(stream) ?? 0) <= revision);
    if (due.length === 0 || (await heldBecause(segment.header.day)) !== undefined) continue;
    for (const [stream, , revision] of due) {
      signal?.throwIfAborted();
      await host.shared.segments.truncate(stream, revision);
    }
  }
}

/** Clears the streams with the files of days that were restored and are archived again. */
export async function clearRestored(host: SharedHost): Promise<void> {
  const all = withArchive(archivePathOf(host.logPath), (archived) => archived.segments()) ?? [];
  const days = new Set(all.filter(({ status }) => status === 'archived').map(({ header }) => header.day));
  for (const { status, seal, header } of all)
    if (status === 'restored' && days.has(header.day)) await host.shared.segments.clear(restoredStreamOf(seal));
}

/** Waits until the mirror of this node has no rows of archived days, which would be archived a second time. */
export async function waitUntilRemoved(host: SharedHost, signal: AbortSignal | undefined): Promise<void> {
  for (const deadline = performance.now() + MAX_REMOVAL_MS; ; ) {
    const pending = archivedSegments(host).find(({ isRemoved }) => !isRemoved);
    if (!pending) return;
    signal?.throwIfAborted();
    if (performance.now() >= deadline)
      throw new CannotArchive(
        'not_recorded',
        `The rows of ${pending.header.day} could not be removed from ${host.logPath}. See the log of svc.`,
      );
    await delay(PAUSE_MS / 10);
  }
}

const archivedSegments = ({ logPath }: SharedHost): Segment[] =>
  withArchive(archivePathOf(logPath), (archived) => archived.segments())?.filter(
    ({ status }) => status === 'archived',
  ) ?? [];

async function* partsOf({ logPath }: SharedHost, number: number): AsyncGenerator<Buffer> {
  const archived = ArchivedEvents.open(archivePathOf(logPath));
  try {
    const segment = archived?.segments().find((each) => each.number === number);
    if (!archived || !segment) throw new CannotArchive('archive_damaged', `archive.sqlite lacks segment ${number}.`);
    for (const part of segmentParts(archived, segment)) {
      yield part;
      await nextTurn();
    }
  } finally {
    archived?.close();
  }
}

async function digestOf(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const digest = createHash('sha256');
  for await (const part of parts) digest.update(part);
  return digest.digest('hex');
}

/** @returns undefined for a stream that is missing or incomplete */
async function storedDigest({ shared }: Pick<SharedHost, 'shared'>, stream: string): Promise<string | undefined> {
  try {
    return await digestOf(shared.segments.read(stream));
  } catch (error) {
    if (error instanceof SegmentUnreadable) return undefined;
    throw error;
  }
}
