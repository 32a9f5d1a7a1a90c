import { parse } from 'node:querystring';
import type { Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Endpoint } from '../../http/openApi/endpoint.ts';
import { nearestName } from '../../lib/nearestName.ts';
import type { ManagementContext, Query } from './context.ts';
import { parseTime } from './isoTime.ts';
import { toSnakeCase } from './toSnakeCase.ts';

/**
 * @param declared the query of a route. A parameter may be sent in snake_case or camelCase, and more than once if it is an array
 * @param reasons why the route has none of a parameter that others have, by its name
 * @param isOpen whether other parameters are ignored instead of refused
 * @returns a function that reads the query of a request, without the `?`. It throws Refusal `validation_error` for a parameter
 * that is not declared, because the response would seem to heed it, and for a second value where one is declared
 */
export function createQueryReader(
  declared: Endpoint['query'] = {},
  reasons: ReadonlyMap<string, string> = new Map(),
  isOpen = false,
): (querystring: string) => Query {
  const names = new Map(Object.keys(declared).map((name) => [toSnakeCase(name), name]));
  const lists = new Set(Object.keys(declared).filter((name) => declared[name]?.safeParse([]).success));
  return (querystring) => {
    const query = new Map<string, readonly string[]>();
    // No limit on their number: further ones would be ignored.
    for (const [sent, values = []] of Object.entries(parse(querystring, '&', '=', { maxKeys: 0 }))) {
      const known = names.get(toSnakeCase(sent));
      if (known === undefined && isOpen && !reasons.has(toSnakeCase(sent))) continue;
      const name = known ?? refuseUnknown(sent, declared, reasons);
      const all = [...(query.get(name) ?? []), ...(Array.isArray(values) ? values : [values])];
      if (all.length > 1 && !lists.has(name)) refuse('validation_error', { param: name, problem: 'is given twice' });
      query.set(name, all);
    }
    return query;
  };
}

function refuseUnknown(
  sent: string,
  declared: NonNullable<Endpoint['query']>,
  reasons: ReadonlyMap<string, string>,
): never {
  const reason = reasons.get(toSnakeCase(sent));
  if (reason !== undefined) refuse('validation_error', { param: toSnakeCase(sent), problem: reason });
  const known = Object.keys(declared);
  const nearest = nearestName(sent, known);
  const hint = nearest === undefined ? `whose parameters are ${known.join(', ')}` : `the nearest one is ${nearest}`;
  return refuse('validation_error', {
    param: sent === '' ? 'A parameter without a name' : sent,
    problem: `is not a query parameter of this path, ${known.length === 0 ? 'which has none' : hint}`,
  });
}

/**
 * Reads all values of a repeatable query parameter; undefined when there are none.
 * @throws Refusal `validation_error` for more than `maxValues` values
 */
export function queryList(
  { state: { query } }: ManagementContext,
  name: string,
  maxValues = Number.POSITIVE_INFINITY,
): readonly string[] | undefined {
  const values = query.get(name);
  if (values && values.length > maxValues) {
    refuse('validation_error', { param: name, problem: `must be given at most ${maxValues} times` });
  }
  return values;
}

/** Reads a query parameter. */
export const queryText = ({ state: { query } }: ManagementContext, name: string): string | undefined =>
  query.get(name)?.[0];

/** Reads a query parameter. @throws Refusal `validation_error` unless it is a whole number between the bounds */
export function queryInteger(
  ctx: ManagementContext,
  name: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
): number {
  const text = queryText(ctx, name);
  if (text === undefined) return fallback;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  return refuse('validation_error', {
    param: name,
    problem: `must be a whole number ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
  });
}

/** Reads a query parameter. @throws Refusal `validation_error` unless it is an ISO 8601 time */
export function queryTime(ctx: ManagementContext, name: string): Instant | undefined {
  const text = queryText(ctx, name);
  if (text === undefined) return undefined;
  return parseTime(text) ?? refuse('validation_error', { param: name, problem: 'must be an ISO 8601 time' });
}

/**
 * Reads a query parameter with one of `values`; the first one when it is absent.
 * @throws Refusal `validation_error` for any other value
 */
export function queryChoice<const Value extends string>(
  ctx: ManagementContext,
  name: string,
  values: readonly [Value, ...Value[]],
): Value {
  const text = queryText(ctx, name);
  if (text === undefined) return values[0];
  return (
    values.find((value) => value === text) ??
    refuse('validation_error', { param: name, problem: `must be ${values.join(' or ')}` })
  );
}
