import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

const MAX_ITEMS = 2_000;
const MAX_CHARACTERS = 8_000_000;

/** Reasoning without its encrypted content is refused by a provider that stores nothing, so it cannot be sent again. */
const isLostReasoning = (item: JsonObject) => item.type === 'reasoning' && typeof item.encrypted_content !== 'string';

/**
 * Output items of recent answers, in memory only. The AI SDK refers to them by id instead of sending them again, which
 * a provider that stores nothing would refuse (clients.md section 0, row 7). Each client sees only its own.
 */
export class RecentItems {
  readonly #items = new Map<string, { readonly item: unknown; readonly size: number }>();
  #size = 0;

  remember(client: string, output: readonly unknown[]): void {
    for (const item of output) {
      if (!isObject(item) || typeof item.id !== 'string' || isLostReasoning(item)) continue;
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
    const known = this.#items.get(id);
    if (!known) return;
    this.#items.delete(id);
    this.#size -= known.size;
  }
}
