import type { FileHandle } from 'node:fs/promises';
import { isFileError } from '../../dataFolder/fileErrors.ts';
import { CannotWriteFile, writeNewFile } from '../../eventLog/newFile.ts';
import type { StoredRow } from '../../integrity/leaf/leafEntry.ts';
import type { SubtreeHash } from '../../integrity/merkle/proofs.ts';
import { writeConsistencyLine } from '../check/checkSignatures.ts';
import {
  type BundlePart,
  CONSISTENCY,
  checkpointName,
  FORMAT,
  FORMAT_VERSION,
  keyChangeName,
  MANIFEST,
  type Manifest,
  README,
  type Selection,
  STATE,
  VERIFIER,
  writeManifest,
} from '../format/manifest.ts';
import { ownReadme, ownVerifierDigest, readVerifierPage } from '../page/ownPages.ts';
import { BundleWriter, type WriterOptions } from './bundleWriter.ts';
import { ProvedEvents, type ProvedPart } from './provedParts.ts';
import type { SignedNotes } from './signedNotes.ts';

/** There is nothing that a bundle could prove; the message says why and what to do. */
export class CannotMakeEvidence extends Error {
  override readonly name = 'CannotMakeEvidence';
}

/** A day whose events are archived: their payloads are in a file elsewhere. */
export interface ArchivedDay {
  /** UTC, for example `2026-11-01`. */
  readonly day: string;
  readonly events: number;
  readonly file: string;
}

/** The tree whose checkpoints are in the bundle. */
export interface EvidenceTree {
  root(size: number): Buffer;
  consistencyProof(from: number, to: number): Buffer[];
  /** Hashes of full subtrees; what it has read is kept as long as the function. */
  subtrees(): SubtreeHash;
}

