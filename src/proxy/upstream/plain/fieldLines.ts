import { MalformedResponse } from './malformedResponse.ts';

const [TAB, LF, CR, SPACE, COLON, DELETE] = [9, 10, 13, 32, 58, 127] as const;

/** What the next byte belongs to. Numbers, because this is compared for every byte. */
const State = { lineStart: 0, name: 1, value: 2, lineLf: 3, lastLf: 4 } as const;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]$/;
const tokenBytes = Uint8Array.from({ length: 256 }, (_, byte) => Number(TOKEN.test(String.fromCharCode(byte))));

/** Whether a byte may stand in the text of a line: no control character but a tab, which could break out of it. */
export const isTextByte = (byte: number): boolean => (byte >= SPACE ? byte !== DELETE : byte === TAB);

/** Checks header or trailer lines byte by byte (RFC 9112 section 5). Rejects folded lines and those that end with LF only. */
export class FieldLines {
  #state: number = State.lineStart;

  /** @returns whether this byte completes the empty line that ends them @throws MalformedResponse */
  read(byte: number): boolean {
    switch (this.#state) {
      case State.lineStart:
        if (byte === CR) this.#state = State.lastLf;
        else if (tokenBytes[byte]) this.#state = State.name;
        else return refuse();
        return false;
      case State.name:
        if (byte === COLON) this.#state = State.value;
        else if (!tokenBytes[byte]) return refuse();
        return false;
      case State.value:
        if (byte === CR) this.#state = State.lineLf;
        else if (!isTextByte(byte)) return refuse();
        return false;
      case State.lineLf:
        if (byte !== LF) return refuse();
        this.#state = State.lineStart;
        return false;
      default:
        return byte === LF || refuse();
    }
  }
}

function refuse(): never {
  throw new MalformedResponse('the provider sent an invalid header');
}
