import type { Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementContext } from './context.ts';
import { parseTime } from './isoTime.ts';

/** All values of a parameter that may be repeated, under any of its names; undefined when there is none. */
export function many(ctx: ManagementContext, ...names: string[]): string[] | undefined {
  const values = names.flatMap((name) => ctx.query[name] ?? []);
  return values.length > 0 ? values : undefined;
}

/** @throws Refusal `validation_error` when the parameter is given twice */
export function one(ctx: ManagementContext, name: string): string | undefined {
  const value = ctx.query[name];
  return Array.isArray(value) ? refuse('validation_error', { param: name, problem: 'is given twice' }) : value;
}

/** @throws Refusal `validation_error` for anything but a whole number within the bounds */
export function integer(
  ctx: ManagementContext,
  name: string,
  { min, max, otherwise }: { min: number; max: number; otherwise: number },
): number {
  const text = one(ctx, name);
  if (text === undefined) return otherwise;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  return refuse('validation_error', {
    param: name,
    problem: `must be a whole number ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
  });
}

/** @throws Refusal `validation_error` for anything but an ISO 8601 time */
export function time(ctx: ManagementContext, name: string): Instant | undefined {
  const text = one(ctx, name);
  if (text === undefined) return undefined;
  return parseTime(text) ?? refuse('validation_error', { param: name, problem: 'must be an ISO 8601 time' });
}

/** @throws Refusal `validation_error` for anything but one of the values */
export function oneOf<const Value extends string>(
  ctx: ManagementContext,
  name: string,
  values: readonly [Value, ...Value[]],
): Value {
  const text = one(ctx, name);
  if (text === undefined) return values[0];
  return (
    values.find((value) => value === text) ??
    refuse('validation_error', { param: name, problem: `must be ${values.join(' or ')}` })
  );
}
