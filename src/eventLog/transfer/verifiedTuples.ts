import { createHash } from 'node:crypto';
import { type ChainHead, emptyChain, hashOfStored, isBreak, verifyLink } from '../hashChain.ts';
import type { EventTuple } from '../sqlite/eventTuple.ts';
import { chainAtEnd, continuedHashOf } from '../storedChain.ts';
import { eventOfTuple, tupleOfEvent } from './eventTuples.ts';
import { TransferFailed } from './history.ts';

/** Digests are updated with so many characters at once. */
const UPDATE_LENGTH = 65_536;

/**
 * Verifies the events of a complete history one after the other: their positions, and the hash chain of each stream. An event whose
 * text is what its hash covers is not parsed.
 */
export class TupleVerifier {
  /** Whether each event so far is spelled as svc writes JSON. */
  isAsWritten = true;
  readonly #name: string;
  readonly #heads = new Map<string, ChainHead>();
  readonly #digest = createHash('sha256');
  #digested = '';
  #last = 0;

  /** @param name of the history, for messages */
  constructor(name: string) {
    this.#name = name;
  }

  /** @throws TransferFailed for an event that is not intact */
  verify(event: EventTuple): void {
    const [position, stream] = event;
    if (position !== this.#last + 1) {
      throw new TransferFailed(`${this.#name} has no event at position ${this.#last + 1}`);
    }
    const head = this.#heads.get(stream) ?? emptyChain;
    let next = this.#textAfter(head, event);
    if (!next) {
      this.isAsWritten = false;
      next = this.#parsedAfter(head, event);
    }
    this.#heads.set(stream, next.head);
    this.#last = position;
    this.#digested += `${position} ${next.hash}\n`;
    if (this.#digested.length >= UPDATE_LENGTH) this.#updateDigest();
  }

  /**
   * The digest of positions and hashes. An event's hash covers all else that it has, so two histories that were verified and that
   * have the same digest are the same, in content and order.
   */
  digest(): string {
    this.#updateDigest();
    return this.#digest.copy().digest('hex');
  }

  #updateDigest(): void {
    this.#digest.update(this.#digested);
    this.#digested = '';
  }

  /** @returns undefined when the event has to be parsed to say whether it is intact */
  #textAfter(head: ChainHead, event: EventTuple): { readonly head: ChainHead; readonly hash: string } | undefined {
    const [, stream, revision, id, type, version, time, data, metadata] = event;
    const chain = chainAtEnd(metadata);
    if (chain?.hash === undefined || revision !== head.revision + 1 || chain.previousHash !== head.hash)
      return undefined;
    if (!metadata.startsWith(`{"schemaVersion":${version},`)) return undefined;
    if (hashOfStored({ stream, revision, id, type, time, data }, metadata) !== chain.hash) return undefined;
    const continued = continuedHashOf(type, data, chain);
    return { head: { revision, hash: typeof continued === 'string' ? continued : chain.hash }, hash: chain.hash };
  }

  #parsedAfter(head: ChainHead, event: EventTuple): { readonly head: ChainHead; readonly hash: string } {
    const [position, stream, revision] = event;
    const parsed = eventOfTuple(event);
    const next = verifyLink(parsed, head);
    if (isBreak(next)) {
      throw new TransferFailed(
        `${this.#name} is not intact at position ${position} (${stream}, revision ${revision}): ${next.reason}`,
      );
    }
    return { head: next, hash: parsed.metadata.hash };
  }
}

/** The event as svc writes JSON, whose hash may be that of another spelling. */
export const spelledAsWritten = (event: EventTuple): EventTuple => tupleOfEvent(eventOfTuple(event));
