import type { Instant } from '../../domain/core/brands.ts';
import { type RequestSocket, WEBSOCKET } from '../../domain/request/events.ts';
import { ProxyError } from '../errors/proxyError.ts';
import { ClientDisconnected } from '../requestBody/readBody.ts';
import type { RoutedState } from '../routes/proxyState.ts';
import type { Caller, NamedConversations } from './callers.ts';
import { LimitExceeded } from './limitExceeded.ts';
import type { Refusals } from './refusals.ts';

export interface RecordRefusalOptions {
  readonly refusals: Refusals;
  readonly now: () => Instant;
}

/** What is known of a refused request and of who sent it. */
export interface RefusedState extends RoutedState {
  readonly caller: Caller;
  readonly conversations: NamedConversations;
  /** Undefined for a request over HTTP. */
  readonly socket?: RequestSocket | undefined;
}

/** Details of a refused request, as far as svc has read them. */
export interface RequestedModel {
  readonly model: string;
  readonly effort: string | null;
}

const MAX_MODEL_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 500;
const NO_KEY: { readonly owner?: string | undefined; readonly team?: string | undefined } = {};

/**
 * Records that a request of an identified client ended before svc called the provider. Every such request has a row in the
 * request log, even if the client disconnected while sending it. Resolves when the refusal is durable or counted.
 */
export const createRecordRefusal =
  ({ refusals, now }: RecordRefusalOptions) =>
  async (
    error: unknown,
    { requestId, requestedAt, route, key, trace, caller, conversations, socket }: RefusedState,
    requested?: RequestedModel,
  ): Promise<void> => {
    const reason = reasonOf(error);
    if (!reason) return;
    const exceeded = error instanceof LimitExceeded ? error.decision : undefined;
    if (caller.ready) await caller.ready;
    const { owner, team } = exceeded?.of ?? key ?? NO_KEY;
    await refusals.record({
      requestId,
      keyId: key?.id ?? null,
      route: route.path,
      model: (requested?.model ?? '').slice(0, MAX_MODEL_CHARACTERS).toWellFormed(),
      effort: requested?.effort ?? null,
      requestedAt,
      ...(owner !== undefined && { owner }),
      ...(team !== undefined && { team }),
      ...(socket && { transport: WEBSOCKET, socket }),
      ...conversations,
      client: caller.client,
      ...(trace?.context && { trace: trace.context }),
      ...(exceeded && { admission: exceeded.admission }),
      status: reason.status,
      errorCode: reason.code,
      errorMessage: reason.message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed(),
      latencyMs: Math.max(0, now() - requestedAt),
      ...(exceeded && { decidedAt: exceeded.admission.decidedAt, limit: exceeded.limit }),
    });
  };

/** @returns undefined for an unexpected exception, which is a bug in svc and not a refusal */
function reasonOf(error: unknown): { status: string; code: string; message: string } | undefined {
  if (error instanceof ProxyError) return { status: String(error.status), ...error.body.error };
  if (!(error instanceof ClientDisconnected)) return undefined;
  return {
    status: 'error',
    code: 'client_disconnected',
    message: 'The client disconnected before its request was complete',
  };
}
