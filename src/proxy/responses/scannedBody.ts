import type { JsonObject } from '../requestBody/parseJson.ts';
import type { Field } from './fields.ts';
import type { FirstMessage } from './firstMessage.ts';
import type { InputSummary } from './inputSummary.ts';

/** A member of the body: its name starts at `start`, its value ends at `end`. */
export interface Member {
  readonly field: Field;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** A valid body, of which only the parts that no earlier request contained were parsed. */
export interface ScannedBody {
  readonly raw: Buffer;
  /** Undefined when the provider accepts all of them except `input` unchanged. */
  readonly members: readonly Member[] | undefined;
  /** The values that the proxy itself needs, by member name. */
  readonly values: Readonly<JsonObject>;
  /** Where the value of `input` starts. */
  readonly inputStart: number;
  readonly inputEnd: number;
  /** Undefined when the input is a string. */
  readonly items: InputSummary | undefined;
  readonly firstMessage: FirstMessage | undefined;
  /** Whether there are instructions, in their own member or as the first item of the input. */
  readonly hasInstructions: boolean;
}
