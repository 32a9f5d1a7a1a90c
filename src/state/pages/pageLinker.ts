import { EventParked } from '../../domain/outbox/events.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import type { EventColumns } from '../../eventLog/sqlite/eventRows.ts';
import { chainOf, continuedHashOf, hashAfter } from '../../eventLog/storedChain.ts';

// Imports little, because the thread that reads pages does, and a start waits for it.

/** A row of a page, with the metadata that links it to those before it. */
export type LinkedRow = [...EventColumns, metadata: string];

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

  /** Links the next rows. */
  add(rows: readonly LinkedRow[]): void {
    if (this.#first === 0 && rows[0]) {
      this.#first = rows[0][0];
      this.#last = this.#first - 1;
    }
    for (const row of rows) this.#add(row);
  }

  get links(): PageLinks {
    return { first: this.#first, last: this.#last, streams: [...this.#byStream.values()], breaks: this.#breaks };
  }

  #add(row: LinkedRow): void {
    const before = this.#last;
    this.#last = row[0];
    const links = this.#links;
    // Nearly every event follows one of its stream. By index: code that destructures lists takes V8 long to compile.
    if (
      links?.[5] !== undefined &&
      row[0] === before + 1 &&
      row[2] === links[4] + 1 &&
      row[1] === links[0] &&
      row[3] !== EventParked.type
    ) {
      const hash = hashAfter(links[5], row[7]);
      if (hash !== undefined) {
        links[4] = row[2];
        links[5] = hash;
        return;
      }
    }
    this.#addOther(row, before);
  }

  #addOther([position, stream, revision, type, , , data, metadata]: LinkedRow, before: number): void {
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
