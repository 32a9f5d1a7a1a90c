import type { Fault } from '../lib/faults.ts';
import { type ChainHead, NO_HASH } from './hashChain.ts';

/** What links an event to those before it. */
export interface EventLink {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  /** Undefined for an event that svc did not write. */
  readonly previousHash: string | undefined;
  readonly hash: string | undefined;
}

/** An event that does not continue the log before it. */
export interface LogBreak {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  /** Continues a sentence that begins with the event. */
  readonly reason: string;
}

/** The hash of the event at a revision of a stream; undefined when the log has none there, null when it has no hash. */
export type HashAt = (stream: string, revision: number) => string | null | undefined;

/** Whether all positions from `first` to `last` are archived. */
export type IsArchived = (first: number, last: number) => boolean;

/** With more streams the oldest are looked up again. */
const MAX_STREAMS = 10_000;

/**
 * Checks that events which are read in order continue each other: positions and the revisions of each stream without gaps,
 * and each event with the hash of its predecessor. Cheap: no hash is computed (see `hashVerifier.ts` for that).
 */
export class Continuity {
  readonly #hashAt: HashAt;
  readonly #isArchived: IsArchived;
  readonly #heads = new Map<string, ChainHead>();
  /** The one whose head was set last. */
  #lastStream = '';
  #last: number;

  /** @param after position of the last event that is not checked @param hashAt looks up events before the checked ones */
  constructor(after: number, hashAt: HashAt, isArchived: IsArchived = () => false) {
    this.#last = after;
    this.#hashAt = hashAt;
    this.#isArchived = isArchived;
  }

  /** Checks the next event. @returns why it does not continue the log; undefined if it does */
  check(link: EventLink): LogBreak | undefined {
    const reason = this.#reason(link);
    this.#last = link.position;
    this.#setHead(link);
    const { position, stream, revision } = link;
    return reason === undefined ? undefined : { position, stream, revision, reason };
  }

  #reason({ position, stream, revision, previousHash }: EventLink): string | undefined {
    if (position !== this.#last + 1) {
      if (!(position > this.#last && this.#isArchived(this.#last + 1, position - 1)))
        return `follows position ${this.#last}`;
      // Streams may have events in the gap, also while the rows of a day are being removed.
      this.#heads.clear();
    }
    const head = this.#headOf(stream, revision);
    if (!head) return `is revision ${revision} of its stream, but revision ${revision - 1} is missing`;
    if (revision !== head.revision + 1)
      return `is revision ${revision} of its stream, but follows revision ${head.revision}`;
    const isChained = previousHash === undefined || head.hash === '' || previousHash === head.hash;
    return isChained ? undefined : 'does not have the hash of the event before it in its stream';
  }

  #headOf(stream: string, revision: number): ChainHead | undefined {
    const head = this.#heads.get(stream);
    if (head) return head;
    if (revision === 0) return { revision: -1, hash: NO_HASH };
    const hash = this.#hashAt(stream, revision - 1);
    return hash === undefined ? undefined : { revision: revision - 1, hash: hash ?? '' };
  }

  #setHead({ stream, revision, hash }: EventLink): void {
    // Otherwise it is the latest entry already.
    if (stream !== this.#lastStream) this.#heads.delete(stream);
    this.#lastStream = stream;
    this.#heads.set(stream, { revision, hash: hash ?? '' });
    if (this.#heads.size > MAX_STREAMS) this.#heads.delete(this.#heads.keys().next().value as string);
  }
}

/** What is wrong with a log, in a sentence. @param name of the log */
export const describeBreak = (name: string, { position, stream, reason }: LogBreak): string =>
  `${name} is broken at position ${position}: the event of ${stream} there ${reason}.`;

/** The fault of a log that is found to be broken while svc runs. */
export const logBroken = (name: string, found: LogBreak): Fault => ({
  code: 'log_broken',
  subject: found.stream,
  cause: `${describeBreak(name, found)} Events are missing, or were changed.`,
  remedy: 'Stop svc and restore the log from a backup. To go on without the events, run "svc accept-loss".',
});

/** An event does not continue the log before it, and no operator has accepted that. */
export class LogBroken extends Error {
  override readonly name = 'LogBroken';
  readonly code = 'LOG_BROKEN';
  readonly found: LogBreak;
  /** @param path the log's file @param remedy what an operator can do */
  constructor(path: string, found: LogBreak, remedy?: string) {
    super([describeBreak(path, found), 'Events are missing, or were changed.', remedy].filter(Boolean).join(' '));
    this.found = found;
  }
}
