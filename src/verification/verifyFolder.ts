import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type UntouchedFile, untouchedFile } from '../dataFolder/untouchedFile.ts';
import { ArchiveChanged } from '../eventLog/archive/archiveFile.ts';
import { sealsInLog } from '../eventLog/sqlite/sealsInLog.ts';
import { startThread } from '../lib/threads/startThread.ts';
import type { Comparison } from '../readModels/rebuild.ts';
import { checkSegments, compareSealedRoots, haveSame, type OpenArchive, openArchive } from './archive.ts';
import { changedFinding } from './checkpointFindings.ts';
import { CheckpointInputs } from './checkpointInputs.ts';
import type { CompareThread } from './compareThread.ts';
import type { Finding, Verification } from './finding.ts';
import { findFoldFailure } from './foldLog.ts';
import { compareFacts, positionsGiven, readKnownFacts } from './knownFacts.ts';
import { findKnownTree, type KnownTree } from './knownTree.ts';
import { findLargeNumber, readLogFile } from './logFile.ts';
import { LogTree } from './logTree.ts';
import { checkOlderRows } from './olderRows.ts';
import { describeLosses, scanSource } from './scanSource.ts';
import { openExtent } from './sqliteRanges.ts';
import { type ArchivedEntries, treeFindings } from './treeFindings.ts';
import { findUnsealedStart } from './unsealedStart.ts';
import { CannotVerify, nothingFrom, type VerifyOptions } from './verifyOptions.ts';

export interface VerifyFolderOptions extends VerifyOptions {
  readonly folder: string;
  /** `log.sqlite`, or `mirror.sqlite` with its own mark. */
  readonly logName?: string | undefined;
  /** Where the log is if it is not in the folder, for a mirror that was made elsewhere. */
  readonly logPath?: string | undefined;
  /** Where temporary files are made; default: the temporary folder of the system. */
  readonly temporary?: string | undefined;
  /** Whether the read models of the folder are to be compared; default: true. */
  readonly comparesReadModels?: boolean | undefined;
}

const MAX_ATTEMPTS = 3;
/** Of SQLite; the error of a thread has lost its code. */
const DAMAGED = /is damaged, or not a file of svc|malformed|not a database|no such column/;
/** Of a number in a row, in Node's words. */
const TOO_LARGE = /too large to be represented/;

/**
 * Verifies the log of a data folder: every event, the chain of each stream, positions, what stands beside the log, the fold and
 * the read models. Writes nothing into the folder, takes no lock, and needs no key; a service may be running.
 * @throws CannotVerify, and what opening a file throws
 */
