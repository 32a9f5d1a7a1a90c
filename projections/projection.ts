import type { Instant, Position } from '../src/domain/core/brands.ts';
import type { KnownEvent } from '../src/domain/eventTypes.ts';
import type { Period } from './periods.ts';

/** An event as a projection receives it: its data in the current shape, its position and its time. */
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
 * The changes that a projection can make. Each store implements them; a change carries the position of its event, so that
 * applying it twice has the effect of applying it once.
 */
export interface Write<Documents, Summed extends RollUps<keyof Summed>> {
  /** Adds a document under its key, unless the key exists. */
  insert<Name extends keyof Documents>(collection: Name, key: string, document: Documents[Name]): void;
  /** Adds to the sums of this group in each period that contains `at`. */
  increment<Name extends keyof Summed>(
    rollUp: Name,
    at: Instant,
    group: Summed[Name]['group'],
    sums: Summed[Name]['sums'],
  ): void;
}

/** A pure mapping of events to documents and sums, used while serving and by a rebuild. */
export interface Projection<Documents, Summed extends RollUps<keyof Summed>> {
  readonly name: string;
  /** Must be raised with every change of the documents or sums: stores then rebuild their read models. */
  readonly version: number;
  /** The periods that each roll-up sums over, the shortest first. */
  readonly periods: { readonly [Name in keyof Summed]: readonly [Period, ...Period[]] };
  readonly on: {
    readonly [Type in KnownEvent['type']]?: (event: Projected<Type>, write: Write<Documents, Summed>) => void;
  };
}
