import type { Position } from '../domain/core/brands.ts';
import type { UpTo } from './upTo.ts';

/** How far the read models reach. Every adapter passes one test suite. */
export interface ProgressQueries {
  /** The position up to which the read models are complete: at least `upTo`, unless that takes longer than 1 s. */
  reached(upTo: UpTo): Promise<Position>;
}
