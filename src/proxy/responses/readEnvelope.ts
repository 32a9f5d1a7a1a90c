import { ProxyError } from '../errors/proxyError.ts';
import { ContainerScanner } from '../requestBody/containerScanner.ts';
import { Byte, endOfPlainString, isSpace, skipSpace } from '../requestBody/jsonScan.ts';
import { NameTable } from '../requestBody/nameTable.ts';
import { type JsonObject, parseSpan } from '../requestBody/parseJson.ts';
import type { Envelope, Member } from './envelope.ts';
import { type Field, fields, unknownField } from './fields.ts';
import { readFramed } from './readFramed.ts';
import { type ReadInput, readInput } from './readInput.ts';
import { readLong } from './readLong.ts';
import type { RequestMemory } from './requestMemory.ts';
import { areAccepted } from './upstreamBody.ts';

/** No client sends so many; a body that does is read in the other way. */
const MAX_MEMBERS = 64;

/** A string of this many plain bytes is its own proof, which is cheaper than asking whether it is known. */
const SHORT = 96;

const names = new NameTable(fields);

/**
 * Follows the bytes of a body from member to member. It may only say yes: what it cannot follow (names that are escaped or
 * come twice, for instance) and whatever fails a check is left to the reader of whole bodies, which knows all the errors.
 * @param hint tells the conversation, so that few earlier requests need to be compared; a wrong one costs time, no more
 * @returns undefined for every body that is not good, and for some that are
 */
export function readEnvelope(raw: Buffer, memory: RequestMemory, hint: string): Envelope | undefined {
  try {
    return readFramed(raw, memory, hint) ?? new EnvelopeReader(raw, memory, hint).read();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ProxyError) return undefined;
    throw error;
  }
}

class EnvelopeReader {
  readonly #raw: Buffer;
  readonly #memory: RequestMemory;
  readonly #hint: string;
  readonly #scanner: ContainerScanner;
  readonly #members: Member[] = [];
  readonly #values: JsonObject = {};
  #input: ReadInput | undefined;
  #inputStart = 0;
  #isInstructed = false;

  constructor(raw: Buffer, memory: RequestMemory, hint: string) {
    this.#raw = raw;
    this.#memory = memory;
    this.#hint = hint;
    this.#scanner = new ContainerScanner(raw);
  }

  read(): Envelope | undefined {
    const raw = this.#raw;
    let at = skipSpace(raw, 0);
    if (raw[at] !== Byte.openBrace) return undefined;
    do {
      at = this.#readMember(skipSpace(raw, at + 1));
      if (at < 0) return undefined;
      at = skipSpace(raw, at);
    } while (raw[at] === Byte.comma);
    if (raw[at] !== Byte.closeBrace || skipSpace(raw, at + 1) !== raw.length) return undefined;
    const values = this.#values;
    if (!this.#input || values.model === undefined) return undefined;
    const members = areAccepted(this.#members, values) ? undefined : this.#members;
    const isInstructed = this.#isInstructed;
    this.#memory.frames.remember(this.#hint, raw, this.#members, { members, values, isInstructed });
    const { end, items, opening } = this.#input;
    return {
      raw,
      members,
      values,
      inputStart: this.#inputStart,
      inputEnd: end,
      items,
      opening,
      isInstructed: isInstructed || items?.isInstructed === true,
    };
  }

  /** @returns the position behind the member, -1 when it cannot be followed */
  #readMember(start: number): number {
    const raw = this.#raw;
    if (raw[start] !== Byte.quote) return -1;
    const nameEnd = endOfPlainString(raw, start + 1, SHORT);
    if (nameEnd < 0) return -1;
    const field = names.find(raw, start + 1, nameEnd) ?? unknownField(raw.toString('latin1', start + 1, nameEnd));
    if (this.#members.length === MAX_MEMBERS || this.#has(field)) return -1;
    const colon = skipSpace(raw, nameEnd + 1);
    if (raw[colon] !== Byte.colon) return -1;
    const valueStart = skipSpace(raw, colon + 1);
    const end = field.name === 'input' ? this.#readInput(valueStart) : this.#readValue(field, valueStart);
    if (end < 0) return -1;
    this.#members.push({ field, start, valueStart, end });
    if (field.name === 'instructions' && raw[valueStart] === Byte.quote) this.#isInstructed = true;
    return end;
  }

  #has({ name }: Field): boolean {
    for (const { field } of this.#members) if (field.name === name) return true;
    return false;
  }

  #readValue(field: Field, start: number): number {
    const raw = this.#raw;
    switch (raw[start]) {
      case Byte.quote: {
        const end = endOfPlainString(raw, start + 1, SHORT);
        if (end >= 0) return this.#accept(field, raw.toString('latin1', start + 1, end), end + 1);
        return this.#readLong(field, start);
      }
      case Byte.openBrace:
      case Byte.openBracket:
        return this.#readLong(field, start);
      default: {
        const end = endOfScalar(raw, start);
        return this.#accept(field, literals.find(raw, start, end) ?? parseSpan(raw, start, end), end);
      }
    }
  }

  #readLong(field: Field, start: number): number {
    const long = readLong(this.#raw, start, field, this.#scanner, this.#memory, this.#hint);
    if (!long) return -1;
    if (field.read) this.#values[field.name] = long.fact;
    return long.end;
  }

  #accept(field: Field, value: unknown, end: number): number {
    for (const check of field.checks) check(value, field.name);
    if (field.read) this.#values[field.name] = field.read(value);
    return end;
  }

  #readInput(start: number): number {
    this.#input = readInput(this.#raw, start, this.#scanner, this.#memory, this.#hint);
    this.#inputStart = start;
    return this.#input ? this.#input.end : -1;
  }
}

const literals = new NameTable<unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Where a number or a literal ends, if it is one. */
function endOfScalar(raw: Buffer, start: number): number {
  let end = start;
  while (end < raw.length && raw[end] !== Byte.comma && raw[end] !== Byte.closeBrace && !isSpace(raw[end])) end++;
  return end;
}
