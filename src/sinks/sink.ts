/** How events are written: as CloudEvents 1.0, or mapped to classes of OCSF 1.3. */
export const sinkFormats = ['cloudevents', 'ocsf'] as const;
export type SinkFormat = (typeof sinkFormats)[number];

export const sinkKinds = ['file', 'url'] as const;
export type SinkKind = (typeof sinkKinds)[number];

/** Where a sink begins that has delivered nothing yet: with the first event, with the next one, or after a position. */
export type SinkStart = 'beginning' | 'now' | number;

export interface FileRotation {
  /** Bytes from which on a file is full. */
  readonly maxBytes: number;
  /** How many full files are kept. */
  readonly kept: number;
}

/** A place that gets every event of the log. */
export type SinkSettings = {
  readonly format: SinkFormat;
  readonly start: SinkStart;
  /** Whether requests and changes wait while it does not take events. */
  readonly isFailClosed: boolean;
} & (
  | { readonly kind: 'file'; readonly path: string; readonly rotation: FileRotation }
  | { readonly kind: 'url'; readonly url: string }
);

/** How far a sink is. */
export interface SinkProgress {
  /** Position of the last event that it took; 0 for none. */
  readonly position: number;
  /** Hash of that event, by which another log is told apart; null at position 0, and where it is not known. */
  readonly hash: string | null;
  /** Milliseconds since 1970; null before the first event. */
  readonly deliveredAt: number | null;
}

export interface SinkStatus {
  readonly kind: SinkKind;
  /** The path, or the URL without user, password and query. */
  readonly target: string;
  readonly format: SinkFormat;
  readonly isFailClosed: boolean;
  readonly position: number;
  readonly deliveredAt: number | null;
  /** Why it takes no events at the moment. */
  readonly failure: string | null;
}

/** A sink did not take events; the message says why, the remedy what an operator can do. */
export class SinkFailed extends Error {
  override readonly name = 'SinkFailed';
  readonly remedy: string;
  /** Fewer events at once may be taken. */
  readonly isTooLarge: boolean;

  constructor(message: string, remedy: string, options: { readonly isTooLarge?: boolean } = {}) {
    super(message);
    this.remedy = remedy;
    this.isTooLarge = options.isTooLarge ?? false;
  }
}

/** Takes lines of JSON in order; `deliver` resolves when they are stored there, as far as the place says. */
export interface SinkTarget {
  /** @throws SinkFailed, and what the file system throws */
  deliver(lines: readonly string[], signal: AbortSignal): Promise<void>;
  close(): void;
}
