import { BoundedCache, type CacheEntry, type CacheLimits } from '../requestBody/boundedCache.ts';
import type { ModelRequest } from '../responses/modelRequest.ts';

/** What all chats are that are the same JSON but for their long texts. */
export interface ChatShape {
  readonly id: number;
  /** Of a request with this shape; the others depend on its texts. */
  readonly facts: Omit<ModelRequest, 'bodyBytes' | 'conversationKey' | 'upstreamBody'>;
  /** Names the conversation, unless a header does. */
  readonly names: { readonly prompt_cache_key: unknown; readonly conversation: unknown };
  /** The body for the provider: bytes, and numbers of the texts between them. */
  readonly body: readonly (Buffer | number)[];
  /** The message that identifies an unnamed conversation, with marks. */
  readonly firstMessage: unknown;
  /** The number of the text in it, if it has one. */
  readonly textOfFirstMessage: number | undefined;
}

interface Entry extends CacheEntry {
  readonly shape: ChatShape;
}

/** Longer ones have many short texts, and hardly come again. */
const MAX_JSON_CHARACTERS = 4_096;
/** The JSON of the request, that for the provider and the first message, of two bytes a character. */
const SIZE_PER_CHARACTER = 8;
const ENTRY_OVERHEAD = 1_500;

/**
 * Caches what chats are mapped to, by their JSON without long texts: the requests of an application differ in little else, and the
 * mapping does not examine long texts.
 */
export class ChatShapes {
  readonly #cache: BoundedCache<Entry>;
  #lastId = 0;

  constructor(limits: Omit<CacheLimits, 'maxEntriesPerKey'>) {
    this.#cache = new BoundedCache({ ...limits, maxEntriesPerKey: 1 });
  }

  get size(): number {
    return this.#cache.size;
  }

  /** @returns an id that no other shape has had */
  newId(): number {
    return ++this.#lastId;
  }

  find(json: string): ChatShape | undefined {
    return this.#cache.get(json)[0]?.shape;
  }

  remember(json: string, shape: ChatShape): void {
    if (json.length > MAX_JSON_CHARACTERS) return;
    const size = json.length * SIZE_PER_CHARACTER + ENTRY_OVERHEAD;
    this.#cache.add(json, { shape, size, usedAt: this.#cache.tick() });
  }
}
