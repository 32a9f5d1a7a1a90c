import { parseJson } from '../eventLog/storedChain.ts';

/** Whether a text is JSON as `JSON.stringify` writes it. */
export function isCanonical(json: string): boolean {
  const value = parseJson(json);
  return value !== undefined && JSON.stringify(value) === json;
}

/** Metadata as `prepareAppend` orders it, before and after the actor: what matches has no other spelling. */
const BEFORE_ACTOR = /^\{"schemaVersion":[1-9]\d*,"metadataVersion":2,"actor":/;
const CORRELATION = ',"correlationId":"';
const AFTER_ACTOR =
  /^,"correlationId":"[\w.:-]*"(?:,"causationId":"[\w.:-]*")?,"node":"[a-z0-9-]*","previousHash":"[0-9a-f]{64}","hash":"[0-9a-f]{64}"\}$/;
/** Actors differ by key and session. */
const MAX_ACTORS = 10_000;

/** Checks metadata, most of which has an actor that was seen before. */
export class CanonicalMetadata {
  readonly #actors = new Set<string>();

  isCanonical(metadata: string): boolean {
    const start = BEFORE_ACTOR.exec(metadata)?.[0].length ?? 0;
    const end = metadata.lastIndexOf(CORRELATION);
    if (start === 0 || end < start || !AFTER_ACTOR.test(metadata.slice(end))) return isCanonical(metadata);
    const actor = metadata.slice(start, end);
    if (this.#actors.has(actor)) return true;
    if (!isCanonical(metadata) || !isCanonical(actor)) return false;
    if (this.#actors.size >= MAX_ACTORS) this.#actors.clear();
    this.#actors.add(actor);
    return true;
  }
}
