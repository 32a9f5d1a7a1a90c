import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import { ArchiveWriter } from '../eventLog/archive/archiveWriter.ts';
import type { PositionRange, SegmentHeader } from '../eventLog/archive/segment.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { sealsInLog } from '../eventLog/sqlite/sealsInLog.ts';
import { appendArchiveEvent } from './archiveHost.ts';
import type { ArchiveOptions, ArchiveRun, SealDay } from './archiveOptions.ts';
import { dayOf, endOfDay, type RequestDay, requestDays } from './closedDays.ts';
import { dayArchived, type Sealed } from './dayArchived.ts';
import { sealDay } from './sealDay.ts';
import { sharedFlow } from './sharedFlow.ts';

/** Rows that are removed in one transaction: appends wait for it some ten milliseconds. */
const MAX_ROWS = 1_000;

/**
 * Archives the closed days of requests up to a day, the earliest first, after it has finished what an earlier run began. May be
 * killed at any moment: the next run continues (docs/decisions/0072-sealed-segments.md).
 * @throws CannotArchive, ArchiveDamaged, and the errors of files; the days before are archived then
 */
export async function archiveDays(options: ArchiveOptions): Promise<ArchiveRun> {
  const { host, until, heldBecause, onStep, signal } = options;
  const shared = sharedFlow(options);
  await (shared ? shared.finishEarlierRuns() : finishEarlierRuns(options));
  const archived: SegmentHeader[] = [];
  const kept: { day: string; reason: string }[] = [];
  const restored = options.keepsRestored ? restoredDays(host.logPath) : new Set<string>();
  for (const day of daysIn(host.logPath)) {
    signal?.throwIfAborted();
    if (day.day > until) break;
    const reason =
      endOfDay(day.day) > host.now()
        ? 'the day is not over'
        : restored.has(day.day)
          ? 'it was restored; "svc archive" archives it again'
          : await heldBecause?.(day.day);
    if (reason !== undefined) {
      kept.push({ day: day.day, reason });
      continue;
    }
    onStep?.(`Archiving ${day.day}`);
    const revision = await shared?.begin();
    const sealed = await (options.seal ?? sealHere(options))(day);
    if (!sealed) continue;
    const held = shared ? await shared.record(sealed, revision as number) : await record(options, sealed);
    if (held === undefined) archived.push(sealed.header);
    else kept.push({ day: day.day, reason: held });
  }
  await shared?.end();
  return { archived, kept };
}

/** The last day that a policy of so many days archives. */
export const lastDayBefore = (days: number, now: number): string => dayOf(now - (days + 1) * 86_400_000);

function daysIn(logPath: string): RequestDay[] {
  const database = openForReading(logPath);
  try {
    return requestDays(database);
  } finally {
    database.close();
  }
}

const sealHere =
  ({ host, folder }: ArchiveOptions): SealDay =>
  async (day) => {
    const path = archivePathOf(host.logPath);
    const writer = new ArchiveWriter(path);
    const archived = ArchivedEvents.open(path);
    try {
      return sealDay(day, { logPath: host.logPath, folder, archived, writer });
    } finally {
      archived?.close();
      writer.close();
    }
  };

async function record(options: ArchiveOptions, sealed: Sealed): Promise<undefined> {
  const { number } = sealed.header;
  await appendArchiveEvent(options.host, dayArchived(sealed));
  withWriter(options, (writer) => writer.setStatus(number, 'archived'));
  await removeRowsOf(options, number);
}

/** What a run that was killed left: a segment whose event is in the log, rows that are archived, a restore that was given up. */
async function finishEarlierRuns(options: ArchiveOptions): Promise<void> {
  const seals = sealsInLog(options.host.logPath);
  for (const { number, status, seal, isRemoved, header } of segmentsOf(options)) {
    if (status === 'sealed' && seals.get(number) === seal)
      withWriter(options, (writer) => writer.setStatus(number, 'archived'));
    else if (status === 'archived' && !seals.has(number)) {
      withWriter(options, (writer) => writer.setStatus(number, 'restored'));
      continue;
    } else if (status !== 'archived' || isRemoved) continue;
    options.onStep?.(`Removing what is archived of ${header.day}`);
    await removeRowsOf(options, number);
  }
}

async function removeRowsOf(options: ArchiveOptions, segment: number): Promise<void> {
  for (const ranges of rangesToRemove(options, segment)) {
    options.signal?.throwIfAborted();
    await options.host.removeRows?.(ranges);
  }
  withWriter(options, (writer) => writer.setRemoved(segment, true));
}

/** The positions of a segment, in parts of at most `MAX_ROWS`. */
export function* inParts(ranges: Iterable<PositionRange>): Generator<PositionRange[]> {
  let part: PositionRange[] = [];
  let rows = 0;
  for (const { first, last } of ranges) {
    for (let from = first; from <= last; ) {
      const to = Math.min(last, from + MAX_ROWS - rows - 1);
      part.push({ first: from, last: to });
      rows += to - from + 1;
      from = to + 1;
      if (rows < MAX_ROWS) continue;
      yield part;
      [part, rows] = [[], 0];
    }
  }
  if (part.length > 0) yield part;
}

function rangesToRemove({ host }: ArchiveOptions, segment: number): PositionRange[][] {
  const archived = ArchivedEvents.open(archivePathOf(host.logPath));
  try {
    return [...inParts(archived?.rangesOf(segment) ?? [])];
  } finally {
    archived?.close();
  }
}

function segmentsOf({ host }: ArchiveOptions) {
  const archived = ArchivedEvents.open(archivePathOf(host.logPath));
  try {
    return archived?.segments() ?? [];
  } finally {
    archived?.close();
  }
}

/** Days of which a segment was restored, and none is archived. */
function restoredDays(logPath: string): Set<string> {
  const archived = ArchivedEvents.open(archivePathOf(logPath));
  try {
    const segments = archived?.segments() ?? [];
    const days = (status: string) => segments.filter((each) => each.status === status).map(({ header }) => header.day);
    return new Set(days('restored')).difference(new Set(days('archived')));
  } finally {
    archived?.close();
  }
}

function withWriter({ host }: ArchiveOptions, work: (writer: ArchiveWriter) => void): void {
  const writer = new ArchiveWriter(archivePathOf(host.logPath));
  try {
    work(writer);
  } finally {
    writer.close();
  }
}
