import type { Position } from '../domain/core/brands.ts';

/** Told after each batch. */
export type OnProgress = (done: Position, of: Position) => void;

export interface Comparison {
  /** How far the live read models reach, and how far the rebuilt ones were made. */
  readonly position: Position;
  /** How many rows, or documents, were held against each other. */
  readonly rows: number;
  /** The first of them, one line each. */
  readonly differences: readonly string[];
}

/** Another rebuild was sooner, or there is nothing to compare with. */
export class CannotRebuild extends Error {
  override readonly name = 'CannotRebuild';
}
