import { isObject } from '../requestBody/parseJson.ts';
import { REFUSED_UPSTREAM } from './forwardable.ts';
import { type Check, fieldChecks } from './schema.ts';

type Read = (value: unknown) => unknown;

/** What is to be done with a member of the body. */
export interface Field {
  readonly name: string;
  readonly checks: readonly Check[];
  readonly isRefusedUpstream: boolean;
  /** Different conversations send the same value, as those of one client do. */
  readonly isShared: boolean;
  /** A conversation sends another value in every turn. */
  readonly isVaried: boolean;
  /** What is read of the value; undefined when nothing is. */
  readonly read: Read | undefined;
}

/** Sent by clients of today and passed on as they are: what turn it is, for instance. */
const PASSING = ['client_metadata'];

const SHARED = ['include', 'instructions', 'reasoning', 'text', 'tool_choice', 'tools'];

const itself = (value: unknown): unknown => value;

const READ: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['conversation', itself],
  ['max_output_tokens', itself],
  ['model', itself],
  ['prompt_cache_key', itself],
  ['reasoning', (value) => (isObject(value) ? { effort: value.effort } : value)],
  ['service_tier', itself],
  ['store', itself],
  ['stream', itself],
]);

export const unknownField = (name: string): Field => ({
  name,
  checks: [],
  isRefusedUpstream: false,
  isShared: false,
  isVaried: false,
  read: undefined,
});

/** The members of a request that mean something to us. */
export const fields: ReadonlyMap<string, Field> = new Map(
  [...fieldChecks.map(([name]) => name), ...READ.keys(), ...REFUSED_UPSTREAM, ...PASSING].map((name) => [
    name,
    {
      name,
      checks: fieldChecks.filter(([checked]) => checked === name).map(([, check]) => check),
      isRefusedUpstream: REFUSED_UPSTREAM.includes(name),
      isShared: SHARED.includes(name),
      isVaried: PASSING.includes(name),
      read: READ.get(name),
    },
  ]),
);
