import type { Position } from '../domain/core/brands.ts';

/** Called after each batch. */
export type OnProgress = (done: Position, of: Position) => void;

export interface Comparison {
  /** The position up to which both were compared. */
  readonly position: Position;
  /** Number of rows, or documents, that were compared. */
  readonly rows: number;
  /** Another version of svc made the live ones: they are rebuilt at its next start and were not compared. */
  readonly isOtherVersion?: true;
  /** The first differences, one line each. */
  readonly differences: readonly string[];
}

/** Another rebuild finished first, or there are no read models to compare with. */
export class CannotRebuild extends Error {
  override readonly name = 'CannotRebuild';
}
