import type { Instant, Position } from '../domain/core/brands.ts';
import type { Recorded } from '../domain/core/event.ts';
import type { KnownEvent } from '../domain/eventTypes.ts';

/** Who caused an event. Stored in its metadata. */
export type Actor =
  | {
      readonly kind: 'operator';
      readonly sessionId: string | null;
      /** Who it is; absent for the built-in administrator. */
      readonly operatorId?: string;
      /** The management token that was used. */
      readonly tokenId?: string;
      /** How the operator signed in, if not with the password. */
      readonly method?: string;
      /** Sealed under a data key of the operator; in plain in metadata of version 1. */
      readonly address: string | null;
      readonly userAgent: string | null;
      /** A keyed digest of the address, by which the history finds it; absent in metadata of version 1. */
      readonly addressDigest?: string;
      readonly usedTotp: boolean;
    }
  | { readonly kind: 'apiKey'; readonly keyId: string }
  | { readonly kind: 'anonymous' }
  /** A command of `src/start.mjs`, run on the machine itself. */
  | { readonly kind: 'cli'; readonly command: string; readonly user: string | null }
  | { readonly kind: 'system'; readonly reason: string };

/** The version of `EventMetadata` that is written. Version 1 has no `metadataVersion`, and addresses in plain. */
export const METADATA_VERSION = 2;

export interface EventMetadata {
  /** Version of the data. */
  readonly schemaVersion: number;
  /** Absent in version 1. */
  readonly metadataVersion?: number;
  readonly actor: Actor;
  /** Shared by all events of one call: the request id of the call that caused them. */
  readonly correlationId: string;
  /** The event or command that caused this one. When there is none, absent; null in version 1. */
  readonly causationId?: string | null;
  readonly node: string;
  /** Hash of the previous event of the stream, 64 hex digits; zeros in the first event. */
  readonly previousHash: string;
  readonly hash: string;
}

/** An event to be appended. Its id identifies this content, so that a repeated append writes it once. */
export interface EventToAppend {
  /** A lower-case UUID from `newEventId`, created together with the content and reused when the append is repeated. */
  readonly id: string;
  readonly type: KnownEvent['type'];
  readonly data: KnownEvent['data'];
  readonly time: Instant;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId?: string | null;
}

export type RecordedEvent = Recorded<KnownEvent>;

/** An event with everything that is stored of it. The data has the schema version in which it was written. */
export interface StoredEvent {
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly time: Instant;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** Revision that the stream must have: that of its last event (the first is 0), or -1 if the stream must not exist yet. */
export type ExpectedRevision = number;
export const NO_STREAM: ExpectedRevision = -1;

/**
 * The outcome of an append. Repeat only an `unknown` one, with the same ids and the same expected revision. After a
 * `conflict`, decide again from the newer state. A `rejected` append will never succeed (docs/decisions/0004-append-outcomes.md).
 */
export type AppendOutcome =
  | {
      readonly kind: 'committed';
      /** Revision of the last event. */
      readonly revision: number;
      /** Position of the last event. */
      readonly position: Position;
    }
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  | {
      readonly kind: 'rejected';
      readonly reason: string;
      /** The fault is this append's own (its size, its data, its stream): the log accepts other appends. */
      readonly isLogFine?: true;
      /** What an operator can do about it. */
      readonly remedy?: string;
    }
  | {
      readonly kind: 'unknown';
      readonly error: Error;
      /** False when the append did not leave this node, so that nothing was written. */
      readonly wasSent?: false;
    };

/** Reason of a `rejected` append whose event ids already belong to other events. */
export const ID_TAKEN = 'an event id is used elsewhere in the log: an id belongs to one event';

/** Reason of a `rejected` append to a log that is closed. */
export const LOG_CLOSED = 'the log is closed';

export interface AppendOptions {
  /** The data already has its schema's type, so it is not parsed again. Its JSON is still checked. */
  readonly isValidated?: boolean;
  /** The data's types guarantee that numbers and objects survive JSON. Strings are still checked. */
  readonly isLossless?: boolean;
}

export interface Subscriber {
  /** Called with events in order, without gaps or repeats. The next batch waits for the returned promise. */
  onEvents(batch: readonly RecordedEvent[]): void | Promise<void>;
  /** Called once, when all events that were in the log at the time of the subscription have been delivered. */
  onCaughtUp?(): void;
  /** The subscriber threw, or this build cannot read an event. Nothing more will be delivered. */
  onFailure(error: Error): void;
}

export interface Subscription {
  stop(): void;
}

/**
 * The append-only log. Every adapter passes `test/contract/eventLog.ts`.
 *
 * - An append is atomic, and its events have consecutive positions.
 * - Repeating an append with the same event ids and the same expected revision returns `committed` with the original
 *   revision and position, however much later.
 * - An event passed to `onEvents` is durable. It may be delivered before or after the promise of its append resolves.
 * - Data that does not survive `JSON.stringify` and `JSON.parse` is `rejected`: its hash could not be verified.
 */
export interface EventLog {
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
    options?: AppendOptions,
  ): Promise<AppendOutcome>;
  /** Events of one stream from `fromRevision` on; none if the stream does not exist. */
  readStream(stream: string, fromRevision?: number): AsyncIterable<StoredEvent>;
  /** Events after position `after`, in order, up to the head at the time of the call. */
  readAll(after: Position): AsyncIterable<StoredEvent>;
  /**
   * Delivers all events after position `after`, then new ones, until `stop`, `close` or `onFailure`. A position beyond
   * the head fails with `POSITION_BEYOND_LOG`: the log was restored from an older copy.
   */
  subscribe(after: Position, subscriber: Subscriber): Subscription;
  /** Position of the last durable event; 0 when there is none. */
  head(): Promise<Position>;
  /** Waits for pending appends, then releases all resources. */
  close(): Promise<void>;
}
