import { startsWithBytes } from '../requestBody/bytes.ts';
import { Byte } from '../requestBody/jsonScan.ts';

const EVENT = Buffer.from('event: ');
const TYPED_DATA = Buffer.from('data: {"type":"');
const DATA_BYTES = 'data: '.length;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/**
 * Finds the parts of an event as providers commonly write it: two lines that end with LF, the name and a payload that begins
 * with the same name as its type. What it finds is what `readEvent` reads, which need not be called if the type does not matter.
 */
export class CommonEvent {
  source: Buffer = NOTHING;
  typeStart = 0;
  typeEnd = 0;
  dataStart = 0;
  dataEnd = 0;

  /** The payload. */
  get data(): string {
    return this.source.toString('utf8', this.dataStart, this.dataEnd);
  }

  /** @returns the position after the event that begins at `start`; -1 when it is not of the common form */
  read(source: Buffer, start: number): number {
    if (!startsWithBytes(source, start, EVENT)) return -1;
    const name = start + EVENT.length;
    const nameEnd = source.indexOf(LF, name);
    if (nameEnd <= name || !startsWithBytes(source, nameEnd + 1, TYPED_DATA)) return -1;
    const typeStart = nameEnd + 1 + TYPED_DATA.length;
    const typeEnd = typeStart + nameEnd - name;
    if (source[typeEnd] !== Byte.quote) return -1;
    for (let at = name; at < nameEnd; at++) {
      const byte = source[at];
      if (byte === Byte.backslash || byte !== source[at + typeStart - name]) return -1;
    }
    const dataEnd = source.indexOf(LF, typeEnd);
    if (dataEnd < 0 || source[dataEnd + 1] !== LF || source[dataEnd - 1] === CR) return -1;
    this.source = source;
    this.typeStart = typeStart;
    this.typeEnd = typeEnd;
    this.dataStart = nameEnd + 1 + DATA_BYTES;
    this.dataEnd = dataEnd;
    return dataEnd + 2;
  }
}
