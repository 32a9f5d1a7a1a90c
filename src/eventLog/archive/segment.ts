import { hash as digest } from 'node:crypto';

/** What a segment says of itself. Its text in JSON is what the seal is the SHA-256 of. */
export interface SegmentHeader {
  /** Version of this header. */
  readonly v: 1;
  readonly number: number;
  /** UTC, for example `2026-11-01`. */
  readonly day: string;
  readonly events: number;
  /** Number of events of each type. */
  readonly types: Readonly<Record<string, number>>;
  /** Positions of the first and the last event. */
  readonly first: number;
  readonly last: number;
  /** The position of the sealed state. No event of an earlier segment is behind it. */
  readonly upTo: number;
  /** Root of the Merkle tree over all events up to `upTo`, 64 hex digits. */
  readonly root: string;
  /** The streams of the events, each with the last revision and the hash that its next event continues; null: not known. */
  readonly streams: readonly (readonly [stream: string, events: number, revision: number, hash: string | null])[];
  readonly file: { readonly name: string; readonly bytes: number; readonly sha256: string };
  /** SHA-256 of all leaf entries, each with a line feed. */
  readonly entriesSha256: string;
  /** The version of the fold that made the state, and the SHA-256 of its bytes. */
  readonly foldVersion: number;
  readonly stateSha256: string;
  /** The version of the roll-ups, and the SHA-256 of their bytes. */
  readonly rollUpsVersion: number;
  readonly rollUpsSha256: string;
}

/**
 * `sealed`: its rows are all in the log. `archived`: the log has its `DayArchived`, and its rows are being removed or are gone.
 * `restored`: its rows are back.
 */
export type SegmentStatus = 'sealed' | 'archived' | 'restored';

export interface Segment {
  readonly number: number;
  readonly status: SegmentStatus;
  /** Whether no row of it is in the log. */
  readonly isRemoved: boolean;
  readonly header: SegmentHeader;
  /** SHA-256 of the header's text, 64 hex digits. */
  readonly seal: string;
}

/** Positions from `first` to `last`. */
export interface PositionRange {
  readonly first: number;
  readonly last: number;
}

/** The text of a header that is stored and sealed. */
export const textOfHeader = (header: SegmentHeader): string => JSON.stringify(header);

/** SHA-256 in hexadecimal: of a header's text it is the seal. */
export const sealOf = (text: string | Uint8Array): string => digest('sha256', text, 'hex');

/** A part of the archive is not what the log says; the message says which, and what to do. */
export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged';
  readonly code = 'ARCHIVE_DAMAGED';
  constructor(what: string) {
    super(`${what} Restore archive.sqlite from a backup; svc cannot go on without it.`);
  }
}
