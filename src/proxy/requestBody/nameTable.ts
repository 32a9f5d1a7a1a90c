interface Row<Value> {
  readonly bytes: Buffer;
  readonly value: Value;
}

/** Finds what belongs to an ASCII name without making a string of it: a string and its hash cost more than its few bytes. */
export class NameTable<Value> {
  readonly #rows: readonly Row<Value>[][] = Array.from({ length: 64 }, () => []);

  constructor(values: Iterable<readonly [name: string, value: Value]>) {
    for (const [name, value] of values) {
      const bytes = Buffer.from(name, 'latin1');
      this.#rowsFor(bytes, 0, bytes.length).push({ bytes, value });
    }
  }

  find(raw: Buffer, start: number, end: number): Value | undefined {
    for (const { bytes, value } of this.#rowsFor(raw, start, end)) {
      if (isName(raw, start, end, bytes)) return value;
    }
    return undefined;
  }

  #rowsFor(raw: Buffer, start: number, end: number): Row<Value>[] {
    const hash = end === start ? 0 : (raw[start] as number) * 5 + (raw[end - 1] as number) * 3 + (end - start);
    return this.#rows[hash & 63] as Row<Value>[];
  }
}

function isName(raw: Buffer, start: number, end: number, name: Buffer): boolean {
  if (name.length !== end - start) return false;
  for (let index = 0; index < name.length; index++) if (raw[start + index] !== name[index]) return false;
  return true;
}
