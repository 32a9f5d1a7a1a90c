import type { Position } from '../../domain/core/brands.ts';
import type { Collections } from './collections.ts';
import type { Kinds } from './kinds.ts';

/** What a query reads from, and how far that certainly reaches. */
export interface Reach {
  readonly position: Position;
  readonly collections: Collections;
  readonly kinds: Kinds;
}
