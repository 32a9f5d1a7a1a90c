import { join } from 'node:path';
import { position } from '../../../src/domain/core/brands.ts';
import type { CompletedRequest, RefusedRequest } from '../../../src/domain/request/events.ts';
import type { StoredEvent } from '../../../src/eventLog/eventLog.ts';
import { type ChainHead, emptyChain, isBreak, verifyLink } from '../../../src/eventLog/hashChain.ts';
import { createReader } from '../../../src/eventLog/sqlite/reader.ts';

export interface Admitted {
  readonly requestId: string;
  readonly stream: string;
}

export interface Completed extends CompletedRequest {
  readonly stream: string;
}

/** Reads the request events of a data folder's log page by page, and checks the chain of all events. */
export class VerifiedLog {
  readonly completed = new Map<string, Completed>();
  readonly refused = new Map<string, RefusedRequest>();
  readonly admitted = new Map<string, Admitted>();
  /** Wrong positions, revisions or hashes, and requests that ended twice. */
  readonly problems: string[] = [];
  #last = 0;
  readonly #heads = new Map<string, ChainHead>();
  readonly #path: string;

  /** @param file the log of the folder, or `mirror.sqlite` over EventStoreDB */
  constructor(folder: string, file = 'log.sqlite') {
    this.#path = join(folder, file);
  }

  /** The number of events read. */
  get length(): number {
    return this.#last;
  }

  /** The number of streams read. */
  get streams(): number {
    return this.#heads.size;
  }

  /**
   * Reads the events appended since the last call, over a connection of its own: one that stayed open could repair the
   * file of a killed service in the service's place.
   */
  readNew(): void {
    const reader = createReader(this.#path);
    try {
      for (;;) {
        const page = reader.storedPage(position(this.#last), position(Number.MAX_SAFE_INTEGER));
        if (page.length === 0) return;
        for (const event of page) this.#take(event);
      }
    } finally {
      reader.close();
    }
  }

  #take(event: StoredEvent): void {
    const { problems } = this;
    if (event.position !== this.#last + 1) problems.push(`position ${event.position} follows ${this.#last}`);
    this.#last = event.position;
    const link = verifyLink(event, this.#heads.get(event.stream) ?? emptyChain);
    if (isBreak(link)) problems.push(`${link.stream}: ${link.reason}`);
    else this.#heads.set(event.stream, link);
    const known = this.#remember(event);
    if (known) problems.push(`double: ${known} had ended before position ${event.position}, a ${event.type}`);
  }

  /** @returns the request's id when the request had already ended */
  #remember({ type, data, stream }: StoredEvent): string | undefined {
    const { requestId } = data as { requestId: string };
    const isKnown = this.completed.has(requestId) || this.refused.has(requestId);
    switch (type) {
      case 'RequestAdmitted':
        this.admitted.set(requestId, { requestId, stream });
        return isKnown ? requestId : undefined;
      case 'RequestCompleted':
        this.completed.set(requestId, { ...(data as CompletedRequest), stream });
        return isKnown ? requestId : undefined;
      case 'RequestRefused':
        this.refused.set(requestId, data as RefusedRequest);
        return isKnown ? requestId : undefined;
      default:
        return undefined;
    }
  }
}
