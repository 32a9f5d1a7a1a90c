import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import { errors, messageOf } from '../../http/errors/errors.ts';
import { ReadModelUnavailable } from '../../readModels/readModelUnavailable.ts';
import type { ManagementMiddleware } from './context.ts';
import { sendJson } from './sendJson.ts';

/** @param about the response that it failed */
export type ReportError = (error: unknown, about?: { readonly request: string }) => void;

/**
 * Sends what a handler returned as the body, and a refusal as `{"error":{"code","message"}}`. Any other error is reported
 * and sent as `internal_error`, without details.
 */
export const respond =
  ({ newId, report }: { newId: () => string; report: ReportError }): ManagementMiddleware =>
  async (ctx, next) => {
    ctx.state.requestId = newId();
    ctx.set('x-request-id', ctx.state.requestId);
    // Responses contain keys and e-mail addresses: no cache may store them.
    ctx.set('cache-control', 'no-store');
    ctx.set('x-content-type-options', 'nosniff');
    try {
      const result: unknown = await next();
      if (result !== undefined) ctx.body = result;
      await sendJson(ctx, result);
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal === UNEXPECTED) report(error, { request: ctx.state.requestId });
      const { status, allow, retryAfter, body } = errorResponse(refusal);
      ctx.status = status;
      if (allow) ctx.set('allow', allow);
      if (retryAfter) ctx.set('retry-after', retryAfter);
      ctx.body = body;
    }
  };

const UNEXPECTED = new Refusal('internal_error');

/** Does not report failures of the read models, which report each outage once themselves instead of once per request. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return error instanceof ReadModelUnavailable ? new Refusal('read_models_unavailable', RETRY) : UNEXPECTED;
}

const RETRY = { retryAfterSeconds: 5 };

// The proxy sends `validation_error` as a 422 with a fixed message; management sends a 400 that names the field.
const entryInCatalogue = (code: ErrorCode) => (code === 'validation_error' ? 'invalid_request_error' : code);

/** Returns status and code of a refusal in management responses (docs/decisions/0037-management-errors.md). */
export function toWireError(code: ErrorCode): { status: number; code: string } {
  const { status, wireCode } = errors[entryInCatalogue(code)];
  return { status, code: code === 'validation_error' ? code : (wireCode ?? code) };
}

function errorResponse({ code: refused, details }: Refusal) {
  const { status, code } = toWireError(refused);
  return {
    status,
    allow: details.allowed === undefined ? undefined : String(details.allowed),
    retryAfter: details.retryAfterSeconds === undefined ? undefined : String(details.retryAfterSeconds),
    body: { error: { code, message: messageOf(entryInCatalogue(refused), details) } },
  };
}
