import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

const MAX_ITEMS = 2_000;
const MAX_CHARACTERS = 8_000_000;

/** Finds an output item of a recent response by its id; undefined when it is not, or no longer, cached. */
export type RecallItem = (id: string) => unknown;

/** The provider stores nothing, so it refuses reasoning without encrypted content when it is sent again. */
const isUnusableReasoning = (item: JsonObject) =>
  item.type === 'reasoning' && typeof item.encrypted_content !== 'string';

/**
 * Caches the output items of recent responses in memory. The AI SDK refers to them by id instead of sending them again,
 * and the provider refuses such references. A client can only recall its own items.
 * (docs/clients.md#previous_response_id-and-item_reference)
 */
export class RecentItems {
  readonly #items = new Map<string, { readonly item: unknown; readonly size: number }>();
  #size = 0;

  remember(client: string, output: readonly unknown[]): void {
    for (const item of output) {
      if (!isObject(item) || typeof item.id !== 'string' || isUnusableReasoning(item)) continue;
      const id = `${client} ${item.id}`;
      this.#forget(id);
      const size = JSON.stringify(item).length;
      this.#items.set(id, { item, size });
      this.#size += size;
    }
    for (const id of this.#items.keys()) {
      if (this.#items.size <= MAX_ITEMS && this.#size <= MAX_CHARACTERS) break;
      this.#forget(id);
    }
  }

  recall(client: string, id: string): unknown {
    return this.#items.get(`${client} ${id}`)?.item;
  }

  #forget(id: string): void {
    const entry = this.#items.get(id);
    if (!entry) return;
    this.#items.delete(id);
    this.#size -= entry.size;
  }
}
