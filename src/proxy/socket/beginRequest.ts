import type { IncomingMessage } from 'node:http';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { RequestSocket } from '../../domain/request/events.ts';
import type { Admitted } from '../admission/admissionControl.ts';
import type { Caller } from '../admission/callers.ts';
import { tokensOfText } from '../admission/estimate.ts';
import { newRequestId } from '../admission/requestId.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { MemoryShare } from '../requestBody/memoryBudget.ts';
import { ClientDisconnected } from '../requestBody/readBody.ts';
import { admitRequest, clientOf } from '../requests/admitRequest.ts';
import type { Surface } from '../responses/schema.ts';
import type { ConversationRoute } from '../routes/routes.ts';
import type { RequestTrace } from '../tracing/requestTrace.ts';
import { type Create, type CreateKind, readCreate } from './readCreate.ts';
import type { SocketServices } from './socketServices.ts';

/** The socket that a request comes on. */
export interface RequestingSocket {
  /** In the log, for all requests of the socket. */
  readonly id: string;
  /** The upgrade. */
  readonly request: IncomingMessage;
  readonly route: ConversationRoute;
  readonly surface: Surface;
  /** Of the last response: what a request that continues it stands for. */
  readonly totalTokens: number;
  readonly isClosed: () => boolean;
}

/** An admitted request. */
export interface BegunRequest {
  readonly requestId: string;
  readonly requestedAt: ReturnType<SocketServices['now']>;
  readonly key: ApiKey | null;
  readonly create: Create;
  readonly admitted: Admitted | undefined;
  readonly caller: Caller;
  readonly trace: RequestTrace | undefined;
  readonly share: MemoryShare;
  readonly inputTokens: number;
  readonly socket: RequestSocket;
}

/**
 * Identifies, reads and admits one message of a client, as a request over HTTP is. A request that is refused has been recorded
 * when this throws.
 * @param number of the request on its socket, from 1
 * @throws ProxyError, or ClientDisconnected when its socket has been closed meanwhile
 */
export async function beginRequest(
  services: SocketServices,
  { id, request, route, surface, totalTokens, isClosed }: RequestingSocket,
  raw: Buffer,
  number: number,
): Promise<BegunRequest> {
  const { memoryBudget, admissionControl, callers, gate, now } = services;
  const requestId = newRequestId();
  const requestedAt = now();
  const share = memoryBudget.createShare();
  const socketOf = (kind: CreateKind = 'turn', isContinued = false): RequestSocket => ({
    id,
    number,
    kind,
    isContinued,
  });
  let socket = socketOf();
  let key: ApiKey | null | undefined;
  let create: Create | undefined;
  let caller: Caller | undefined;
  let trace: RequestTrace | undefined;
  try {
    key = await gate.pass(request);
    const keyId = key?.id ?? null;
    caller = callers.callerOf(request, keyId);
    trace = services.beginTrace?.({ request, requestId, requestedAt, keyId, route: route.path });
    share.open();
    share.acquire(raw.length);
    create = readCreate(raw, { surface, headers: request.headers, recall: services.recall(clientOf(key)) });
    const isContinued = create.previousResponseId !== undefined;
    socket = socketOf(create.kind, isContinued);
    const inputTokens = tokensOfText(raw.length) + (isContinued ? totalTokens : 0);
    const admitted = admitRequest(services, { requestId, requestedAt, key }, create.request, inputTokens);
    if (isClosed()) throw new ClientDisconnected();
    return { requestId, requestedAt, key, create, admitted, caller, trace, share, inputTokens, socket };
  } catch (error) {
    share.close();
    const model = create?.request.model;
    const known = error instanceof ProxyError ? error : undefined;
    services.onRefused({ request, route: route.path, model, isIdentified: key !== undefined, error: known });
    trace?.onRefused({ status: known?.status ?? 'error', code: known?.code ?? 'client_gone', model });
    if (key !== undefined && caller) {
      const conversations = callers.conversationsOf(request, create?.request.conversationIds ?? []);
      const state = { requestId, requestedAt, route, key, model, trace, onHead: () => undefined };
      await admissionControl.refuse(error, { ...state, caller, conversations, socket }, create?.request);
    }
    if (error instanceof ProxyError || error instanceof ClientDisconnected) throw error;
    services.report(error as Error, { request: requestId });
    throw new ProxyError('internal_error');
  }
}
