import type { Instant, Position } from '../domain/core/brands.ts';
import type { Recorded } from '../domain/core/event.ts';
import type { KnownEvent } from '../domain/eventTypes.ts';

/** Who caused an event. */
export type Actor =
  | {
      readonly kind: 'operator';
      readonly sessionId: string | null;
      readonly address: string;
      readonly userAgent: string | null;
      readonly usedTotp: boolean;
    }
  | { readonly kind: 'apiKey'; readonly keyId: string }
  | { readonly kind: 'anonymous' }
  /** Somebody at the machine itself, by a command of `src/app/cli.ts`. */
  | { readonly kind: 'cli'; readonly command: string; readonly user: string | null }
  | { readonly kind: 'system'; readonly reason: string };

export interface EventMetadata {
  readonly schemaVersion: number;
  readonly actor: Actor;
  /** Joins what belongs together: the request id of the call that caused the event. */
  readonly correlationId: string;
  /** The event or command that caused this one; null for a first cause. */
  readonly causationId: string | null;
  readonly node: string;
  /** Hash of the event before in the same stream, 64 hex digits; zeros before the first. */
  readonly previousHash: string;
  readonly hash: string;
}

/** An event on its way into the log. The id makes a repeated append one append: it belongs to this very content. */
export interface EventToAppend {
  /** A UUID in lower case, from `newEventId`: made once with the content, repeated with it. */
  readonly id: string;
  readonly type: KnownEvent['type'];
  readonly data: KnownEvent['data'];
  readonly time: Instant;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId?: string | null;
}

export type RecordedEvent = Recorded<KnownEvent>;

/** An event with everything that is stored of it, data in the version in which it was written. */
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

/** Revision that the stream must have: that of its last event (0 is the first), or -1 when it must not exist yet. */
export type ExpectedRevision = number;
export const NO_STREAM: ExpectedRevision = -1;

/**
 * How an append ended. Only `unknown` may be repeated, with the same ids and the same expected revision; a `conflict`
 * means deciding again; `rejected` will never succeed (reference/event-sourcing.md B5.2).
 */
export type AppendOutcome =
  | {
      readonly kind: 'committed' /** Revision of the last event. */;
      readonly revision: number /** Position of the last event. */;
      readonly position: Position;
    }
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly error: Error };

/** Why an append is rejected whose event ids belong to other events. */
export const ID_TAKEN = 'an event id stands elsewhere in the log: an id belongs to one event';

export interface AppendOptions {
  /** The data came straight from a value of its schema's type: it is not parsed again. Its JSON is checked all the same. */
  readonly isValidated?: boolean;
  /** Types vouch that JSON gives back every number and object; texts are looked at all the same. */
  readonly isLossless?: boolean;
}

export interface Subscriber {
  /** Called with events in order, without gap or repeat; the next batch waits for the returned promise. */
  onEvents(batch: readonly RecordedEvent[]): void | Promise<void>;
  /** Called once, when everything that stood in the log at the time of subscribing has been delivered. */
  onCaughtUp?(): void;
  /** The subscriber threw, or an event is unknown to this build or damaged: nothing more will be delivered. */
  onFailure(error: Error): void;
}

export interface Subscription {
  stop(): void;
}

/**
 * The append-only log. Every adapter passes `test/contract/eventLog.ts`.
 *
 * - Events of one append stand next to each other, all or none.
 * - An append whose event ids already stand in the stream at the expected place answers `committed` with the original
 *   revision and position, for ever.
 * - An event that `onEvents` has seen is durable. A resolved append may be seen before or after its promise resolves.
 * - Data whose JSON does not survive parse and stringify is `rejected`: its hash could not be made again.
 */
export interface EventLog {
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
    options?: AppendOptions,
  ): Promise<AppendOutcome>;
  /** Events of one stream from `fromRevision` on; an unknown stream is empty. */
  readStream(stream: string, fromRevision?: number): AsyncIterable<StoredEvent>;
  /** Events after `after`, in order, to the head at the time of the call. */
  readAll(after: Position): AsyncIterable<StoredEvent>;
  /**
   * Follows the log from behind `after`; ends only by `stop`, `close` or a failure that is told. A position that the log
   * does not have yet is such a failure (`POSITION_BEYOND_LOG`): the log was restored from an older copy.
   */
  subscribe(after: Position, subscriber: Subscriber): Subscription;
  /** Position of the last durable event; 0 when there is none. */
  head(): Promise<Position>;
  /** Waits for appends under way, then lets go of all resources. */
  close(): Promise<void>;
}
