import { z } from 'zod';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementContext } from './context.ts';
import { toSnakeCase } from './toSnakeCase.ts';

const MAX_BODY_BYTES = 1_048_576;

/** Imports koa-body at the first write instead of at start, because it loads seventy modules. */
async function parseJson(ctx: ManagementContext): Promise<void> {
  const { koaBody } = await import('koa-body');
  const parse = koaBody({
    jsonLimit: MAX_BODY_BYTES,
    urlencoded: false,
    text: false,
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
  });
  await parse(ctx as never, async () => undefined);
}

/**
 * Reads and validates the JSON body of a request.
 * @param code of the error when the body is not JSON, too large, or does not match the schema
 * @param options `mayBeEmpty`: treats a request without a body as an empty object
 * @throws Refusal `code` with the failing field as `param`
 */
export async function readBody<Schema extends z.ZodType>(
  ctx: ManagementContext,
  schema: Schema,
  code: ErrorCode,
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Promise<z.output<Schema>> {
  const body = mayBeEmpty && hasNoBody(ctx) ? {} : await readJson(ctx, code);
  const result = schema.safeParse(body, { error: issueMessage });
  if (result.success) return result.data;
  const { path = [], message = 'is not valid' } = result.error.issues[0] ?? {};
  return path.length === 0
    ? refuse(code, { problem: 'the body must be a JSON object' })
    : refuse(code, { param: path.map(String).join('.'), problem: message });
}

const hasNoBody = ({ request, headers }: ManagementContext): boolean =>
  headers['transfer-encoding'] === undefined && (request.length ?? 0) === 0;

async function readJson(ctx: ManagementContext, code: ErrorCode): Promise<unknown> {
  // koa-body parses an empty body as an empty object.
  if (!ctx.is('json', '+json') || ctx.request.length === 0) {
    return refuse(code, { problem: 'the body must be JSON with "content-type: application/json"' });
  }
  try {
    await parseJson(ctx);
  } catch (error) {
    const isTooLarge = (error as { status?: number }).status === 413;
    refuse(code, {
      problem: isTooLarge ? `the body is larger than ${MAX_BODY_BYTES} bytes` : 'the body is not valid JSON',
    });
  }
  return (ctx.request as { body?: unknown }).body;
}

/**
 * Creates the schema of a JSON object in a request. Accepts names in snake_case or camelCase and refuses unknown fields
 * (docs/decisions/0046-spelling-of-fields.md). Ignores the fields in `readOnly`, so that clients can send a response back.
 */
export function wireObject<Shape extends z.ZodRawShape>(shape: Shape, readOnly: readonly string[] = []) {
  const known = new Map([...Object.keys(shape), ...readOnly].map((name) => [toSnakeCase(name), name]));
  return z.preprocess((input, { addIssue }) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
    const fields = new Map<string, unknown>();
    for (const [field, value] of Object.entries(input)) {
      const name = known.get(toSnakeCase(field));
      if (name === undefined) addIssue({ code: 'custom', path: [field], message: 'is not a known field' });
      else if (fields.has(name)) addIssue({ code: 'custom', path: [field], message: 'is given twice' });
      else fields.set(name, value);
    }
    for (const name of readOnly) fields.delete(name);
    return Object.fromEntries(fields);
  }, z.object(shape));
}

/** The schema of an array in a request. A longer one is refused before its entries are looked at. */
export const boundedArray = <Item extends z.ZodType>(item: Item, maxLength: number) =>
  z.preprocess((input, { addIssue }) => {
    if (Array.isArray(input) && input.length > maxLength) {
      addIssue({ code: 'custom', message: `must have at most ${maxLength} entries` });
    }
    return input;
  }, z.array(item).max(maxLength));

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/** A validation issue as the predicate of a sentence whose subject is the field. */
const issueMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must be at least ${String(issue.minimum)}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${String(issue.maximum)} characters`
        : `must be at most ${String(issue.maximum)}`;
    default:
      return 'is not valid';
  }
};
