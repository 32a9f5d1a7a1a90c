import type { JsonObject } from '../requestBody/parseJson.ts';
import type { Field } from './fields.ts';
import type { InputFacts } from './inputFacts.ts';
import type { Opening } from './opening.ts';

/** A member of the body: its name starts at `start`, its value ends at `end`. */
export interface Member {
  readonly field: Field;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** A body that was found good, with nothing parsed but what no earlier request contained. */
export interface Envelope {
  readonly raw: Buffer;
  /** Undefined when the provider accepts all of them but `input` as they are. */
  readonly members: readonly Member[] | undefined;
  /** The values that are read, by the name of their member. */
  readonly values: Readonly<JsonObject>;
  /** Where the value of `input` starts, and where it ends. */
  readonly inputStart: number;
  readonly inputEnd: number;
  /** Undefined when the input is a string. */
  readonly items: InputFacts | undefined;
  readonly opening: Opening | undefined;
  /** There are instructions, in their own member or first in the input. */
  readonly isInstructed: boolean;
}
