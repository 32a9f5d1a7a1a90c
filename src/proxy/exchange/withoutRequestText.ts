import { isName, type ProviderError } from '../providerResponse/failure.ts';
import { redactMessage } from '../settlement/redactMessage.ts';
import type { Outcome } from '../settlement/settlement.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import { StreamedBody } from './streamedBody.ts';

const NOT_KEPT = "(the provider's message is not kept)";

/**
 * The outcome as the log may keep it: the client's text and addresses are taken out of what the provider said. Where the
 * request's text is not held, because a part of the response was relayed, an upload was streamed or the request continues an
 * earlier one of its websocket, nothing of the message is kept. The client still gets the message whole (docs/decisions/0061-messages-without-request-text.md).
 * @param said the provider's error, if it caused the outcome
 */
export function withoutRequestText(
  outcome: Outcome,
  said: ProviderError | undefined,
  {
    upstreamBody,
    contentType,
    model,
    socket,
  }: Pick<AdmittedRequest, 'upstreamBody' | 'contentType' | 'model' | 'socket'>,
): Outcome {
  const { code, message } = outcome;
  if (!said || code === null) return outcome;
  const isWhole = contentType === undefined && !socket?.isContinued;
  const isHeld = !(upstreamBody instanceof StreamedBody) && upstreamBody.length > 0 && isWhole;
  return {
    ...outcome,
    message: message !== null && said.message ? keptMessage(message, said.message) : message,
    errorType: nameOrNothing(said.type),
    errorParam: nameOrNothing(said.param),
  };

  function keptMessage(whole: string, provider: string): string {
    // svc may have put the provider's message into a sentence of its own, and its first letter into upper case.
    const at = whole.indexOf(provider.slice(1)) - 1;
    if (at < 0) return (isHeld ? redacted(whole) : undefined) ?? whole;
    const kept = (isHeld ? redacted(provider) : undefined) ?? NOT_KEPT;
    const first = kept[0] === provider[0] ? whole.slice(at, at + 1) : kept.slice(0, 1);
    return whole.slice(0, at) + first + kept.slice(1) + whole.slice(at + provider.length);
  }

  function redacted(text: string): string | undefined {
    return redactMessage(text, upstreamBody as readonly Buffer[], [model]);
  }
}

const nameOrNothing = (text: string | undefined): string | undefined =>
  text !== undefined && isName(text) ? text : undefined;
