/** Consecutive events of one stream that are now in the store. */
export interface DrainedEvents {
  readonly stream: string;
  readonly count: number;
  /** Of the last of them. */
  readonly revision: number;
}

/** Events that the store will never take: one, or all of its stream from there on. */
export interface RefusedEvents {
  readonly stream: string;
  readonly revision: number;
  readonly scope: 'event' | 'stream';
  readonly reason: string;
}

/** Why events wait: those of one stream, or all of them. */
export interface DrainTrouble {
  readonly stream?: string;
  readonly reason: string;
}

export interface DrainListener {
  readonly onDrained: (drained: DrainedEvents) => void;
  /** Takes refused events out of the outbox. Resolves when that is durable; a rejection is repeated. */
  readonly park: (refused: RefusedEvents) => Promise<void>;
  /** Called when events begin to wait, and when the reason changes. */
  readonly onTrouble: (trouble: DrainTrouble) => void;
  /** Called when the events of a stream, or of all streams, are drained again. */
  readonly onRecovered: (stream: string | undefined) => void;
  /** The store has the events of this stream and does not show them any more. */
  readonly onHidden: (stream: string) => void;
  /** Draining ended by an error that is a bug. */
  readonly onFailure: (error: Error) => void;
}

export interface DrainTiming {
  /** How long a stream must be refused as a whole, although it was not deleted, before its events are parked. */
  readonly confirmMs: number;
  /** How long appends must fail before it is tried whether only those of one stream do. */
  readonly probeAfterMs: number;
  /** The longest pause between two appends that fail. */
  readonly maxPauseMs: number;
}
