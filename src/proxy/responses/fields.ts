import { isObject } from '../requestBody/parseJson.ts';
import { UNSUPPORTED_PARAMETERS } from './rewriteParsedBody.ts';
import { type Check, fieldChecks } from './schema.ts';

type ExtractValue = (value: unknown) => unknown;

/** How a member of the body is read. */
export interface Field {
  readonly name: string;
  readonly checks: readonly Check[];
  /** The provider refuses it, so it is removed. */
  readonly isUnsupported: boolean;
  /** Conversations of one client send the same value. */
  readonly isSharedAcrossConversations: boolean;
  /** A conversation sends another value in every turn. */
  readonly changesEveryTurn: boolean;
  /** Returns what the proxy needs of the value; undefined when it needs nothing. */
  readonly extract: ExtractValue | undefined;
}

/** Members that current clients send and svc forwards unchanged; they contain the number of the turn, for instance. */
const PASSED_THROUGH = ['client_metadata'];

const SHARED = ['include', 'instructions', 'reasoning', 'text', 'tool_choice', 'tools'];

const identity = (value: unknown): unknown => value;

const EXTRACTORS: ReadonlyMap<string, ExtractValue> = new Map<string, ExtractValue>([
  ['conversation', identity],
  ['max_output_tokens', identity],
  ['model', identity],
  ['prompt_cache_key', identity],
  ['reasoning', (value) => (isObject(value) ? { effort: value.effort } : value)],
  ['service_tier', identity],
  ['store', identity],
  ['stream', identity],
]);

/** Describes a member that the proxy does not know: it is neither checked nor read. */
export const unknownField = (name: string): Field => ({
  name,
  checks: [],
  isUnsupported: false,
  isSharedAcrossConversations: false,
  changesEveryTurn: false,
  extract: undefined,
});

/** The members of a request that the proxy knows, by name. */
export const fields: ReadonlyMap<string, Field> = new Map(
  [...fieldChecks.map(([name]) => name), ...EXTRACTORS.keys(), ...UNSUPPORTED_PARAMETERS, ...PASSED_THROUGH].map(
    (name) => [
      name,
      {
        name,
        checks: fieldChecks.filter(([checked]) => checked === name).map(([, check]) => check),
        isUnsupported: UNSUPPORTED_PARAMETERS.includes(name),
        isSharedAcrossConversations: SHARED.includes(name),
        changesEveryTurn: PASSED_THROUGH.includes(name),
        extract: EXTRACTORS.get(name),
      },
    ],
  ),
);
