import type { FieldShape, JsonShape, ObjectShape } from './jsonShape.ts';

/** Which fields to read from the JSON of an object. A path names a field, e.g. `usage.inputTokens`, also in list items. */
export interface FieldReaderOptions {
  /**
   * The fields to read, in the order of the schema. The capture of a text or number is its characters, undefined when the
   * field is null or absent. The capture of a pair is the JSON of these two fields and all between them, without braces.
   */
  readonly captures: readonly (string | readonly [first: string, last: string])[];
  /** Optional fields that the reader does not support: JSON that contains one must be parsed. */
  readonly rare?: readonly string[];
  /** Texts that are not captured and whose values the reader supports: JSON with another value must be parsed. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** The last top-level field to match; by default the JSON is matched to its end. */
  readonly endsWith?: string;
  /** Whether texts that are not captured may contain escapes; otherwise JSON with an escape must be parsed. */
  readonly allowsEscapes?: boolean;
}

/** @returns the matched part of the JSON, then the captures; null when the JSON has to be parsed */
export type FieldReader = (json: string) => readonly (string | undefined)[] | null;

/**
 * Derives from the shape of an object a reader of its JSON that is several times as fast as parsing. It only accepts
 * JSON with the fields in the order of the shape and without white space, as `JSON.stringify` writes it.
 * @throws Error when the options do not fit the shape
 */
export function createFieldReader(shape: ObjectShape, options: FieldReaderOptions): FieldReader {
  const pattern = new RegExp(new PatternBuilder(options).build(shape));
  return (json) => pattern.exec(json);
}

// Without escapes, so the characters between the quotes are the text.
const PLAIN_CHARACTERS = String.raw`[^"\\\x00-\x1f]*`;
const CHARACTERS = String.raw`${PLAIN_CHARACTERS}(?:\\.${PLAIN_CHARACTERS})*`;
const NATURAL = '(?:0|[1-9][0-9]*)';
/** Behind a field that is the first one of its object, if that can also be its last one. */
const COMMA_OR_END = String.raw`(?:,(?=")|(?=\}))`;

class PatternBuilder {
  readonly #options: FieldReaderOptions;
  readonly #wanted: ReadonlySet<string>;
  readonly #rangeStarts: ReadonlySet<string>;
  readonly #rangeEnds: ReadonlySet<string>;
  /** Paths in the order of their groups. */
  readonly #captured: string[] = [];
  readonly #skipped = new Set<string>();
  /** Texts with a limited set of values. */
  readonly #limited = new Set<string>();

  constructor(options: FieldReaderOptions) {
    const ranges = options.captures.filter((capture) => typeof capture !== 'string');
    this.#options = options;
    this.#wanted = new Set(options.captures.filter((capture) => typeof capture === 'string'));
    this.#rangeStarts = new Set(ranges.map(([first]) => first));
    this.#rangeEnds = new Set(ranges.map(([, last]) => last));
  }

  build({ fields }: ObjectShape): string {
    const { captures, rare = [], values = {}, endsWith } = this.#options;
    const end = endsWith === undefined ? fields.length : fields.findIndex(({ name }) => name === endsWith) + 1;
    if (end === 0) throw new Error(`There is no field "${endsWith}" to end with`);
    const content = this.#fields(fields.slice(0, end), '');
    const expected = captures.flat();
    if (expected.join() !== this.#captured.join()) {
      throw new Error(
        `Captures must be fields in the order of the schema: requested ${expected.join(', ')}; found ${this.#captured.join(', ')}`,
      );
    }
    for (const path of rare) if (!this.#skipped.has(path)) throw new Error(`There is no optional field "${path}"`);
    for (const path of Object.keys(values)) if (!this.#limited.has(path)) throw new Error(`There is no text "${path}"`);
    return end < fields.length ? `^\\{${content}` : `^\\{${content}\\}$`;
  }

  #fields(fields: readonly FieldShape[], prefix: string): string {
    const present = fields.filter((field) => !this.#isSkipped(field, prefix));
    const firstRequired = present.findIndex(({ isOptional }) => !isOptional);
    // In this order, which is that of the captures.
    const pairs = present.map((field) => ({ ...field, pair: this.#field(field, prefix) }));
    return pairs
      .map(({ isOptional, pair }, index) => {
        if (firstRequired < 0 || index < firstRequired) return `(?:${pair}${COMMA_OR_END})?`;
        if (index === firstRequired) return pair;
        return isOptional ? `(?:,${pair})?` : `,${pair}`;
      })
      .join('');
  }

  #isSkipped({ name, isOptional }: FieldShape, prefix: string): boolean {
    const path = prefix + name;
    const isSkipped = isOptional && (this.#options.rare ?? []).includes(path);
    if (isSkipped) this.#skipped.add(path);
    return isSkipped;
  }

  #field({ name, shape }: FieldShape, prefix: string): string {
    const path = prefix + name;
    const isStart = this.#captureIfIn(this.#rangeStarts, path);
    const pair = `"${name}":${this.#value(shape, path)}`;
    const isEnd = this.#captureIfIn(this.#rangeEnds, path);
    return `${isStart ? '(' : ''}${pair}${isEnd ? ')' : ''}`;
  }

  #value(shape: JsonShape, path: string): string {
    switch (shape.kind) {
      case 'text':
        return this.#captureIfIn(this.#wanted, path) ? `"(${PLAIN_CHARACTERS})"` : this.#text(path);
      case 'integer':
        return this.#scalar(NATURAL, path);
      case 'boolean':
        return this.#scalar('(?:true|false)', path);
      case 'literal':
        return this.#scalar(escapeRegExp(JSON.stringify(shape.value)), path);
      case 'nullable':
        return `(?:null|${this.#value(shape.inner, path)})`;
      case 'list':
        return `\\[${this.#list(shape.item, path)}\\]`;
      case 'tuple':
        return `\\[${shape.items.map((item) => this.#value(item, path)).join(',')}\\]`;
      case 'number':
      case 'map':
        throw new Error(`The field "${path}" is of kind "${shape.kind}", which no fast reader supports`);
      case 'object':
        return `\\{${this.#fields(shape.fields, `${path}.`)}\\}`;
    }
  }

  #list(item: JsonShape, path: string): string {
    const before = this.#captured.length;
    const pattern = this.#value(item, path);
    if (this.#captured.length > before) throw new Error(`Items of the list "${path}" cannot be captured`);
    return `(?:${pattern}(?:,${pattern})*)?`;
  }

  #text(path: string): string {
    const values = this.#options.values?.[path];
    if (values) {
      this.#limited.add(path);
      return `(?:${values.map((value) => escapeRegExp(JSON.stringify(value))).join('|')})`;
    }
    return `"${this.#options.allowsEscapes ? CHARACTERS : PLAIN_CHARACTERS}"`;
  }

  #scalar(pattern: string, path: string): string {
    return this.#captureIfIn(this.#wanted, path) ? `(${pattern})` : pattern;
  }

  /** Adds the path to the captures if it is one of `paths`. @returns whether it is */
  #captureIfIn(paths: ReadonlySet<string>, path: string): boolean {
    const isOne = paths.has(path);
    if (isOne) this.#captured.push(path);
    return isOne;
  }
}

const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
