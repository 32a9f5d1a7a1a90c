import type { Finding } from './finding.ts';
import type { ScannedLeaves } from './partLeaves.ts';

/** Where events are read from. */
export type ScanSource =
  | {
      readonly kind: 'sqlite';
      /** Path or `file:` URI of a log or a mirror. */
      readonly location: string;
      /** Path or `file:` URI of `tree.sqlite`, with which the leaves are compared. */
      readonly tree?: string | undefined;
      /** Path or `file:` URI of `archive.sqlite`, which has the leaf entries of archived events. */
      readonly archive?: string | undefined;
    }
  | { readonly kind: 'export'; readonly path: string };

/** A part of a source: positions after `from` up to and including `to`, or the bytes of a file from `from` to before `to`. */
export interface ScanRange {
  readonly from: number;
  readonly to: number;
}

/** Events of one stream that continue each other. */
export interface Segment {
  readonly stream: string;
  readonly position: number;
  readonly revision: number;
  /** Undefined for an event that svc did not write. */
  readonly previousHash: string | undefined;
  /** Whether the first event is not what its hash says: what it names as its predecessor proves nothing then. */
  readonly isEdited: boolean;
  lastPosition: number;
  lastRevision: number;
  /** What the next event of the stream must name as its predecessor. */
  lastHash: string | undefined;
  /** What the last event names as its predecessor. */
  lastPreviousHash: string | undefined;
}

/** An accepted loss of events of the log, or of the key that signed its checkpoints. Each begins a new origin. */
export interface AcceptedLoss {
  readonly position: number;
  /** Whether events were lost, so that gaps before it are no findings. */
  readonly isOfEvents: boolean;
  /** The public key that was lost, 64 hex digits. */
  readonly lostKey: string | undefined;
  readonly description: string;
  /** The last event that was there when it was accepted. */
  readonly foundPosition: number;
  /** The leaf entry of the event that accepted it. */
  readonly leaf: string;
}

/** The stop of a node: nothing follows it in the streams of that start. */
export interface Stop {
  readonly position: number;
  /** `<node>.<boot>`, as it stands in the names of streams. */
  readonly start: string;
}

/** Where an event is that is known from elsewhere, by its hash or its id. */
export interface Sighting {
  readonly name: string;
  readonly position: number;
}

/** What a part of a log contains. */
export interface ScannedPart {
  readonly events: number;
  /** Positions of the first and the last event; 0 when there is none. */
  readonly first: number;
  readonly last: number;
  /** Positions of two neighbours that are not consecutive. */
  readonly jumps: readonly (readonly [before: number, at: number])[];
  readonly segments: readonly Segment[];
  readonly findings: readonly Finding[];
  /** Keys of the ids of events, of requests that ended, and of the content of other events (`Keys64`). */
  readonly ids: Uint32Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly contents: Uint32Array<ArrayBuffer>;
  /** Streams that events refer to, with the position of the first one; each is given once by each thread. */
  readonly references: readonly (readonly [stream: string, position: number])[];
  readonly losses: readonly AcceptedLoss[];
  readonly stops: readonly Stop[];
  readonly sightings: readonly Sighting[];
  /** The first event that was decided upon a position after its own. */
  readonly decidedAhead: { readonly position: number; readonly decidedAt: number } | undefined;
  /** Undefined where positions are missing. */
  readonly leaves: ScannedLeaves | undefined;
}

/** What occurs in a log and may occur only once. */
export interface Occurrence {
  readonly of: 'id' | 'end' | 'content';
  readonly value: string;
  readonly position: number;
  readonly stream: string;
}

/** The messages between a verification and a thread that reads events for it. */
export interface ScanThread {
  options: {
    readonly source: ScanSource;
    /** Hashes and ids of events whose positions are asked for. */
    readonly wanted: readonly string[];
  };
  requests: {
    scan(range: ScanRange): ScannedPart;
    /** Finds what has one of these keys: `id`, `end` or `content`, and the key as text. */
    locate(task: { readonly range: ScanRange; readonly keys: readonly string[] }): readonly Occurrence[];
  };
}
