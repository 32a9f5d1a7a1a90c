import type { Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementContext } from './context.ts';
import { parseTime } from './isoTime.ts';

/**
 * Reads all values of a repeatable query parameter, under any of its names; undefined when there are none.
 * @throws Refusal `validation_error` for more than `maxValues` values
 */
export function queryList(
  ctx: ManagementContext,
  names: readonly [string, ...string[]],
  maxValues = Number.POSITIVE_INFINITY,
): string[] | undefined {
  const values = names.flatMap((name) => ctx.query[name] ?? []);
  if (values.length > maxValues) {
    refuse('validation_error', { param: names[0], problem: `must be given at most ${maxValues} times` });
  }
  return values.length > 0 ? values : undefined;
}

/** Reads a query parameter. @throws Refusal `validation_error` when it is given twice */
export function queryText(ctx: ManagementContext, name: string): string | undefined {
  const value = ctx.query[name];
  return Array.isArray(value) ? refuse('validation_error', { param: name, problem: 'is given twice' }) : value;
}

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
