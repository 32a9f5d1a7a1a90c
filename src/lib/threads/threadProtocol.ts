import type { Channel, Endpoint, Messages } from './channel.ts';

/** Declares everything that passes between a thread and its owner, the thread that started it. */
export interface ThreadProtocol extends Endpoint {
  /** Data that the thread is started with. */
  readonly options?: unknown;
  /** Data that the thread reports once it accepts messages. */
  readonly ready?: unknown;
  /** Notifications from the thread to its owner. */
  readonly reports?: Messages;
  /** Requests of the thread to its owner. */
  readonly questions?: Messages;
}

/** The owner's side, as the thread sees it. */
export interface OwnerEndpoint<Protocol extends ThreadProtocol> extends Endpoint {
  readonly notifications: NonNullable<Protocol['reports']>;
  readonly requests: NonNullable<Protocol['questions']>;
}

/** Names of the messages that every thread accepts; no protocol declares names that begin with #. */
export const START = '#start';
export const STOP = '#stop';

/** The channel of an owner for these messages. */
export type ControlChannel = Channel<{
  /** Replied to with the `ready` data, or with the error of a start that failed. */
  readonly requests: { [START](): unknown };
  /** Finish, within this time if there is a limit, and end. */
  readonly notifications: { [STOP](timeoutMs: number | undefined): void };
}>;
