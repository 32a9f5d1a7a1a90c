import type { DatabaseSync } from 'node:sqlite';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import { CONTINUED_HASH, NO_HASH } from '../../eventLog/hashChain.ts';
import { readAcceptedUpTo } from '../../eventLog/sqlite/acceptedLosses.ts';
import type { EventColumns } from '../../eventLog/sqlite/eventRows.ts';
import { chainOf, continuedHashOf } from '../../eventLog/storedChain.ts';

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

  #add([position, stream, revision, type, , , data, metadata]: LinkedRow): void {
    const chain = chainOf(metadata);
    const hash = continuedHashOf(type, data, chain);
    if (position !== this.#last + 1)
      this.#breaks.push({ position, stream, revision, reason: `follows position ${this.#last}` });
    this.#last = position;
    const links = this.#links?.[0] === stream ? this.#links : this.#byStream.get(stream);
    if (!links) {
      this.#links = [stream, position, revision, chain.previousHash, revision, hash];
      this.#byStream.set(stream, this.#links);
      return;
    }
    this.#links = links;
    const broken = brokenLink(links[4], links[5], { position, stream, revision, previousHash: chain.previousHash });
    if (broken) this.#breaks.push(broken);
    links[4] = revision;
    links[5] = hash;
  }
}

/** Checks that the pages of a log, in order, continue each other. */
export class PageContinuity {
  readonly #hashAt: ReturnType<DatabaseSync['prepare']>;
  readonly #heads = new Map<string, readonly [revision: number, hash: string | undefined]>();
  readonly #acceptedUpTo: number;
  readonly #archivePath: string;
  #last: number;
  #broken: LogBreak | undefined;

  /** @param after position of the last event that is not checked @param archivePath the file that knows streams without rows */
  constructor(database: DatabaseSync, after: number, archivePath: string) {
    this.#archivePath = archivePath;
    this.#last = after;
    this.#acceptedUpTo = readAcceptedUpTo(database);
    this.#hashAt = database.prepare(`SELECT ${CONTINUED_HASH} AS hash FROM events WHERE stream = ? AND revision = ?`);
  }

  /** The first event that does not continue the log before it, unless that was accepted. */
  get broken(): LogBreak | undefined {
    return this.#broken;
  }

  check({ first, last, streams, breaks }: PageLinks): void {
    if (first === 0) return;
    for (const links of streams) this.#checkStream(links, first);
    for (const broken of breaks) this.#note(broken);
    this.#last = last;
  }

  #checkStream([stream, position, revision, previousHash, lastRevision, lastHash]: StreamLinks, first: number): void {
    const event = { position, stream, revision, previousHash };
    if (position === first && first !== this.#last + 1) {
      this.#note({ position, stream, revision, reason: `follows position ${this.#last}` });
    }
    const head = this.#heads.get(stream) ?? this.#headBefore(stream, revision);
    this.#note(
      head
        ? brokenLink(head[0], head[1], event)
        : {
            position,
            stream,
            revision,
            reason: `is revision ${revision} of its stream, but revision ${revision - 1} is missing`,
          },
    );
    this.#heads.delete(stream);
    this.#heads.set(stream, [lastRevision, lastHash]);
    if (this.#heads.size > MAX_STREAMS) this.#heads.delete(this.#heads.keys().next().value as string);
  }

  /** The head of a stream that was not read, for an event that should follow it. */
  #headBefore(stream: string, revision: number): readonly [number, string | undefined] | undefined {
    if (revision === 0) return [-1, NO_HASH];
    const row = this.#hashAt.get(stream, revision - 1) as { hash: string | null } | undefined;
    return row ? [revision - 1, row.hash ?? undefined] : this.#archivedHead(stream, revision - 1);
  }

  /** The head of a stream whose events are archived: a later one was written when a clock went back. */
  #archivedHead(stream: string, revision: number): readonly [number, string | undefined] | undefined {
    const archived = ArchivedEvents.open(this.#archivePath);
    try {
      const hash = archived?.hashAt(stream, revision);
      return hash === undefined ? undefined : [revision, hash ?? undefined];
    } finally {
      archived?.close();
    }
  }

  #note(broken: LogBreak | undefined): void {
    if (!broken || broken.position <= this.#acceptedUpTo) return;
    if (!this.#broken || broken.position < this.#broken.position) this.#broken = broken;
  }
}

const MAX_STREAMS = 10_000;

function brokenLink(
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
