/** What asks for headers needs no more of them than this. */
export type HeaderLookup = Pick<ReadonlyMap<string, string>, 'get'>;

/**
 * Headers of a response, found when they are asked for: a provider sends thirty, and six of them matter here.
 */
export class ResponseHeaders implements HeaderLookup {
  readonly #lines: string;
  readonly #inLowerCase: string;

  /** @param head valid lines in Latin-1, with CRLF between them; the first is the status line */
  constructor(head: string) {
    this.#lines = head;
    this.#inLowerCase = head.toLowerCase();
  }

  /** @param name in lower case @returns what it says, joined by commas when it says it several times */
  get(name: string): string | undefined {
    const start = `\n${name}:`;
    let found: string | undefined;
    for (let at = this.#inLowerCase.indexOf(start); at >= 0; at = this.#inLowerCase.indexOf(start, at + 1)) {
      const end = this.#lines.indexOf('\r', at);
      const value = this.#lines.slice(at + start.length, end < 0 ? undefined : end).trim();
      found = found === undefined ? value : `${found}, ${value}`;
    }
    return found;
  }
}
