import { parseJson } from '../eventLog/storedChain.ts';
import { RecentTexts } from './recentTexts.ts';

/** Whether a text is JSON as `JSON.stringify` writes it. */
export function isCanonical(json: string): boolean {
  const value = parseJson(json);
  return value !== undefined && JSON.stringify(value) === json;
}

/** Metadata as `prepareAppend` orders it: what matches these parts has no other spelling. */
const BEFORE_ACTOR = /^\{"schemaVersion":[1-9]\d*,"metadataVersion":2,"actor":/;
const CORRELATION = ',"correlationId":"';
const NAME = /^[\w.:-]*$/;
const BEFORE_HASHES = /^"(?:,"causationId":"[\w.:-]*")?,"node":"[a-z0-9-]*","previousHash":"$/;
const BETWEEN_HASHES = '","hash":"';
const BRACE = 0x7d;
/** Characters from the beginning of the previous hash to the end. */
const HASHES_LENGTH = 140;
const MAX_SEEN_LENGTH = 400;

export interface MetadataSpelling {
  readonly isCanonical: boolean;
  /** The correlation id as JSON, where it is known without parsing. */
  readonly correlationJson: string | undefined;
}

const CANONICAL: MetadataSpelling = { isCanonical: true, correlationJson: undefined };
const NOT_CANONICAL: MetadataSpelling = { isCanonical: false, correlationJson: undefined };

/** Checks metadata, most of which begins and continues like metadata that was seen before. */
export class CanonicalMetadata {
  /** Up to the actor: these differ by key and session. */
  readonly #beginnings = new RecentTexts();
  /** Between the correlation id and the hashes, without a cause: one for each node. */
  #middle = '';

  /**
   * The two hashes are only checked for escapes and quotes: the caller compares one with that of the content and the other one
   * with that of the event before.
   * @param plainId a text that needs no escapes as JSON, and that probably is the correlation id
   */
  spellingOf(metadata: string, plainId?: string): MetadataSpelling {
    const { length } = metadata;
    const hashes = length - HASHES_LENGTH;
    const end = this.#endOfCorrelation(metadata, hashes);
    const start = metadata.lastIndexOf('"', end - 1) + 1;
    const actorEnd = start - CORRELATION.length;
    if (actorEnd < 0 || metadata.slice(actorEnd, start) !== CORRELATION) return parsed(metadata);
    const correlationId = metadata.slice(start, end);
    const isWritten =
      (correlationId === plainId || NAME.test(correlationId)) &&
      metadata.slice(hashes + 64, hashes + 64 + BETWEEN_HASHES.length) === BETWEEN_HASHES &&
      metadata.indexOf('"', hashes) === hashes + 64 &&
      metadata.indexOf('"', hashes + 64 + BETWEEN_HASHES.length) === length - 2 &&
      metadata.indexOf('\\', hashes) < 0 &&
      metadata.charCodeAt(length - 1) === BRACE &&
      this.#isBeginning(metadata.slice(0, actorEnd), metadata);
    return isWritten ? { isCanonical: true, correlationJson: `"${correlationId}"` } : parsed(metadata);
  }

  /** @returns where the quote behind the correlation id is; -1 where the text between it and the hashes is another one */
  #endOfCorrelation(metadata: string, hashes: number): number {
    const expected = hashes - this.#middle.length;
    if (this.#middle !== '' && metadata.slice(Math.max(0, expected), hashes) === this.#middle) return expected;
    const end = metadata.indexOf('"', metadata.lastIndexOf(CORRELATION) + CORRELATION.length);
    const middle = metadata.slice(end, hashes);
    if (hashes < end || !BEFORE_HASHES.test(middle)) return -1;
    if (!middle.includes('causationId')) this.#middle = copyOf(middle);
    return end;
  }

  #isBeginning(text: string, metadata: string): boolean {
    if (this.#beginnings.has(text)) return true;
    const start = BEFORE_ACTOR.exec(text)?.[0].length;
    if (start === undefined || !isCanonical(text.slice(start)) || !isCanonical(metadata)) return false;
    if (text.length <= MAX_SEEN_LENGTH) this.#beginnings.add(text);
    return true;
  }
}

/** A slice of metadata would keep all of it in memory. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

const parsed = (metadata: string): MetadataSpelling => (isCanonical(metadata) ? CANONICAL : NOT_CANONICAL);
