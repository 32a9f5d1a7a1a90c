// What svc's own code uses of Node's Buffer, for the browser: the verifier page is made of the same modules that svc runs.

type Encoding = 'utf8' | 'hex' | 'base64' | 'base64url' | 'latin1' | 'binary' | 'ascii';

const utf8 = new TextEncoder();

class BrowserBuffer extends Uint8Array {
  override toString(encoding: Encoding = 'utf8', start = 0, end: number = this.length): string {
    const bytes = Uint8Array.prototype.subarray.call(this, start, end);
    switch (encoding) {
      case 'utf8':
        return new TextDecoder().decode(bytes);
      case 'hex':
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
      case 'base64':
        return btoa(latin1Of(bytes));
      case 'base64url':
        return btoa(latin1Of(bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
      default:
        return latin1Of(bytes);
    }
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, index) => byte === other[index]);
  }

  copy(target: Uint8Array, targetStart = 0, start = 0, end: number = this.length): number {
    const part = Uint8Array.prototype.subarray.call(this, start, end);
    target.set(part, targetStart);
    return part.length;
  }

  /** Only latin1, in which hashes are passed around. */
  write(text: string, offset: number, length: number): number {
    for (let index = 0; index < length; index += 1) this[offset + index] = text.charCodeAt(index);
    return length;
  }

  readUInt16BE(offset: number): number {
    return new DataView(this.buffer, this.byteOffset, this.byteLength).getUint16(offset);
  }

  readBigUInt64BE(offset: number): bigint {
    return new DataView(this.buffer, this.byteOffset, this.byteLength).getBigUint64(offset);
  }
}

const wrap = ({ buffer, byteOffset, byteLength }: Uint8Array): BrowserBuffer =>
  new BrowserBuffer(buffer as ArrayBuffer, byteOffset, byteLength);

function from(source: string, encoding?: Encoding): BrowserBuffer;
function from(source: ArrayBuffer, offset: number, length: number): BrowserBuffer;
function from(source: ArrayLike<number>): BrowserBuffer;
function from(source: string | ArrayBuffer | ArrayLike<number>, second?: Encoding | number, length?: number) {
  if (typeof source === 'string') return wrap(bytesOf(source, second as Encoding | undefined));
  if (source instanceof ArrayBuffer) return new BrowserBuffer(source, second as number, length);
  const copy = new BrowserBuffer(source.length);
  copy.set(source);
  return copy;
}

function concat(parts: readonly Uint8Array[]): BrowserBuffer {
  const joined = new BrowserBuffer(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** In the place of Node's `Buffer`. */
export const Buffer = {
  from,
  concat,
  of: (...bytes: number[]) => from(bytes),
  alloc: (length: number, fill = 0) => new BrowserBuffer(length).fill(fill),
  allocUnsafe: (length: number) => new BrowserBuffer(length),
  byteLength: (text: string) => utf8.encode(text).length,
};

function bytesOf(text: string, encoding: Encoding = 'utf8'): Uint8Array {
  switch (encoding) {
    case 'utf8':
      return utf8.encode(text);
    case 'hex':
      return Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (byte) => Number.parseInt(byte, 16));
    case 'base64':
    case 'base64url':
      return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
    default:
      return Uint8Array.from(text, (character) => character.charCodeAt(0));
  }
}

/** As in Node, text that is not base64 is no error: a caller that needs to know encodes the bytes again. */
function fromBase64(text: string): Uint8Array {
  try {
    return bytesOf(atob(text), 'latin1');
  } catch {
    return new Uint8Array(0);
  }
}

const CHUNK = 8_192;

function latin1Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}
