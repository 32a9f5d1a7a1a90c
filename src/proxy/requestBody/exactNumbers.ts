import type { JsonObject } from './parseJson.ts';

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;
/** The proposal "JSON.parse source text access": in Node, not yet in TypeScript's library. */
const { parse, rawJSON } = JSON as unknown as {
  parse: (text: string, reviver: Reviver) => unknown;
  rawJSON: (text: string) => unknown;
};

/**
 * Matches every text with a number that JavaScript would serialize differently: -0, exponents, trailing zeros in fractions,
 * more digits than a double keeps, values so small that they get an exponent. Also matches such numbers inside strings.
 */
const MAY_CHANGE = /[[:,]\s*(?:-0|-?\d+(?:\.\d+)?[eE]|-?\d+\.\d*0(?!\d)|-?\d{16}|-?[\d.]{17}|-?0\.0{6})/;

/**
 * Makes a parsed body serialize with the numbers exactly as received. Tool schemas contain 18446744073709551615, which
 * would become another number; 1e999 would become null.
 * @param text what `parsed` was parsed from
 * @returns `parsed` itself when no number would change; otherwise a copy in which those numbers are opaque objects that
 *   can only be serialized
 */
export function withExactNumbers(text: string, parsed: JsonObject): JsonObject {
  return MAY_CHANGE.test(text) ? (parse(text, keepSource) as JsonObject) : parsed;
}

const keepSource: Reviver = (_name, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
