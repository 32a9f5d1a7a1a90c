import { createHash } from 'node:crypto';
import { untouchedFile } from '../dataFolder/untouchedFile.ts';
import type { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import { FollowedArchive } from '../eventLog/archive/followedArchive.ts';
import type { Segment } from '../eventLog/archive/segment.ts';
import { sealsInLog } from '../eventLog/sqlite/sealsInLog.ts';
import type { Finding } from './finding.ts';
import type { LogTree } from './logTree.ts';
import { sealedTree } from './sealedTree.ts';

/** The archive beside a log: leaf entries of events whose rows are gone. */
export interface OpenArchive {
  /** As of `ArchivedEvents.open`. */
  readonly location: string;
  readonly events: FollowedArchive;
}

/** Opens the archive, which may come into being later. @param temporary a folder for a copy of the file */
export function openArchive(logPath: string, temporary: string): OpenArchive {
  const { location } = untouchedFile(archivePathOf(logPath), temporary);
  return { location, events: new FollowedArchive(location) };
}

/** The archived segments, and what is wrong with the file of the archive itself. */
export interface CheckedSegments {
  readonly segments: readonly Segment[];
  readonly findings: readonly Finding[];
}

/** Days take longer to archive or to restore than their segments take to check. */
const MAX_ATTEMPTS = 20;

const changed = (expected: string, found: string): Finding => ({
  kind: 'edited',
  position: null,
  stream: 'archive.sqlite',
  expected,
  found,
});

/**
 * Checks that each archived segment is the one whose seal the log has, and that its parts are those that were sealed.
 * @param logLocation undefined for an empty log @param isUnsealed whether only the parts of the newest segment are read, without its leaf entries
 */
export function checkSegments(
  logLocation: string | undefined,
  archive: FollowedArchive,
  isUnsealed = false,
): CheckedSegments {
  for (let attempt = 1; ; attempt += 1) {
    const seals: ReadonlyMap<number, string> = logLocation === undefined ? new Map() : sealsInLog(logLocation);
    // Years of entries take minutes, in which days may be archived: digests that hold prove that these are not concerned.
    const checked =
      attempt === 1
        ? checkSeals(seals, archive.current(), isUnsealed)
        : archive.read((archived) => checkSeals(seals, archived, isUnsealed));
    if (checked.findings.length === 0 || attempt === MAX_ATTEMPTS || logLocation === undefined) return checked;
    if (attempt > 1 && haveSame(seals, sealsInLog(logLocation))) return checked;
  }
}

/** Whether the log says that the same segments are archived. */
export const haveSame = (left: ReadonlyMap<number, string>, right: ReadonlyMap<number, string>): boolean =>
  left.size === right.size && [...left].every(([number, seal]) => right.get(number) === seal);

function checkSeals(
  seals: ReadonlyMap<number, string>,
  archived: ArchivedEvents | undefined,
  isUnsealed: boolean,
): CheckedSegments {
  const findings: Finding[] = [];
  const segments: Segment[] = [];
  const all = new Map(segmentsOf(archived, findings).map((segment) => [segment.number, segment]));
  for (const [number, seal] of seals) {
    const segment = all.get(number);
    if (!segment) findings.push(changed(`segment ${number}, as the log says`, 'none'));
    else if (segment.seal !== seal || segment.status === 'restored')
      findings.push(changed(`segment ${number} with the seal ${seal}, as the log says`, `the seal ${segment.seal}`));
    else {
      segments.push(segment);
      if (archived && !isUnsealed) findings.push(...checkEntries(archived, segment), ...checkParts(archived, segment));
    }
  }
  const newest = newestOf(segments);
  if (archived && isUnsealed && newest) findings.push(...checkParts(archived, newest));
  return { segments, findings };
}

function segmentsOf(archived: ArchivedEvents | undefined, findings: Finding[]): Segment[] {
  try {
    return archived?.segments() ?? [];
  } catch (error) {
    findings.push(changed('segments as they were sealed', (error as Error).message));
    return [];
  }
}

/** The segment that reaches furthest. */
export const newestOf = (segments: readonly Segment[]): Segment | undefined =>
  segments.toSorted((left, right) => left.header.upTo - right.header.upTo || left.number - right.number).at(-1);

function checkEntries(archived: ArchivedEvents, { number, header }: Segment): Finding[] {
  const hash = createHash('sha256');
  let events = 0;
  for (const { entry } of archived.entriesOf(number)) {
    hash.update(`${entry}\n`);
    events += 1;
  }
  const digest = hash.digest('hex');
  if (events === header.events && digest === header.entriesSha256) return [];
  const expected = `${header.events} leaf entries of segment ${number} with SHA-256 ${header.entriesSha256}`;
  return [changed(expected, `${events} with SHA-256 ${digest}`)];
}

function checkParts(archived: ArchivedEvents, segment: Segment): Finding[] {
  if (!sealedTree(archived, segment)) {
    const { upTo, root } = segment.header;
    const expected = `tiles of the tree of ${upTo} events with the root ${root}, as segment ${segment.number} has it`;
    return [changed(expected, 'others')];
  }
  try {
    archived.stateOf(segment);
    archived.rollUpsOf(segment);
    return [];
  } catch (error) {
    return [
      changed(`the state and the roll-ups of segment ${segment.number} as they were sealed`, (error as Error).message),
    ];
  }
}

/** Compares the roots that were sealed with those of the log. */
export const compareSealedRoots = (segments: readonly Segment[], tree: LogTree): Finding[] =>
  segments.flatMap(({ number, header: { upTo, root } }) => {
    const own = tree.rootAt(upTo)?.toString('hex');
    if (own === undefined || own === root) return [];
    const expected = `root ${root} of the first ${upTo} events, as segment ${number} of archive.sqlite says`;
    return [{ kind: 'rehashed', position: null, stream: null, expected, found: `root ${own}` } as const];
  });
