/** Bits of the last two characters. */
const BITS = 6;
const MASK = (1 << BITS) - 1;

/** Names that are looked for among the names of all events. */
export class WantedNames {
  readonly #names: ReadonlySet<string>;
  /** By the last two characters: looking up a text in a set hashes all of it, and almost no event has a wanted name. */
  readonly #endings = new Uint8Array(1 << (2 * BITS));

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    for (const name of names) this.#endings[endingOf(name)] = 1;
  }

  has(name: string): boolean {
    return this.#endings[endingOf(name)] === 1 && this.#names.has(name);
  }
}

function endingOf(name: string): number {
  const { length } = name;
  return ((name.charCodeAt(length - 2) & MASK) << BITS) | (name.charCodeAt(length - 1) & MASK);
}
