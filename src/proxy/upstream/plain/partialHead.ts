import { FieldLines, isTextByte } from './fieldLines.ts';
import { MalformedResponse, notHttp } from './malformedResponse.ts';

const DIGITS = '0123456789';
/** The characters that may stand at each place of a status line up to the status. */
const STATUS_LINE: readonly string[] = [...'HTTP/1.', '01', ' ', '123456789', DIGITS, DIGITS];
const [LF, CR, SPACE] = [10, 13, 32] as const;
/** The first bytes of TLS records: an alert, or a message of a handshake. */
const TLS_RECORDS: readonly number[] = [21, 22];

/**
 * Checks a head that is not complete yet, so that bytes which cannot become one are refused when they arrive: nothing else
 * would come after them until the idle timeout. Accepts what `readResponseHead` does.
 */
export class PartialHead {
  #state: 'status' | 'afterStatus' | 'reason' | 'lf' | 'headers' = 'status';
  #place = 0;
  #headers = new FieldLines();

  /** @param bytes the next ones @throws MalformedResponse */
  read(bytes: Buffer): void {
    for (const byte of bytes) this.#readByte(byte);
  }

  #readByte(byte: number): void {
    switch (this.#state) {
      case 'status':
        this.#readStatus(byte);
        return;
      case 'afterStatus':
        if (byte !== SPACE && byte !== CR) throw notHttp();
        this.#state = byte === SPACE ? 'reason' : 'lf';
        return;
      case 'reason':
        if (byte === CR) this.#state = 'lf';
        else if (!isTextByte(byte)) throw notHttp();
        return;
      case 'lf':
        if (byte !== LF) throw notHttp();
        this.#state = 'headers';
        return;
      case 'headers':
        this.#headers.read(byte);
    }
  }

  #readStatus(byte: number): void {
    if (!STATUS_LINE[this.#place]?.includes(String.fromCharCode(byte))) {
      if (this.#place > 0 || !TLS_RECORDS.includes(byte)) throw notHttp();
      throw new MalformedResponse('the provider sent TLS to a plain HTTP request: its URL probably begins with https:');
    }
    this.#place += 1;
    if (this.#place === STATUS_LINE.length) this.#state = 'afterStatus';
  }
}
