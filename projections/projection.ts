import type { Instant, Position } from '../src/domain/core/brands.ts';
import type { KnownEvent } from '../src/domain/eventTypes.ts';
import type { Period } from './periods.ts';

/** An event as a projection meets it: its data in the current shape, and where and when it happened. */
export type Projected<Type extends KnownEvent['type']> = Type extends unknown
  ? Pick<Extract<KnownEvent, { type: Type }>, 'data'> & { readonly position: Position; readonly time: Instant }
  : never;

/** Sums of numbers by group and period. */
export interface RollUp<Group, Sums> {
  readonly group: Group;
  readonly sums: Sums;
}

type RollUps<Names extends PropertyKey> = { readonly [Name in Names]: RollUp<unknown, unknown> };

/**
 * What a projection may do. Every store interprets these changes in its own way; a change knows the position that it
 * comes from, so that doing it twice is doing it once.
 */
export interface Write<Documents, Summed extends RollUps<keyof Summed>> {
  /** Adds a document under its key; a key that is there already keeps the document it has. */
  insert<Name extends keyof Documents>(collection: Name, key: string, document: Documents[Name]): void;
  /** Adds to the sums of this group in each period that holds `at`. */
  addUp<Name extends keyof Summed>(
    rollUp: Name,
    at: Instant,
    group: Summed[Name]['group'],
    sums: Summed[Name]['sums'],
  ): void;
}

/** From events to documents, pure: the same file serves live running, rebuild and replay. */
export interface Projection<Documents, Summed extends RollUps<keyof Summed>> {
  readonly name: string;
  /** Goes up with every change that makes other documents from the same events: stores then rebuild from zero. */
  readonly version: number;
  /** Which periods each roll-up sums over, the shortest first. */
  readonly periods: { readonly [Name in keyof Summed]: readonly [Period, ...Period[]] };
  readonly on: {
    readonly [Type in KnownEvent['type']]?: (event: Projected<Type>, write: Write<Documents, Summed>) => void;
  };
}
