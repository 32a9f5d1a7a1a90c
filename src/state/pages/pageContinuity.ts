import type { DatabaseSync } from 'node:sqlite';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import { CONTINUED_HASH, NO_HASH } from '../../eventLog/hashChain.ts';
import { readAcceptedUpTo } from '../../eventLog/sqlite/acceptedLosses.ts';
import { brokenLink, type PageLinks, type StreamLinks } from './pageLinker.ts';

/** With more streams the oldest are looked up again. */
const MAX_STREAMS = 10_000;

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
