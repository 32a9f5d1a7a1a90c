import type { Json } from '../../domain/core/redact.ts';
import { parseJsonValue } from './canonicalJson.ts';

export const FORMAT = 'svc-evidence';
/** Version 2 added `state`; a bundle without one has version 1. */
export const FORMAT_VERSION = 2;

/**
 * Which events a bundle was asked for, each condition by its name in the API. A statement of its maker: what can be verified
 * are the events themselves, and whether they are all between two positions.
 */
export type Selection = Readonly<Record<string, Json>>;

/** A part of the events with the hashes of the leaves before and between them. */
export interface BundlePart {
  /** Names of entries. */
  readonly events: string;
  readonly proofs: string;
  readonly count: number;
  /** The leaves that it covers: from `from` to before `to`. */
  readonly from: number;
  readonly to: number;
}

export interface BundledFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a bundle says of itself, and the digests of all its other entries. */
export interface Manifest {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly madeBy: string;
  readonly madeAt: string;
  readonly origin: string;
  readonly selection: Selection;
  readonly events: {
    readonly count: number;
    readonly firstPosition: number;
    readonly lastPosition: number;
    /** Events of which the digest of the stored data can be recomputed. */
    readonly recomputable: number;
  };
  /** The checkpoint against which the events are proved, by its number of leaves. */
  readonly treeSize: number;
  readonly root: string;
  /** The key of the log as a verifier key of https://c2sp.org/signed-note. */
  readonly key: string;
  /** SHA-256 of verify.html. */
  readonly verifier: string;
  readonly parts: readonly BundlePart[];
  /** The state before the first event of the period, a statement of its maker: the events before it are not in the bundle. */
  readonly state?: { readonly name: string /** The state is that right after it. */; readonly position: number };
  readonly files: readonly BundledFile[];
}

export const MANIFEST = 'manifest.json';
export const README = 'README.txt';
export const VERIFIER = 'verify.html';
export const STATE = 'state.json';
export const CONSISTENCY = 'consistency.jsonl';
export const CHECKPOINT_NAME = /^checkpoints\/\d{16}\.checkpoint$/;
export const KEY_CHANGE_NAME = /^keys\/\d{4}\.keychange$/;
export const checkpointName = (size: number): string => `checkpoints/${String(size).padStart(16, '0')}.checkpoint`;
export const keyChangeName = (index: number): string => `keys/${String(index).padStart(4, '0')}.keychange`;
export const eventsName = (part: number): string => `events/${String(part).padStart(6, '0')}.jsonl`;
export const proofsName = (part: number): string => `proofs/${String(part).padStart(6, '0')}.jsonl`;

export const writeManifest = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

/** The manifest cannot be read; the message says why. */
export class InvalidManifest extends Error {
  override readonly name = 'InvalidManifest';
}

/** @throws InvalidManifest for another form */
export function parseManifest(text: string): Manifest {
  const value = parseJsonValue(text) as Partial<Manifest> | undefined;
  if (typeof value !== 'object' || value === null || value.format !== FORMAT) {
    throw new InvalidManifest('the manifest is not one of svc');
  }
  if (Number(value.version) > FORMAT_VERSION) {
    throw new InvalidManifest('a newer svc made this bundle. Verify it with that version');
  }
  const { events, parts, files, selection, treeSize, verifier, state } = value;
  const isSound =
    isText(value.madeBy, value.madeAt, value.origin, value.root, value.key, verifier) &&
    typeof selection === 'object' &&
    selection !== null &&
    isCount(
      value.version,
      treeSize,
      events?.count,
      events?.firstPosition,
      events?.lastPosition,
      events?.recomputable,
    ) &&
    Array.isArray(parts) &&
    parts.every((part) => isText(part?.events, part?.proofs) && isCount(part?.count, part?.from, part?.to)) &&
    (state === undefined || (state?.name === STATE && isCount(state.position))) &&
    Array.isArray(files) &&
    files.every((file) => isText(file?.name, file?.sha256) && isCount(file?.bytes));
  if (!isSound) throw new InvalidManifest('the manifest lacks a field, or has one of another kind');
  const manifest = value as Manifest;
  if (writeManifest(manifest) !== text) throw new InvalidManifest('the manifest is not spelled as svc writes it');
  return manifest;
}

const isText = (...values: unknown[]): boolean => values.every((value) => typeof value === 'string');
const isCount = (...values: unknown[]): boolean =>
  values.every((value) => Number.isSafeInteger(value) && (value as number) >= 0);
