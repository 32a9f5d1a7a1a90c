import type { Position } from '../domain/core/brands.ts';

/** How much of the log a query includes: all events up to a position and perhaps later ones, or exactly those up to it. */
export type UpTo = Position | { readonly exactly: Position };
