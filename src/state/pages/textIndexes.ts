/** A power of two, several times the number of texts that are in use at the same time. */
const SLOTS = 16_384;

/**
 * Numbers texts in the order in which they come. Nearly all come again and again, as slices of new strings: to find one by its
 * hash means to compute that, which costs several times as much as comparing it with the text that was last in its slot.
 */
export class TextIndexes {
  readonly #indexes = new Map<string, number>();
  readonly #texts: string[] = [];
  /** By slot the index of the text that came last. */
  readonly #recent = new Uint32Array(SLOTS);

  get size(): number {
    return this.#texts.length;
  }

  /** @param part characters of a text as in JSON @param onNew called with a text that has not come before */
  indexOf(part: string, onNew: (text: string) => void): number {
    const slot = slotOf(part);
    const recent = this.#recent[slot] as number;
    if (this.#texts[recent] === part) return recent;
    const index = this.#indexes.get(part) ?? this.#add(part, onNew);
    this.#recent[slot] = index;
    return index;
  }

  clear(): void {
    this.#indexes.clear();
    this.#texts.length = 0;
  }

  #add(part: string, onNew: (text: string) => void): number {
    const index = this.#texts.length;
    // A copy, because a slice of the JSON would keep the whole JSON in memory.
    const text = JSON.parse(`"${part}"`) as string;
    this.#indexes.set(text, index);
    this.#texts.push(text);
    onNew(text);
    return index;
  }
}

/** Ids and digests differ in their last characters. */
function slotOf(part: string): number {
  const end = part.length;
  if (end < 4) return end;
  const first = part.charCodeAt(end - 1) * 31 + part.charCodeAt(end - 2);
  const second = part.charCodeAt(end - 3) * 31 + part.charCodeAt(end - 4);
  return (first * 961 + second + end) % SLOTS;
}
