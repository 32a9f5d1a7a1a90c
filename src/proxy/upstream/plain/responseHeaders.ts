import type { HeaderLookup } from '../../../http/wire/headers.ts';
import { trimBlanks } from '../../../http/wire/trimBlanks.ts';

/** Response headers, searched on demand: a provider sends about thirty, and six of them are looked up. */
export class ResponseHeaders implements HeaderLookup {
  readonly #lines: string;
  readonly #lowerCase: string;

  /** @param head valid lines in Latin-1, separated by CRLF; the first is the status line */
  constructor(head: string) {
    this.#lines = head;
    this.#lowerCase = head.toLowerCase();
  }

  /** @param name in lower case @returns the value; values of a repeated header joined by ", " */
  get(name: string): string | undefined {
    const start = `\n${name}:`;
    let found: string | undefined;
    for (let index = this.#lowerCase.indexOf(start); index >= 0; index = this.#lowerCase.indexOf(start, index + 1)) {
      const end = this.#lines.indexOf('\r', index);
      const value = trimBlanks(this.#lines, index + start.length, end < 0 ? this.#lines.length : end);
      found = found === undefined ? value : `${found}, ${value}`;
    }
    return found;
  }
}
