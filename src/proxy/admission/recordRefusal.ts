import type { Instant } from '../../domain/core/brands.ts';
import type { ProxyState } from '../app.ts';
import { ProxyError } from '../errors/proxyError.ts';
import { ClientDisconnected } from '../requestBody/readBody.ts';
import type { ProxyRoute } from '../routes.ts';
import { LimitExceeded } from './admission.ts';
import type { Refusals } from './refusals.ts';

/** As much as was known of a request when it ended. */
export interface RefusedState extends ProxyState {
  readonly route: ProxyRoute;
}

export interface RecordRefusalOptions {
  readonly refusals: Refusals;
  readonly now: () => Instant;
}

const MAX_MODEL_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Writes down that a request of a known client ended before any account was asked: every such request has its row, also
 * one whose client left in the middle of it. Resolves when that is durable or counted.
 */
export const createRecordRefusal =
  ({ refusals, now }: RecordRefusalOptions) =>
  async (
    error: unknown,
    { requestId, requestedAt, route, key }: RefusedState,
    known?: { readonly model: string; readonly effort: string | null },
  ): Promise<void> => {
    const end = endOf(error);
    if (!end) return;
    await refusals.refused({
      requestId,
      keyId: key?.id ?? null,
      route: route.path,
      model: (known?.model ?? '').slice(0, MAX_MODEL_CHARACTERS).toWellFormed(),
      effort: known?.effort ?? null,
      requestedAt,
      ...(error instanceof LimitExceeded && { admission: error.admission, limit: error.limit }),
      status: end.status,
      errorCode: end.code,
      errorMessage: end.message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed(),
      latencyMs: Math.max(0, now() - requestedAt),
    });
  };

/** @returns undefined for a mistake of ours, which is no refusal */
function endOf(error: unknown): { status: string; code: string; message: string } | undefined {
  if (error instanceof ProxyError) return { status: String(error.status), ...error.body.error };
  if (!(error instanceof ClientDisconnected)) return undefined;
  return {
    status: 'error',
    code: 'client_disconnected',
    message: 'The client hung up before its request was complete',
  };
}
