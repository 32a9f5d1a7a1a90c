import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { pathIn } from '../../dataFolder/openDatabase.ts';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { ArchiveDamaged, type Segment } from '../../eventLog/archive/segment.ts';
import { sealsInLog } from '../../eventLog/sqlite/sealsInLog.ts';
import { Checkpoints } from '../fold/checkpoints.ts';
import { emptyFold, type Fold } from '../fold/fold.ts';
import { HotState } from '../fold/hotState.ts';
import { FOLD_VERSION } from './foldVersion.ts';
import { type SealedState, upcastSealedState } from './sealedUpcasters.ts';

/** The state of a fold, for a segment that ends there. */
export const encodeSealedState = ({ state, checkpoints }: Fold): Buffer =>
  zstdCompressSync(serialize({ state: state.data(), stretches: checkpoints.stretches } satisfies SealedState));

/** A sealed state that this build cannot continue from; the message says what to do. */
export class SealedStateUnreadable extends Error {
  override readonly name = 'SealedStateUnreadable';
}

export interface SealedFold {
  readonly fold: Fold;
  readonly segment: Segment;
}

/**
 * The fold at the end of the newest archived segment of a log. Rows of the log up to there need not be complete, and must not be
 * folded again.
 * @param archivePath where `archive.sqlite` is, if it is not beside the log
 * @returns undefined when nothing is archived
 * @throws ArchiveDamaged when it is missing or is not what the log says; SealedStateUnreadable
 */
export function readSealedFold(logPath: string, archivePath = archivePathOf(logPath)): SealedFold | undefined {
  // A service that archives meanwhile writes to the archive first.
  const seals = sealsInLog(logPath);
  const archived = ArchivedEvents.open(archivePath);
  try {
    const segment = newestProved(archived, archivePath, seals);
    return archived && segment && { segment, fold: decode(archived.stateOf(segment), segment) };
  } finally {
    archived?.close();
  }
}

/**
 * The folds at the ends of the archived segments of a log, the last one first.
 * @param archivePath where `archive.sqlite` is, if it is not beside the log
 * @throws as `readSealedFold`
 */
export function* sealedFolds(logPath: string, archivePath = archivePathOf(logPath)): Generator<Fold> {
  const seals = sealsInLog(logPath);
  const archived = ArchivedEvents.open(archivePath);
  try {
    const segments = archived?.segments().filter(({ number, status }) => status === 'archived' && seals.has(number));
    for (const segment of segments?.toSorted(byEnd).toReversed() ?? []) {
      if (archived) yield decode(archived.stateOf(segment), segment);
    }
  } finally {
    archived?.close();
  }
}

/** Where a fold of a log begins: with the sealed state, or with nothing. @throws as `readSealedFold` */
export const firstFold = (logPath: string): Fold => readSealedFold(logPath)?.fold ?? emptyFold();

const decode = (bytes: Buffer, { number, header: { foldVersion } }: Segment): Fold =>
  decodeSealedState(bytes, foldVersion, `segment ${number} in archive.sqlite`);

/**
 * The fold that `encodeSealedState` of this or an earlier version wrote.
 * @param name of what contains it, for errors
 * @throws SealedStateUnreadable
 */
export function decodeSealedState(bytes: Buffer, version: number, name: string): Fold {
  if (version > FOLD_VERSION) throw new SealedStateUnreadable(`A newer svc sealed ${name}. Start that version.`);
  const sealed = upcastSealedState(deserialize(zstdDecompressSync(bytes)) as SealedState, version);
  if (!sealed)
    throw new SealedStateUnreadable(
      `Version ${version} of the fold sealed ${name}, and this svc cannot read it. Start the version of svc that archived the day and restore it with "svc restore-archive".`,
    );
  const state = HotState.from(sealed.state);
  return { state, checkpoints: Checkpoints.behind(state, sealed.stretches) };
}

/**
 * The archived segment that reaches furthest, of those that the log names: it is the log that the chain of hashes and the
 * checkpoints prove.
 */
function newestProved(
  archived: ArchivedEvents | undefined,
  location: string,
  seals: ReadonlyMap<number, string>,
): Segment | undefined {
  if (seals.size === 0) return undefined;
  const archivePath = pathIn(location);
  if (!archived)
    throw new ArchiveDamaged(`${archivePath} is missing, but the log says that it has ${seals.size} archived days.`);
  const segments = archived.segments();
  for (const [number, seal] of seals) {
    const segment = segments.find((each) => each.number === number);
    if (!segment) throw new ArchiveDamaged(`${archivePath} lacks segment ${number}, which the log says was archived.`);
    if (segment.seal !== seal || segment.status === 'restored')
      throw new ArchiveDamaged(`Segment ${number} in ${archivePath} is not the one that the log says was archived.`);
  }
  return segments
    .filter(({ number, status }) => status === 'archived' && seals.has(number))
    .toSorted(byEnd)
    .at(-1);
}

const byEnd = (left: Segment, right: Segment): number =>
  left.header.upTo - right.header.upTo || left.number - right.number;
