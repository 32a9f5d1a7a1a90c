/** A list of 64-bit keys of texts, two numbers each. */
export class Keys64 {
  #numbers = new Uint32Array(1_024);
  #length = 0;

  add(text: string): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Uint32Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    writeKey(text, this.#numbers, this.#length);
    this.#length += 2;
  }

  /** The keys so far, in a buffer of their own. */
  toArray(): Uint32Array<ArrayBuffer> {
    return this.#numbers.slice(0, this.#length);
  }

  /** The key of a text, as text. */
  static keyOf(text: string): string {
    const numbers = new Uint32Array(2);
    writeKey(text, numbers, 0);
    return keyText(numbers[0] as number, numbers[1] as number);
  }
}

/** A key as text. */
export const keyText = (high: number, low: number): string => `${high} ${low}`;

/** Multiplies and mixes like MurmurHash3, in two halves of 32 bits. The second one is odd, so never zero. */
function writeKey(text: string, into: Uint32Array, at: number): void {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  const { length } = text;
  // Two characters at a time; never beyond the end, which V8 would have to look up in the prototype.
  for (let index = 1; index < length; index += 2) {
    const codes = text.charCodeAt(index - 1) | (text.charCodeAt(index) << 16);
    high = Math.imul(high ^ codes, 0x9e3779b1);
    low = Math.imul(low ^ codes, 0x5f356495);
  }
  if (length % 2 === 1) {
    const code = text.charCodeAt(length - 1);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  low ^= length;
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  into[at] = high >>> 0;
  into[at + 1] = (low | 1) >>> 0;
}
