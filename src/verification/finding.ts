/** What was done to a log, as far as its content shows it. */
export type FindingKind =
  /** The content of an event, or a row that is derived from events, is not what it was. */
  | 'edited'
  /** Events are missing between others. */
  | 'deleted'
  /** An event that no part of svc writes: a foreign one, or the repetition of one that is there once. */
  | 'inserted'
  /** Events stand in another order than they were written in. */
  | 'reordered'
  /** Events at the end are missing. */
  | 'truncated'
  /** Two events continue the same one. */
  | 'forked'
  /** The event was replaced and given a new hash: what is known of it from elsewhere names another one. */
  | 'rehashed'
  /** All events of a stream are missing, to which other events refer. */
  | 'stream missing'
  /** The event is intact, but spelled in another way than svc writes JSON. */
  | 'bytes not canonical';

export interface Finding {
  readonly kind: FindingKind;
  /** Of the event, or of the first one that is missing; null where it is unknown. */
  readonly position: number | null;
  /** Null where it is unknown. The name of a file where that one is wrong. */
  readonly stream: string | null;
  readonly expected: string;
  readonly found: string;
}

/** The result of a verification. */
export interface Verification {
  readonly ok: boolean;
  /** Number of events that were verified. */
  readonly events: number;
  /** The root of the Merkle tree over all events, in hexadecimal; null where there is none. */
  readonly root: string | null;
  readonly findings: readonly Finding[];
  /** What is no finding, and what was not checked: one sentence each. */
  readonly notes: readonly string[];
}

/** Of a log that is wrong throughout, the first ones say enough. */
export const MAX_FINDINGS = 1_000;

/** What is expected of a line of an export. */
export const EVENT_IN_JSON = 'an event in JSON';