export interface BundleOptions extends WriterOptions {
  /** The file, which must not exist. */
  readonly path: string;
  readonly selection: Selection;
  /** The events, in order of positions; those that the newest checkpoint does not cover are left out. */
  readonly rows: Iterable<StoredRow>;
  readonly notes: SignedNotes;
  readonly tree: EvidenceTree;
  /** Archived days of the selection; called when all rows were read. */
  readonly archived: () => readonly ArchivedDay[];
  /** The state before the period, as `writeStateText` writes it; undefined when it is that of an empty log, or unknown. */
  readonly stateBefore?: { readonly position: number; readonly text: string } | undefined;
  readonly madeBy: string;
  /** RFC 3339. */
  readonly madeAt: string;
  readonly onProgress?: ((events: number, position: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface MadeBundle {
  readonly path: string;
  readonly events: number;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly treeSize: number;
  /** 64 hex digits. */
  readonly root: string;
  readonly vkey: string;
  /** Events that were asked for and that no checkpoint covers. */
  readonly uncovered: number;
  /** Archived days of the period, of which no request is in the bundle. */
  readonly archived: readonly ArchivedDay[];
  /** SHA-256 of the page in it. */
  readonly verifier: string;
  readonly bytes: number;
  /** SHA-256 of all bytes of the file. */
  readonly sha256: string;
}

/** Between events, so that a service can be cancelled and go on with its other work. */
const EVENTS_PER_TURN = 256;

/**
 * Writes an evidence bundle (docs/integrity.md#evidence-bundles). The file appears when it is complete.
 * @throws CannotMakeEvidence when no event matches, or the log is not what its checkpoints say; CannotWriteFile; the error of a disk
 */
export async function makeBundle(options: BundleOptions): Promise<MadeBundle> {
  const { path, notes, tree, selection, stateBefore, madeBy, madeAt } = options;
  const { origin, size: treeSize, root } = notes.latest;
  if (tree.root(treeSize).toString('hex') !== root) throw notTheLog(treeSize);
  let made: MadeBundle | undefined;
  const write = async (file: FileHandle) => {
    const writer = new BundleWriter(file, options);
    const verifier = ownVerifierDigest();
    await writer.add(README, ownReadme);
    await writer.add(VERIFIER, readVerifierPage());
    if (stateBefore) await writer.add(STATE, stateBefore.text);
    const events = new ProvedEvents({ origin, treeSize, subtrees: () => tree.subtrees() });
    const parts: BundlePart[] = [];
    const writePart = async ({ part, events: lines, proofs }: ProvedPart) => {
      parts.push(part);
      await writer.add(part.events, lines);
      await writer.add(part.proofs, proofs);
    };
    const uncovered = await addEvents(options, events, writePart);
    // Not before: a day may be archived while the rows are read.
    const archived = options.archived();
    if (events.counts.count === 0) throw nothingFound(uncovered, archived);
    await writePart(events.finish());
    if (events.root().toString('hex') !== root) throw notTheLog(treeSize);
    const { counts } = events;
    await addCheckpoints(writer, options, counts);
    const manifest: Manifest = {
      format: FORMAT,
      version: stateBefore ? FORMAT_VERSION : 1,
      madeBy,
      madeAt,
      origin,
      selection,
      events: counts,
      treeSize,
      root,
      key: notes.vkey,
      verifier,
      parts,
      ...(stateBefore && { state: { name: STATE, position: stateBefore.position } }),
      files: writer.files,
    };
    await writer.add(MANIFEST, writeManifest(manifest));
    const { bytes, sha256 } = await writer.finish();
    const { count, firstPosition, lastPosition } = counts;
    made = {
      path,
      events: count,
      firstPosition,
      lastPosition,
      treeSize,
      root,
      vkey: notes.vkey,
      uncovered,
      archived,
      verifier,
      bytes,
      sha256,
    };
  };
  try {
    await writeNewFile(path, write);
  } catch (error) {
    throw isFileError(error) ? cannotWrite(path, error as Error) : error;
  }
  return made as MadeBundle;
}

/** @returns the number of events that the newest checkpoint does not cover */
async function addEvents(
  { rows, notes, onProgress, signal }: BundleOptions,
  events: ProvedEvents,
  write: (part: ProvedPart) => Promise<void>,
): Promise<number> {
  let uncovered = 0;
  for (const row of rows) {
    if (row.position > notes.latest.size) {
      uncovered += 1;
      continue;
    }
    const part = events.add(row);
    if (part) await write(part);
    const { count } = events.counts;
    if (count % EVENTS_PER_TURN !== 0) continue;
    signal?.throwIfAborted();
    onProgress?.(count, row.position);
    await new Promise(setImmediate);
  }
  signal?.throwIfAborted();
  return uncovered;
}

/** The first checkpoint of the log, those that covered the first and the last event first, and the newest one. */
async function addCheckpoints(
  writer: BundleWriter,
  { notes, tree }: BundleOptions,
  { firstPosition, lastPosition }: ProvedEvents['counts'],
): Promise<void> {
  const chosen = [1, firstPosition, lastPosition].map((position) => notes.covering(position));
  const bySize = new Map([...chosen, notes.latest].flatMap((found) => (found ? [[found.size, found] as const] : [])));
  const checkpoints = [...bySize.values()].toSorted((left, right) => left.size - right.size);
  let consistency = '';
  for (const [index, { size, root, note }] of checkpoints.entries()) {
    if (tree.root(size).toString('hex') !== root) throw notTheLog(size);
    await writer.add(checkpointName(size), note);
    const before = checkpoints[index - 1];
    if (before) consistency += writeConsistencyLine(before.size, size, tree.consistencyProof(before.size, size));
  }
  await writer.add(CONSISTENCY, consistency);
  for (const [index, note] of notes.keyChanges.entries()) await writer.add(keyChangeName(index + 1), note);
}

const isFull = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOSPC' || code === 'EDQUOT';

const cannotWrite = (path: string, cause: Error) =>
  new CannotWriteFile(
    `${path} cannot be written: ${cause.message}. Nothing of it was left. ${isFull(cause) ? 'Make room on its disk, or name a file on another one.' : 'Check its folder and the permissions of that.'}`,
    { cause },
  );

const notTheLog = (size: number) =>
  new CannotMakeEvidence(
    `The log is not the one of which the checkpoint of ${size} events was signed, so nothing can be proved with it. ` +
      'Run "svc verify": it says what was changed.',
  );

function nothingFound(uncovered: number, archived: readonly ArchivedDay[]): CannotMakeEvidence {
  if (uncovered > 0) {
    return new CannotMakeEvidence(
      `No checkpoint covers the ${uncovered} events yet. A running service signs one every minute: try again then.`,
    );
  }
  const days = archived.length > 0 ? ` ${describeArchived(archived)}` : '';
  return new CannotMakeEvidence(`No event matches, so there is nothing to prove. Nothing was written.${days}`);
}

/** A sentence about archived days, with what to do. */
export function describeArchived(archived: readonly ArchivedDay[]): string {
  const events = archived.reduce((sum, day) => sum + day.events, 0);
  const days = archived.length === 1 ? archived[0]?.day : `${archived[0]?.day} to ${archived.at(-1)?.day}`;
  return `The ${events} events of requests of ${days} are archived and not in it. To prove them, put these days back with "svc restore-archive".`;
}
