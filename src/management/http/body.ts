import type { z } from 'zod';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementContext } from './context.ts';
import { issueMessage } from './wireObject.ts';

export { boundedArray, wireObject } from './wireObject.ts';

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
