interface Entry<Value> {
  readonly bytes: Buffer;
  readonly value: Value;
}

/** A map with ASCII keys that is looked up by bytes, because creating and hashing a short string costs more. */
export class ByteStringMap<Value> {
  readonly #buckets: readonly Entry<Value>[][] = Array.from({ length: 64 }, () => []);

  constructor(values: Iterable<readonly [name: string, value: Value]>) {
    for (const [name, value] of values) {
      const bytes = Buffer.from(name, 'latin1');
      this.#bucketOf(bytes, 0, bytes.length).push({ bytes, value });
    }
  }

  get(raw: Buffer, start: number, end: number): Value | undefined {
    for (const { bytes, value } of this.#bucketOf(raw, start, end)) {
      if (isName(raw, start, end, bytes)) return value;
    }
    return undefined;
  }

  #bucketOf(raw: Buffer, start: number, end: number): Entry<Value>[] {
    const hash = end === start ? 0 : (raw[start] as number) * 5 + (raw[end - 1] as number) * 3 + (end - start);
    return this.#buckets[hash & 63] as Entry<Value>[];
  }
}

function isName(raw: Buffer, start: number, end: number, name: Buffer): boolean {
  if (name.length !== end - start) return false;
  for (let index = 0; index < name.length; index++) if (raw[start + index] !== name[index]) return false;
  return true;
}
