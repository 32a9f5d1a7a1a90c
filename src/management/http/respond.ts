import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import { errors, messageOf } from '../../http/errors/errors.ts';
import { ReadModelUnavailable } from '../../readModels/readModelUnavailable.ts';
import type { ManagementMiddleware } from './context.ts';

/**
 * The way out: what a handler returned becomes the body, a refusal becomes `{"error":{"code","message"}}`, and anything
 * else that was thrown is reported and becomes `internal_error`.
 */
export const respond =
  ({ newId, report }: { newId: () => string; report: (error: unknown) => void }): ManagementMiddleware =>
  async (ctx, next) => {
    ctx.state.requestId = newId();
    ctx.set('x-request-id', ctx.state.requestId);
    // Answers hold keys and e-mail addresses: no cache may keep them.
    ctx.set('cache-control', 'no-store');
    ctx.set('x-content-type-options', 'nosniff');
    try {
      const answer: unknown = await next();
      if (answer !== undefined) ctx.body = answer;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === UNEXPECTED) report(error);
      const { status, allow, retryAfter, body } = shown(refusal);
      ctx.status = status;
      if (allow) ctx.set('allow', allow);
      if (retryAfter) ctx.set('retry-after', retryAfter);
      ctx.body = body;
    }
  };

const UNEXPECTED = new Refusal('internal_error');

/** The read models tell their troubles themselves, once and not for each who asks. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return error instanceof ReadModelUnavailable ? new Refusal('read_models_unavailable', RETRY) : UNEXPECTED;
}

const RETRY = { retryAfterSeconds: 5 };

// On the proxy a `validation_error` is 422 with one fixed message; here it is 400 and names the field.
const wordedAs = (code: ErrorCode) => (code === 'validation_error' ? 'invalid_request_error' : code);

/** Status and code of a refusal as clients of this surface see it. */
export function wireOf(code: ErrorCode): { status: number; code: string } {
  const { status, wireCode } = errors[wordedAs(code)];
  return { status, code: code === 'validation_error' ? code : (wireCode ?? code) };
}

function shown({ code: given, details }: Refusal) {
  const { status, code } = wireOf(given);
  return {
    status,
    allow: details.allowed === undefined ? undefined : String(details.allowed),
    retryAfter: details.retryAfterSeconds === undefined ? undefined : String(details.retryAfterSeconds),
    body: { error: { code, message: messageOf(wordedAs(given), details) } },
  };
}
