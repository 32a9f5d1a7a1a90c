/** A header's name as somebody writes it. */
interface HeaderName {
  readonly text: string;
  readonly key: Key;
}

/** One for all ways to write a name. */
interface Key {
  readonly inLowerCase: string;
  /** The last head that had it. */
  seenIn: number;
}

/** Agents write some thirty between them. */
const MAX_ENTRIES = 500;
const MAX_LENGTH = 100;

/**
 * The names of headers, which come again with every request: to find one costs a fraction of writing it in lower case and
 * making a property key of it.
 */
export class HeaderNames {
  #names = new Map<string, HeaderName>();
  #keys = new Map<string, Key>();
  #head = 0;

  /** A head begins. */
  begin(): void {
    this.#head += 1;
    // Whoever makes names up must not fill the memory; those in use are back with the next requests.
    if (this.#names.size < MAX_ENTRIES) return;
    this.#names = new Map();
    this.#keys = new Map();
  }

  /**
   * @param text a token (RFC 9110 section 5.6.2)
   * @returns undefined for a name that this head has already, in whatever case, that all objects have, or that is too long
   */
  read(text: string): HeaderName | undefined {
    const name = this.#names.get(text) ?? this.#add(text);
    if (name === undefined || name.key.seenIn === this.#head) return undefined;
    name.key.seenIn = this.#head;
    return name;
  }

  #add(text: string): HeaderName | undefined {
    const inLowerCase = text.toLowerCase();
    if (text.length > MAX_LENGTH || inLowerCase in Object.prototype) return undefined;
    let key = this.#keys.get(inLowerCase);
    if (!key) {
      key = { inLowerCase: asPropertyKey(inLowerCase), seenIn: 0 };
      this.#keys.set(inLowerCase, key);
    }
    // A copy: a slice would keep the head alive that it was cut from, and a secret with it.
    const name = { text: text === inLowerCase ? key.inLowerCase : asPropertyKey(text), key };
    this.#names.set(name.text, name);
    return name;
  }
}

/** The same text as V8 keeps it for property keys: these are compared by their place in memory. */
const asPropertyKey = (text: string): string => Object.keys({ [text]: 0 })[0] as string;
