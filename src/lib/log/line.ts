/** `info` for what happened as intended, `warn` for what an operator may want to know, `error` for what needs one. */
export type Level = 'info' | 'warn' | 'error' | 'fatal';

/** What a line has besides its message. Text from outside is escaped by the log. */
export interface LineDetails {
  /** Default `info`. */
  readonly level?: Level;
  /** The cause, as a name that never changes: what lines are limited by, and what alerts search for. */
  readonly code?: string;
  /** What it is about: an account, a file, a stream, an address. */
  readonly subject?: string;
  /** The id of the request that showed it. */
  readonly request?: string;
  /** Whether something is over that lines with the same code and subject had said. */
  readonly isOver?: boolean;
}

export interface Line extends LineDetails {
  readonly level: Level;
  readonly message: string;
}

/** Writes one line for the operator. The message says what happened, what it costs and what to do, without secrets or prompts. */
export type Print = (message: string, details?: LineDetails) => void;
