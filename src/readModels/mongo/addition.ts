import type { Period } from '../../../projections/periods.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';

/** What the events of a batch add to one group in one period. */
export interface Addition {
  readonly period: Period;
  readonly start: Instant;
  readonly group: Readonly<Record<string, string | null>>;
  readonly parts: { readonly position: Position; readonly sums: Readonly<Record<string, number>> }[];
}
