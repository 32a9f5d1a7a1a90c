import { parseJson } from '../eventLog/storedChain.ts';

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
/** Characters from the beginning of the previous hash to the end. */
const HASHES_LENGTH = 140;
/** Actors differ by key and session, nodes by their names. */
const MAX_SEEN = 10_000;
const MAX_SEEN_LENGTH = 400;

export interface MetadataSpelling {
  readonly isCanonical: boolean;
  /** Where it is known without parsing. */
  readonly correlationId: string | undefined;
}

const NOT_CANONICAL: MetadataSpelling = { isCanonical: false, correlationId: undefined };

/** Checks metadata, most of which begins and continues like metadata that was seen before. */
export class CanonicalMetadata {
  readonly #beginnings = new Set<string>();
  readonly #middles = new Set<string>();

  /**
   * The two hashes are only checked for escapes and quotes: the caller compares one with that of the content and the other one
   * with that of the event before.
   */
  spellingOf(metadata: string): MetadataSpelling {
    const actorEnd = metadata.lastIndexOf(CORRELATION);
    const start = actorEnd + CORRELATION.length;
    const end = metadata.indexOf('"', start);
    const hashes = metadata.length - HASHES_LENGTH;
    if (actorEnd < 0 || hashes < end) return parsed(metadata);
    const correlationId = metadata.slice(start, end);
    const isWritten =
      NAME.test(correlationId) &&
      metadata.startsWith(BETWEEN_HASHES, hashes + 64) &&
      metadata.indexOf('"', hashes) === hashes + 64 &&
      metadata.indexOf('"', hashes + 64 + BETWEEN_HASHES.length) === metadata.length - 2 &&
      !metadata.includes('\\', hashes) &&
      metadata.endsWith('}') &&
      this.#isMiddle(metadata.slice(end, hashes)) &&
      this.#isBeginning(metadata.slice(0, actorEnd), metadata);
    return isWritten ? { isCanonical: true, correlationId } : parsed(metadata);
  }

  #isBeginning(text: string, metadata: string): boolean {
    if (this.#beginnings.has(text)) return true;
    const start = BEFORE_ACTOR.exec(text)?.[0].length;
    if (start === undefined || !isCanonical(text.slice(start)) || !isCanonical(metadata)) return false;
    remember(this.#beginnings, text);
    return true;
  }

  #isMiddle(text: string): boolean {
    if (this.#middles.has(text)) return true;
    if (!BEFORE_HASHES.test(text)) return false;
    if (!text.includes('causationId')) remember(this.#middles, text);
    return true;
  }
}

const parsed = (metadata: string): MetadataSpelling =>
  isCanonical(metadata) ? { isCanonical: true, correlationId: undefined } : NOT_CANONICAL;

function remember(seen: Set<string>, text: string): void {
  if (text.length > MAX_SEEN_LENGTH) return;
  if (seen.size >= MAX_SEEN) seen.clear();
  seen.add(text);
}
