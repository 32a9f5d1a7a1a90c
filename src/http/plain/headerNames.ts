/** A header name in one of its spellings. */
interface HeaderName {
  readonly text: string;
  readonly key: Key;
}

/** Shared by all spellings of a name. */
interface Key {
  readonly inLowerCase: string;
  /** Number of the latest head that contained it. */
  seenIn: number;
}

/** Clients use about thirty. */
const MAX_ENTRIES = 500;
const MAX_LENGTH = 100;

/**
 * Caches header names, which repeat with every request: a lookup costs a fraction of converting a name to lower case and to a
 * property key.
 */
export class HeaderNames {
  #names = new Map<string, HeaderName>();
  #keys = new Map<string, Key>();
  #headNumber = 0;

  /** To be called at the beginning of each head. */
  beginHead(): void {
    this.#headNumber += 1;
    // Bounds the memory that made-up names can take. Those in use return with the next requests.
    if (this.#names.size < MAX_ENTRIES) return;
    this.#names = new Map();
    this.#keys = new Map();
  }

  /**
   * @param text a token (RFC 9110 section 5.6.2)
   * @returns undefined for a name that repeats one of this head in any case, is a property of all objects, or is too long
   */
  read(text: string): HeaderName | undefined {
    const name = this.#names.get(text) ?? this.#add(text);
    if (name === undefined || name.key.seenIn === this.#headNumber) return undefined;
    name.key.seenIn = this.#headNumber;
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
    // A copy, because a slice would keep the head alive, and with it the secrets in it.
    const name = { text: text === inLowerCase ? key.inLowerCase : asPropertyKey(text), key };
    this.#names.set(name.text, name);
    return name;
  }
}

/** @returns the text as V8 stores it for property keys, which are compared by address */
const asPropertyKey = (text: string): string => Object.keys({ [text]: 0 })[0] as string;
