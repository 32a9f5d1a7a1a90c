const UNFIT = /[^\t\x20-\x7e\x80-\xff]/;

/** Headers that many heads have in common, of answers or of requests to the provider, made ready once. */
export class HeaderBlock {
  /** Names in lower case and values in turn. */
  readonly fields: readonly string[];
  /** The same as lines of a head. */
  readonly lines: string;

  /** @throws TypeError when a value is not fit for a head */
  constructor(fields: readonly string[]) {
    this.fields = fields;
    // Joined and not added up: a text of many parts would be put together again for every head.
    const lines: string[] = [];
    for (let index = 0; index + 1 < fields.length; index += 2) {
      lines.push(headerLine(fields[index] as string, fields[index + 1] as string));
    }
    this.lines = lines.join('');
  }
}

/** @throws TypeError when the value is not fit for a head */
export function headerLine(name: string, value: string): string {
  if (UNFIT.test(value)) throw new TypeError(`the header ${name} has a value that is not fit for a head`);
  return `${name}: ${value}\r\n`;
}