export async function verifyFolder(options: VerifyFolderOptions): Promise<Verification> {
  for (let attempt = 1; ; attempt += 1) {
    const temporary = mkdtempSync(join(options.temporary ?? tmpdir(), 'svc-verify-'));
    try {
      const result = await verifyOnce(options, temporary);
      if (result) return result;
    } catch (error) {
      const { message } = error as Error;
      const large = TOO_LARGE.test(message) ? findLargeNumber(locationOf(options, temporary)) : undefined;
      if (large) return unreadable(large);
      if (!(error instanceof ArchiveChanged)) {
        if (!DAMAGED.test(message)) throw error;
        return damaged(message);
      }
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
    if (attempt === MAX_ATTEMPTS)
      throw new CannotVerify(
        'A service or an archive run starts and stops over the folder all the time. Verify it again later.',
      );
    options.onStep?.('A service or an archive run has started or stopped meanwhile. Beginning again.');
  }
}

/** SQLite cannot read all of the file: whatever is there is not what was written. */
function damaged(message: string): Verification {
  const found = message.replace(/file:\/\/(\S+?)\?\w+=1/, '$1');
  return unreadable({ kind: 'edited', position: null, stream: null, expected: 'a file that can be read', found });
}

const unreadable = (finding: Finding): Verification => ({
  ok: false,
  events: 0,
  root: null,
  findings: [finding],
  notes: [],
});

const logPathOf = ({ folder, logName = 'log.sqlite', logPath = join(folder, logName) }: VerifyFolderOptions): string =>
  logPath;

const locationOf = (options: VerifyFolderOptions, temporary: string): string =>
  untouchedFile(logPathOf(options), temporary).location;

/** @returns undefined when another process began to write meanwhile */
async function verifyOnce(options: VerifyFolderOptions, temporary: string): Promise<Verification | undefined> {
  const { folder, logName = 'log.sqlite', comparesReadModels = true } = options;
  const logPath = logPathOf(options);
  const { onProgress = () => {}, onStep = () => {}, signal, threads } = options;
  const readModelsPath = join(folder, 'readmodels.sqlite');
  const readModels =
    comparesReadModels && existsSync(readModelsPath) ? untouchedFile(readModelsPath, temporary) : undefined;
  // Before the log: what is ahead of the log proves a loss.
  const facts = readKnownFacts(folder, logName.replace('.sqlite', '.mark'), readModels?.location);
  const known = findKnownTree(folder, temporary);
  if (known.tree) facts.push(known.tree.fact);
  const inputs = new CheckpointInputs({ ...options, temporary });
  const log = existsSync(logPath) ? untouchedFile(logPath, temporary) : undefined;
  const file = log && readLogFile(log.location, logName);
  if (!log || !file?.hasEvents) {
    const checkpoints = inputs.compare({ tree: new LogTree(), losses: [], last: 0 });
    const findings = [...compareFacts(facts, [], { after: 0, last: 0 }), ...checkpoints.findings];
    const notes = [`${logPath} ${log ? 'has no events' : 'is missing'}.`];
    // Published checkpoints alone do not say that this is the folder of their log.
    if (findings.length > 0 && facts.length + (inputs.file ? 1 : 0) > 0)
      return { ok: false, events: 0, root: null, findings, notes };
  }
  if (!log) throw new CannotVerify(`There is no log in ${folder}: set SVC_DATA_DIR to the data folder.`);
  facts.push(...positionsGiven(log.location));
  const archive = openArchive(logPath, temporary);
  const extent = openExtent(log.location, archive.events);
  const logLocation = extent.last > 0 ? log.location : undefined;
  const seals = logLocation === undefined ? new Map<number, string>() : sealsInLog(logLocation);
  const unsealed =
    options.isUnsealed === true && logLocation !== undefined ? findUnsealedStart(logLocation, archive) : undefined;
  const { start } = unsealed ?? {};
  const { segments, findings: archiveFindings } = unsealed?.checked ?? checkSegments(logLocation, archive.events);
  const { from = (start?.upTo ?? 0) + 1, to = extent.last } = options;
  const isWhole = (from <= 1 || start !== undefined) && to >= extent.last;
  const end = Math.min(to, extent.last);
  const notes: string[] = [...(known.note === undefined ? [] : [known.note]), ...(unsealed?.notes ?? [])];
  if (to > extent.last) notes.push(`The log ends at position ${extent.last}, before position ${to}.`);
  const sizes = [...inputs.sizes, ...segments.map(({ header }) => header.upTo)];
  const tree = new LogTree({ after: from - 1, sizes, start });
  const skipped = inputs.sizes.filter((size) => start && size < start.upTo).length;
  if (skipped > 0) notes.push(`Checkpoints of fewer events were not compared: ${skipped}.`);
  const comparing = isWhole && readModels ? compare(readModels, log, archive, temporary) : undefined;
  try {
    if (from > Math.max(1, extent.last)) throw nothingFrom(from, extent.last);
    const scan = await scanSource({
      source: {
        kind: 'sqlite',
        location: log.location,
        tree: known.tree?.file.location,
        archive: archive.location,
      },
      ranges: () => extent.ranges(from - 1, end),
      after: from - 1,
      wanted: facts.flatMap(({ name }) => (name === undefined ? [] : [name])),
      total: end - from + 1,
      onProgress,
      onPart: ({ leaves }) => tree.add(leaves),
      signal,
      threads,
    });
    const older =
      start &&
      (await checkOlderRows({ log: log.location, archive: archive.events, upTo: start.upTo, signal, threads }));
    const findings: Finding[] = [...(file?.findings ?? []), ...archiveFindings, ...(older ?? []), ...scan.findings];
    if (isWhole)
      findings.push(
        ...newFindings(findings, compareFacts(facts, scan.sightings, { after: from - 1, last: scan.last })),
      );
    else notes.push('Only a part was verified: the fold, the read models and the marks were not compared.');
    notes.push(...describeLosses(scan));
    const { losses } = scan;
    const checkpoints = inputs.compare({ tree, losses, last: extent.last });
    notes.push(...checkpoints.notes);
    const archived = {
      entryAt: (position: number) => archive.events.read((current) => current?.entryAt(position)),
      areSealed: start === undefined && archiveFindings.length === 0,
    };
    const others = known.tree ? compareTree(log, known.tree, tree, checkpoints.vouchedTo, archived) : [];
    findings.push(...newFindings(findings, [...others, ...checkpoints.findings]));
    findings.push(...changedFinding(findings, checkpoints.changed));
    if (findings.length === 0) findings.push(...compareSealedRoots(segments, tree));
    if (isWhole && findings.length === 0) {
      onStep('Folding the log');
      const failure = await findFoldFailure(log.location, archive.location, end);
      if (failure.finding) findings.push(failure.finding);
      if (failure.note) notes.push(failure.note);
    }
    if (comparing) {
      onStep('Comparing the read models');
      const compared = await comparing.result;
      if (findings.length > 0) notes.push('The read models were not compared, because the log is not intact.');
      else if ('error' in compared && DAMAGED.test(compared.error.message))
        findings.push(readModelFinding('a damaged file'));
      else if ('error' in compared) notes.push(`The read models could not be compared: ${compared.error.message}`);
      else if (compared.differences.length > 0 && !haveSame(seals, sealsInLog(log.location)))
        notes.push('A day was archived or restored meanwhile: the read models were not compared.');
      else if (compared.isOtherVersion)
        notes.push(
          'Another version of svc made the read models, or a day was archived or restored since: they were not compared.',
        );
      else findings.push(...compared.differences.map((text) => readModelFinding(text)));
    } else if (isWhole) notes.push('There are no read models in the folder to compare with.');
    if (isWhole && !facts.some(({ source }) => source.endsWith('.mark'))) {
      notes.push('No mark stands beside the log, so that a cut at its end may not be noticed.');
    }
    if ([log, readModels, known.tree?.file, inputs.file].some((file) => file?.hasChanged())) return undefined;
    const root = tree.root(scan.acceptedTo)?.toString('hex') ?? null;
    return { ok: findings.length === 0, events: scan.events, root, findings, notes };
  } finally {
    extent.close();
    archive.events.close();
    await comparing?.stop();
  }
}

const compareTree = (
  log: UntouchedFile,
  { file }: KnownTree,
  tree: LogTree,
  vouchedTo: number,
  archived: ArchivedEntries,
): Finding[] =>
  treeFindings({
    log: log.location,
    tree: file.location,
    differing: tree.differing,
    tileRoots: tree.tileRoots(),
    vouchedTo,
    archived,
  });

/** Those about events that nothing was found at. */
function newFindings(known: readonly Finding[], found: readonly Finding[]): Finding[] {
  const positions = new Set(known.map(({ position }) => position).filter((position) => position !== null));
  return found.filter(({ position }) => position === null || !positions.has(position));
}

const readModelFinding = (difference: string): Finding => ({
  kind: 'edited',
  position: null,
  stream: 'readmodels.sqlite',
  expected: 'what the log says: the log or the read models were changed',
  found: difference,
});

function compare(readModels: UntouchedFile, log: UntouchedFile, archive: OpenArchive, temporary: string) {
  const thread = startThread<CompareThread>(new URL('./compareWorker.ts', import.meta.url), {
    name: 'read model comparer',
  });
  const files = {
    livePath: readModels.location,
    logPath: log.location,
    archivePath: archive.location,
    freshPath: join(temporary, 'rebuilt.sqlite'),
  };
  const result: Promise<Comparison | { readonly error: Error }> = thread
    .request('compare', files)
    .catch((error: Error) => ({ error }));
  return { result, stop: () => thread.terminate() };
}
