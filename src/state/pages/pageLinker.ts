import { EventParked } from '../../domain/outbox/events.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import type { EventColumns } from '../../eventLog/sqlite/eventRows.ts';
import { chainOf, continuedHashOf, hashAfter } from '../../eventLog/storedChain.ts';

// Imports little, because the thread that reads pages does, and a start waits for it.

/** The events of one stream in a page, which continue each other. */
export type StreamLinks = [
  stream: string,
  /** Of the first event in the page. */
  position: number,
  revision: number,
  previousHash: string | undefined,
  lastRevision: number,
  /** What the next event of the stream must name as its predecessor; undefined: it is not known. */
  lastHash: string | undefined,
];

/** How the events of a page are linked, for the check against the pages before it. */
export interface PageLinks {
  /** Positions of the first and the last event; 0 in an empty page. */
  readonly first: number;
  readonly last: number;
  readonly streams: readonly StreamLinks[];
  /** Events that do not continue those before them in the page. */
  readonly breaks: readonly LogBreak[];
}

/** Links the events of a page. Nearly all of them are requests of one stream, so this costs little more than reading them. */
export class PageLinker {
  readonly #byStream = new Map<string, StreamLinks>();
  readonly #breaks: LogBreak[] = [];
  #first = 0;
  #last = 0;
  /** Of the last event. */
  #links: StreamLinks | undefined;

  get links(): PageLinks {
    return { first: this.#first, last: this.#last, streams: [...this.#byStream.values()], breaks: this.#breaks };
  }

  /**
   * Links an event that follows the one before it in the log and in its stream, as nearly all do. Not for `EventParked`.
   * @returns false if it does not, or is not known to: then it has to be added
   */
  addNext(stream: string, position: number, revision: number, metadata: string): boolean {
    const links = this.#links;
    if (links?.[5] === undefined || position !== this.#last + 1 || revision !== links[4] + 1 || stream !== links[0]) {
      return false;
    }
    const hash = hashAfter(links[5], metadata);
    if (hash === undefined) return false;
    this.#last = position;
    links[4] = revision;
    links[5] = hash;
    return true;
  }

  /** Links the next event. */
  add([position, stream, revision, type, , , data]: EventColumns, metadata: string): void {
    if (type !== EventParked.type && this.addNext(stream, position, revision, metadata)) return;
    if (this.#first === 0) {
      this.#first = position;
      this.#last = position - 1;
    }
    const before = this.#last;
    this.#last = position;
    const chain = chainOf(metadata);
    const { previousHash } = chain;
    const hash = continuedHashOf(type, data, chain);
    if (position !== before + 1) {
      this.#breaks.push({ position, stream, revision, reason: `follows position ${before}` });
    }
    const links = this.#byStream.get(stream);
    if (!links) {
      this.#links = [stream, position, revision, previousHash, revision, hash];
      this.#byStream.set(stream, this.#links);
      return;
    }
    this.#links = links;
    const broken = brokenLink(links[4], links[5], { position, stream, revision, previousHash });
    if (broken) this.#breaks.push(broken);
    links[4] = revision;
    links[5] = hash;
  }
}

/** Why an event does not follow the last one of its stream; undefined if it does. */
export function brokenLink(
  last: number,
  lastHash: string | undefined,
  { previousHash, ...event }: Omit<LogBreak, 'reason'> & { readonly previousHash: string | undefined },
): LogBreak | undefined {
  if (event.revision !== last + 1) {
    return { ...event, reason: `is revision ${event.revision} of its stream, but follows revision ${last}` };
  }
  if (previousHash === undefined || lastHash === undefined || previousHash === lastHash) return undefined;
  return { ...event, reason: 'does not have the hash of the event before it in its stream' };
}
