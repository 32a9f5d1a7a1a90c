import { agentBody } from '../support/agentBody.ts';
import { type BadRequest, invalidBody, onBothRoutes } from '../support/badRequest.ts';

const VALUES: readonly unknown[] = [null, true, 0, -1.5, 1e300, '', 'yes', [], ['x'], {}, { a: 1 }];
const nameOf = (value: unknown) => JSON.stringify(value);

const isString = (value: unknown) => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown) => typeof value === 'number';
/** Null is the same as a missing field. */
const orNull = (isValid: (value: unknown) => boolean) => (value: unknown) => value === null || isValid(value);

/** Every checked field and its valid values. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  model: (value) => isString(value) && value !== '',
  instructions: orNull(isString),
  input: (value) => isString(value) || (Array.isArray(value) && value.every(isObject)),
  tools: orNull((value) => Array.isArray(value) && value.every(isObject)),
  tool_choice: orNull((value) => isString(value) || isObject(value)),
  parallel_tool_calls: orNull(isBoolean),
  reasoning: orNull(isObject),
  'reasoning.effort': orNull(isString),
  'reasoning.summary': orNull(isString),
  text: orNull(isObject),
  'text.verbosity': orNull(isString),
  'text.format': orNull(isObject),
  stream: orNull(isBoolean),
  include: orNull((value) => Array.isArray(value) && value.length === 0),
  conversation: orNull(isString),
  prompt_cache_key: orNull(isString),
  store: (value) => value === null || value === false,
  previous_response_id: (value) => value === null,
  max_output_tokens: orNull(isNumber),
};

/** The path in the error when the array is valid but an element is not. */
const failingPath = (field: string, value: unknown) =>
  Array.isArray(value) && value.length > 0 && ['input', 'tools', 'include'].includes(field) ? `${field}.0` : field;

export const wrongTypes = (): BadRequest[] =>
  onBothRoutes([
    ...Object.entries(FIELDS).flatMap(([field, takes]) =>
      VALUES.filter((value) => !takes(value)).map((value) =>
        invalidBody(`${field} is ${nameOf(value)}`, JSON.stringify(withField(field, value)), {
          param: failingPath(field, value),
        }),
      ),
    ),
    ...['model', 'input'].map((field) =>
      invalidBody(`${field} is missing`, JSON.stringify(without(field)), { param: field }),
    ),
    ...elements(),
  ]);

/** Invalid elements between valid ones. */
function elements(): BadRequest[] {
  const invalidItems = [null, 1, 'text', true, []];
  const tool = agentBody.tools[0];
  return [
    ...invalidItems.flatMap((item) => [
      invalidBody(
        `an item of input is ${nameOf(item)}`,
        JSON.stringify({ ...agentBody, input: [...agentBody.input, item, {}] }),
        {
          param: `input.${agentBody.input.length}`,
        },
      ),
      invalidBody(`a tool is ${nameOf(item)}`, JSON.stringify({ ...agentBody, tools: [tool, item, tool] }), {
        param: 'tools.1',
      }),
      invalidBody(
        `an include is ${nameOf(item)}`,
        JSON.stringify({ ...agentBody, include: [...agentBody.include, item] }),
        {
          param: 'include.1',
        },
      ),
    ]),
    ...[undefined, null, 5, ['function'], {}].map((type) =>
      invalidBody(
        `the type of a tool is ${nameOf(type)}`,
        JSON.stringify({ ...agentBody, tools: [tool, { ...tool, type }] }),
        {
          param: 'tools.1.type',
        },
      ),
    ),
  ];
}

/** Requests without instructions and without a leading developer message. */
export const onSvcOnly = (): BadRequest[] => {
  const input = agentBody.input.slice(1);
  const { instructions: _, ...rest } = agentBody;
  return [
    invalidBody('no instructions and none in input', JSON.stringify({ ...rest, input }), { param: 'instructions' }),
    invalidBody('null instructions and none in input', JSON.stringify({ ...rest, input, instructions: null }), {
      param: 'instructions',
    }),
    invalidBody('no instructions and a string as input', JSON.stringify({ ...rest, input: 'Hi' }), {
      param: 'instructions',
    }),
    invalidBody('no instructions and an empty input', JSON.stringify({ ...rest, input: [] }), {
      param: 'instructions',
    }),
    invalidBody(
      'no instructions and a developer message last',
      JSON.stringify({ ...rest, input: agentBody.input.toReversed() }),
      {
        param: 'instructions',
      },
    ),
  ].map((request) => ({ ...request, path: '/backend-api/svc/responses' }));
};

export function withField(field: string, value: unknown): Record<string, unknown> {
  const [outer = '', inner] = field.split('.');
  if (inner === undefined) return { ...agentBody, [outer]: value };
  return { ...agentBody, [outer]: { ...(agentBody[outer as 'text'] as object), [inner]: value } };
}

const without = (field: string) => Object.fromEntries(Object.entries(agentBody).filter(([name]) => name !== field));
