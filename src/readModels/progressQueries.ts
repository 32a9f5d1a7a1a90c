import type { Position } from '../domain/core/brands.ts';

/** How far the read models reach; every adapter passes one suite. */
export interface ProgressQueries {
  /** The position up to which they hold everything: at least `minPosition`, unless that takes longer than 1 s. */
  reached(minPosition: Position): Promise<Position>;
}
