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

/** What the log of a data folder says, read on and checked from round to round. */
export class LogBook {
  readonly completed = new Map<string, Completed>();
  readonly refused = new Map<string, RefusedRequest>();
  readonly admitted = new Map<string, Admitted>();
  /** What is wrong with positions, revisions or hashes, and requests that ended twice. */
  readonly problems: string[] = [];
  #last = 0;
  readonly #heads = new Map<string, ChainHead>();
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, 'log.sqlite');
  }

  /** How many events the log holds. */
  get length(): number {
    return this.#last;
  }

  /** How many streams it has. */
  get streams(): number {
    return this.#heads.size;
  }

  /**
   * Reads what is new. The connection is closed again, so that it can never help a service that was killed to get its
   * file back in order.
   */
  readOn(): void {
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

  /** @returns the id of a request that had ended before */
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
