import type { JsonObject } from './parseJson.ts';

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;
/** The proposal "JSON.parse source text access": Node has it, the compiler's library does not know it yet. */
const { parse, rawJSON } = JSON as unknown as {
  parse: (text: string, reviver: Reviver) => unknown;
  rawJSON: (text: string) => unknown;
};

/**
 * Finds every body with a number that JavaScript would write differently, and some in whose texts it only looks so: -0; an
 * exponent; a zero at the end of a fraction; more digits than are kept; what is so small that it gets an exponent.
 */
const MAY_CHANGE = /[[:,]\s*(?:-0|-?\d+(?:\.\d+)?[eE]|-?\d+\.\d*0(?!\d)|-?\d{16}|-?[\d.]{17}|-?0\.0{6})/;

/**
 * The same object, to be written again: numbers go out as they came in. Schemas of tools speak of 18446744073709551615,
 * which would become another number, and 1e999 would become null.
 * @param text what `parsed` was parsed from
 * @returns `parsed` itself when nothing would change; otherwise such numbers are opaque in it and only fit to be written
 */
export function withExactNumbers(text: string, parsed: JsonObject): JsonObject {
  return MAY_CHANGE.test(text) ? (parse(text, asWritten) as JsonObject) : parsed;
}

const asWritten: Reviver = (_name, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
