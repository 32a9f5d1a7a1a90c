import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAdmission } from '../admission/admission.ts';
import { currentKey } from '../admission/currentKey.ts';
import { tokensOfAudio } from '../admission/estimate.ts';
import { createRecordRefusal, type RefusedState } from '../admission/recordRefusal.ts';
import { ProxyError } from '../errors/proxyError.ts';
import { Exchange } from '../exchange/exchange.ts';
import { wholeJson } from '../exchange/responseFormats.ts';
import { StreamedBody } from '../exchange/streamedBody.ts';
import type { ModelRequestServices } from '../modelRequest.ts';
import { WholeDelivery } from '../relay/wholeDelivery.ts';
import type { MemoryShare } from '../requestBody/memoryBudget.ts';
import { ClientDisconnected } from '../requestBody/readBody.ts';
import { requestTooLarge } from '../requestBody/requestTooLarge.ts';
import type { TranscriptionRoute } from '../routes.ts';
import { MAX_FORM_BYTES, TRANSCRIPTION_MODEL, transcriptionForm } from './transcriptionForm.ts';

type KnownRoute = RefusedState & { readonly route: TranscriptionRoute };

/**
 * So much is read before anybody is asked. Most dictations are shorter: they are checked whole, and can be sent to another
 * account. What is longer is sent on while it arrives and never kept, so that after its beginning there is one attempt.
 */
const MAX_BUFFERED_BYTES = 1_048_576;

/** Audio on its way to a transcript, by the same admission and the same attempts as every other request. */
export function createTranscriptionHandler(services: ModelRequestServices) {
  const admit = createAdmission(services);
  const recordRefusal = createRecordRefusal(services);
  const asked = { model: TRANSCRIPTION_MODEL, effort: null, serviceTier: null };

  return async (request: IncomingMessage, response: ServerResponse, state: KnownRoute): Promise<void> => {
    const { requestId, requestedAt, key, route } = state;
    let read: Awaited<ReturnType<typeof readBeginning>>;
    const share = services.memoryBudget.createShare();
    try {
      share.open();
      read = await readBeginning(request, state, share);
      if (response.destroyed) throw new ClientDisconnected();
    } catch (error) {
      share.close();
      services.ledger.release(requestId);
      await recordRefusal(error, state, asked);
      throw error;
    }
    const { admission, contentType, pieces, whole, beginning } = read;
    const streamed = new StreamedBody(beginning, pieces, (error) => {
      if (error instanceof ProxyError) exchange.refuse(error);
      else exchange.clientGone();
    });
    const exchange = new Exchange(
      {
        ...asked,
        requestId,
        key,
        route: route.path,
        requestedAt,
        admission,
        pin: undefined,
        get inputTokens() {
          return tokensOfAudio(whole?.length ?? streamed.sentBytes);
        },
        upstreamPath: services.upstreamBasePath + route.upstream,
        upstreamBody: whole ? [whole] : streamed,
        share,
        contentType,
        answer: wholeJson,
        clientHeaders: request.rawHeaders,
      },
      new WholeDelivery(response, { requestId, limits: services.limits }),
      services,
    );
    services.openRequests.add(exchange);
    response.once('close', () => exchange.clientGone());
    // Answered early, a client may still be sending: what comes is read on, and goes nowhere.
    response.once('finish', () => void pieces.return(undefined));
    exchange.start();
  };

  /** @throws ProxyError, ClientGone */
  async function readBeginning(
    request: IncomingMessage,
    { requestId, requestedAt, key, route }: KnownRoute,
    share: MemoryShare,
  ) {
    if (request.headers['content-encoding'] !== undefined) {
      throw new ProxyError('unsupported_media_type', { problem: 'A form must not be compressed' });
    }
    const bytes = Number(request.headers['content-length'] ?? MAX_FORM_BYTES);
    if (bytes > MAX_FORM_BYTES) throw requestTooLarge(MAX_FORM_BYTES);
    share.acquire(Math.min(bytes, MAX_BUFFERED_BYTES));
    const current = currentKey(services.hot, key);
    const size = { inputTokens: tokensOfAudio(bytes), maxOutputTokens: null };
    const admission = admit({ requestId, key: current, ...asked, ...size, requestedAt });
    const form = transcriptionForm(request, route);
    return { admission, ...form, ...(await beginningOf(form.pieces)) };
  }
}

/** Reads until the form is complete or so long that it cannot be kept. */
async function beginningOf(pieces: AsyncIterator<Buffer>): Promise<{ beginning: Buffer[]; whole: Buffer | undefined }> {
  const beginning: Buffer[] = [];
  let size = 0;
  while (size < MAX_BUFFERED_BYTES) {
    const { done, value } = await pieces.next();
    if (done) return { beginning: [], whole: Buffer.concat(beginning) };
    beginning.push(value);
    size += value.length;
  }
  return { beginning, whole: undefined };
}
