import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HotState } from '../../state/fold/hotState.ts';
import type { AdmissionControl } from '../admission/admissionControl.ts';
import { currentKey } from '../admission/apiKey.ts';
import type { Callers } from '../admission/callers.ts';
import { tokensOfAudio } from '../admission/estimate.ts';
import { ProxyError, requestTooLarge } from '../errors/proxyError.ts';
import type { OpenRequests } from '../exchange/openRequests.ts';
import { jsonObject } from '../exchange/responseFormats.ts';
import { StreamedBody } from '../exchange/streamedBody.ts';
import { PassThroughDelivery } from '../relay/passThroughDelivery.ts';
import type { ResponseHead } from '../relay/responseHead.ts';
import type { MemoryBudget, MemoryShare } from '../requestBody/memoryBudget.ts';
import { ClientDisconnected } from '../requestBody/readBody.ts';
import type { RoutedState } from '../routes/proxyState.ts';
import type { TranscriptionRoute } from '../routes/routes.ts';
import { MAX_FORM_BYTES, rewriteTranscriptionForm, TRANSCRIPTION_MODEL } from './transcriptionForm.ts';

export interface TranscriptionServices {
  readonly hot: HotState;
  readonly admissionControl: AdmissionControl;
  readonly callers: Callers;
  readonly memoryBudget: MemoryBudget;
  readonly openRequests: OpenRequests;
  readonly limits: ResponseHead['limits'];
}

type KnownRoute = RoutedState<TranscriptionRoute>;

/**
 * Bytes read before the first attempt. Most dictations are shorter: they are checked completely and can be retried with
 * another account. A longer one is streamed and not kept, so it can only be retried until more than its start was sent.
 */
const MAX_BUFFERED_BYTES = 1_048_576;

/** Transcribes audio, with the same admission and the same attempts as for model requests. */
export function createTranscriptionHandler(services: TranscriptionServices) {
  const { hot, admissionControl, callers, memoryBudget, openRequests, limits } = services;
  const requested = { model: TRANSCRIPTION_MODEL, effort: null, serviceTier: null };

  return async (request: IncomingMessage, response: ServerResponse, state: KnownRoute): Promise<void> => {
    const { requestId, requestedAt, key, route, trace } = state;
    const caller = callers.callerOf(request, key?.id ?? null);
    const conversations = callers.conversationsOf(request, []);
    state.model = TRANSCRIPTION_MODEL;
    let read: Awaited<ReturnType<typeof readStart>>;
    const share = memoryBudget.createShare();
    try {
      share.open();
      read = await readStart(request, state, share);
      if (response.destroyed) throw new ClientDisconnected();
    } catch (error) {
      share.close();
      await admissionControl.refuse(error, { ...state, caller, conversations }, requested);
      throw error;
    }
    const { admitted, contentType, pieces, completeForm, start } = read;
    const streamed = new StreamedBody(start, pieces, (error) => {
      if (error instanceof ProxyError) exchange.refuse(error);
      else exchange.onClientDisconnect();
    });
    const exchange = openRequests.add(
      {
        ...requested,
        requestId,
        key,
        route: route.path,
        requestedAt,
        admission: admitted?.admission,
        meter: admitted?.meter,
        pin: undefined,
        caller,
        trace,
        conversations,
        get inputTokens() {
          return tokensOfAudio(completeForm?.length ?? streamed.sentBytes);
        },
        upstreamPath: route.upstreamPath,
        upstreamBody: completeForm ? [completeForm] : streamed,
        share,
        contentType,
        format: jsonObject,
        clientHeaders: request.rawHeaders,
      },
      new PassThroughDelivery(response, { requestId, limits, onHead: state.onHead }),
    );
    response.once('close', () => exchange.onClientDisconnect());
    // A client that gets its response early may still be sending. The remaining bytes are read and discarded.
    response.once('finish', () => void pieces.return(undefined));
    exchange.start();
  };

  /** @throws ProxyError, ClientDisconnected */
  async function readStart(
    request: IncomingMessage,
    { requestId, requestedAt, key, route }: KnownRoute,
    share: MemoryShare,
  ) {
    if (request.headers['content-encoding'] !== undefined) {
      throw new ProxyError('unsupported_media_type', { problem: 'a form must not be compressed' });
    }
    const bytes = Number(request.headers['content-length'] ?? MAX_FORM_BYTES);
    if (bytes > MAX_FORM_BYTES) throw requestTooLarge(MAX_FORM_BYTES);
    share.acquire(Math.min(bytes, MAX_BUFFERED_BYTES));
    const size = { inputTokens: tokensOfAudio(bytes), maxOutputTokens: null, wantsStream: false };
    const admitted = admissionControl.admit({
      ...requested,
      ...size,
      requestId,
      key: currentKey(hot, key),
      requestedAt,
    });
    const form = rewriteTranscriptionForm(request, route);
    return { admitted, ...form, ...(await bufferStart(form.pieces)) };
  }
}

/** Reads until the form is complete or longer than `MAX_BUFFERED_BYTES`. */
async function bufferStart(
  pieces: AsyncIterator<Buffer>,
): Promise<{ start: Buffer[]; completeForm: Buffer | undefined }> {
  const start: Buffer[] = [];
  let size = 0;
  while (size < MAX_BUFFERED_BYTES) {
    const { done, value } = await pieces.next();
    if (done) return { start: [], completeForm: Buffer.concat(start) };
    start.push(value);
    size += value.length;
  }
  return { start, completeForm: undefined };
}
