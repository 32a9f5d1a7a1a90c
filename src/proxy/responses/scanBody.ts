import { ProxyError } from '../errors/proxyError.ts';
import { ByteStringMap } from '../requestBody/byteStringMap.ts';
import { JsonContainerScanner } from '../requestBody/jsonContainerScanner.ts';
import { Byte, endOfPlainString, isSpace, skipSpace } from '../requestBody/jsonScan.ts';
import { type JsonObject, parseSpan } from '../requestBody/parseJson.ts';
import { type Field, fields, unknownField } from './fields.ts';
import type { RequestCache } from './requestCache.ts';
import { areForwardable } from './rewriteScannedBody.ts';
import { type ScannedInput, scanInput } from './scanInput.ts';
import { scanLongValue } from './scanLongValue.ts';
import type { Member, ScannedBody } from './scannedBody.ts';
import { scanWithTemplate } from './scanWithTemplate.ts';

/** No client sends more members. A body with more is parsed instead. */
const MAX_MEMBERS = 64;

/** Validating a plain string up to this length is cheaper than looking it up in a cache. */
const MAX_SHORT_STRING = 96;

const fieldsByName = new ByteStringMap(fields);

/**
 * Scans a body member by member, see readResponsesRequest.ts.
 * @param hint names the conversation, so that few cached requests are compared; a wrong hint only costs time
 * @returns undefined for every invalid body, and for some valid ones
 */
export function scanBody(raw: Buffer, cache: RequestCache, hint: string): ScannedBody | undefined {
  try {
    return scanWithTemplate(raw, cache, hint) ?? new BodyScanner(raw, cache, hint).scan();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ProxyError) return undefined;
    throw error;
  }
}

class BodyScanner {
  readonly #raw: Buffer;
  readonly #cache: RequestCache;
  readonly #hint: string;
  readonly #scanner: JsonContainerScanner;
  readonly #members: Member[] = [];
  readonly #values: JsonObject = {};
  #input: ScannedInput | undefined;
  #inputStart = 0;
  #hasInstructions = false;

  constructor(raw: Buffer, cache: RequestCache, hint: string) {
    this.#raw = raw;
    this.#cache = cache;
    this.#hint = hint;
    this.#scanner = new JsonContainerScanner(raw);
  }

  scan(): ScannedBody | undefined {
    const raw = this.#raw;
    let at = skipSpace(raw, 0);
    if (raw[at] !== Byte.openBrace) return undefined;
    do {
      at = this.#scanMember(skipSpace(raw, at + 1));
      if (at < 0) return undefined;
      at = skipSpace(raw, at);
    } while (raw[at] === Byte.comma);
    if (raw[at] !== Byte.closeBrace || skipSpace(raw, at + 1) !== raw.length) return undefined;
    const values = this.#values;
    if (!this.#input || values.model === undefined) return undefined;
    const members = areForwardable(this.#members, values) ? undefined : this.#members;
    const hasInstructions = this.#hasInstructions;
    this.#cache.templates.remember(this.#hint, raw, this.#members, { members, values, hasInstructions });
    const { end, items, firstMessage } = this.#input;
    return {
      raw,
      members,
      values,
      inputStart: this.#inputStart,
      inputEnd: end,
      items,
      firstMessage,
      hasInstructions: hasInstructions || items?.startsWithInstructions === true,
    };
  }

  /** @returns the position after the member; -1 when it cannot be followed */
  #scanMember(start: number): number {
    const raw = this.#raw;
    if (raw[start] !== Byte.quote) return -1;
    const nameEnd = endOfPlainString(raw, start + 1, MAX_SHORT_STRING);
    if (nameEnd < 0) return -1;
    const field = fieldsByName.get(raw, start + 1, nameEnd) ?? unknownField(raw.toString('latin1', start + 1, nameEnd));
    if (this.#members.length === MAX_MEMBERS || this.#has(field)) return -1;
    const colon = skipSpace(raw, nameEnd + 1);
    if (raw[colon] !== Byte.colon) return -1;
    const valueStart = skipSpace(raw, colon + 1);
    const end = field.name === 'input' ? this.#scanInput(valueStart) : this.#scanValue(field, valueStart);
    if (end < 0) return -1;
    this.#members.push({ field, start, valueStart, end });
    if (field.name === 'instructions' && raw[valueStart] === Byte.quote) this.#hasInstructions = true;
    return end;
  }

  #has({ name }: Field): boolean {
    for (const { field } of this.#members) if (field.name === name) return true;
    return false;
  }

  #scanValue(field: Field, start: number): number {
    const raw = this.#raw;
    switch (raw[start]) {
      case Byte.quote: {
        const end = endOfPlainString(raw, start + 1, MAX_SHORT_STRING);
        if (end >= 0) return this.#check(field, raw.toString('latin1', start + 1, end), end + 1);
        return this.#scanLongValue(field, start);
      }
      case Byte.openBrace:
      case Byte.openBracket:
        return this.#scanLongValue(field, start);
      default: {
        const end = endOfScalar(raw, start);
        return this.#check(field, literals.get(raw, start, end) ?? parseSpan(raw, start, end), end);
      }
    }
  }

  #scanLongValue(field: Field, start: number): number {
    const value = scanLongValue(this.#raw, start, field, this.#scanner, this.#cache, this.#hint);
    if (!value) return -1;
    if (field.extract) this.#values[field.name] = value.extracted;
    return value.end;
  }

  #check(field: Field, value: unknown, end: number): number {
    for (const check of field.checks) check(value, field.name);
    if (field.extract) this.#values[field.name] = field.extract(value);
    return end;
  }

  #scanInput(start: number): number {
    this.#input = scanInput(this.#raw, start, this.#scanner, this.#cache, this.#hint);
    this.#inputStart = start;
    return this.#input ? this.#input.end : -1;
  }
}

const literals = new ByteStringMap<unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** @returns where a number or a literal ends, if it is one */
function endOfScalar(raw: Buffer, start: number): number {
  let end = start;
  while (end < raw.length && raw[end] !== Byte.comma && raw[end] !== Byte.closeBrace && !isSpace(raw[end])) end++;
  return end;
}
