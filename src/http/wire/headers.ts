/** Headers by lower-case name; values of a repeated header are joined by ", ". */
export type HeaderLookup = Pick<ReadonlyMap<string, string>, 'get'>;

const INVALID_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Headers shared by many responses, or by many requests to the provider. Formatted once. */
export class HeaderBlock {
  /** Alternating lower-case names and values. */
  readonly fields: readonly string[];
  /** The same as formatted lines. */
  readonly lines: string;

  /** @throws TypeError for a value with invalid characters */
  constructor(fields: readonly string[]) {
    this.fields = fields;
    // `join` makes a flat string; concatenation would make a rope, to be flattened for every head.
    const lines: string[] = [];
    for (let index = 0; index + 1 < fields.length; index += 2) {
      lines.push(headerLine(fields[index] as string, fields[index + 1] as string));
    }
    this.lines = lines.join('');
  }
}

/** Formats a header with its CRLF. @throws TypeError for a value with invalid characters */
export function headerLine(name: string, value: string): string {
  if (INVALID_VALUE.test(value)) throw new TypeError(`the value of the header ${name} contains invalid characters`);
  return `${name}: ${value}\r\n`;
}
