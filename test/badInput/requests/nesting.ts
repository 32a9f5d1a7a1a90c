import { agentBody, agentText } from '../support/agentBody.ts';
import { alternatingRoutes, type BadRequest, invalidBody } from '../support/badRequest.ts';

const LEVELS = 100_000;
const KINDS = {
  arrays: ['['.repeat(LEVELS), ']'.repeat(LEVELS)],
  objects: ['{"a":'.repeat(LEVELS), '}'.repeat(LEVELS)],
} as const;

const HERE = '"HERE"';
const at = (change: Record<string, unknown>) => JSON.stringify({ ...agentBody, ...change });
const H = 'HERE';

/** The same body with a placeholder at every kind of position. */
const PLACES: Readonly<Record<string, string>> = {
  'as the body': HERE,
  'as the model': at({ model: H }),
  'as the instructions': at({ instructions: H }),
  'as the input': at({ input: H }),
  'as an item of the input': at({ input: [...agentBody.input, H] }),
  'in an item of the input': at({ input: [{ role: 'user', content: H }] }),
  'as the tools': at({ tools: H }),
  'as a tool': at({ tools: [H] }),
  'in the schema of a tool': at({ tools: [{ type: 'function', name: 'x', parameters: H }] }),
  'as the type of a tool': at({ tools: [{ type: H }] }),
  'as the tool choice': at({ tool_choice: H }),
  'as the reasoning': at({ reasoning: H }),
  'as the effort': at({ reasoning: { effort: H } }),
  'in the text format': at({ text: { format: { type: 'json_schema', schema: H } } }),
  'in an include': at({ include: [H] }),
  'as a dropped field': at({ metadata: H }),
  'as an unknown field': at({ later: H }),
  'as the first field': `{"later":${HERE},${agentText.slice(1)}`,
  'under __proto__': `{"__proto__":${HERE},${agentText.slice(1)}`,
};

/** 100,000 levels, closed and unclosed, at every position of a value. */
export const nesting = (): BadRequest[] =>
  alternatingRoutes([
    ...Object.entries(KINDS).flatMap(([kind, [open, close]]) =>
      Object.entries(PLACES).map(([place, body]) =>
        invalidBody(
          `100,000 ${kind} ${place}`,
          body.replace(HERE, () => `${open}1${close}`),
        ),
      ),
    ),
    ...Object.entries(KINDS).flatMap(([kind, [open, close]]) => [
      invalidBody(`100,000 ${kind} unclosed`, open),
      invalidBody(`100,000 ${kind} unclosed in a field`, `{"later":${open}`),
      invalidBody(`100,000 ${kind} without opening`, close),
    ]),
    invalidBody('one level over the limit', at({ later: H }).replace(HERE, `${'['.repeat(200)}${']'.repeat(200)}`)),
  ]);
