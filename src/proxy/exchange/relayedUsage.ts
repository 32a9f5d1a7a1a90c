import type { TokenUsage } from '../../domain/request/events.ts';
import { estimatedUsage } from '../admission/estimate.ts';
import type { StreamStop } from '../admission/streamStop.ts';
import type { Delivery } from '../relay/delivery.ts';
import type { AdmittedRequest } from './admittedRequest.ts';

type Request = Pick<AdmittedRequest, 'inputTokens' | 'format'>;
type Relayed = Pick<Delivery, 'streamedBytes'>;

/**
 * Estimates the output that was passed to the client: by its text where a limit may stop the stream, else by its bytes
 * (docs/decisions/0026-usage-estimates.md).
 */
export const relayedOutputTokens = ({ format }: Request, relayed: Relayed, stop: StreamStop | undefined): number =>
  stop?.outputTokens ?? format.tokensIn(relayed.streamedBytes);

/**
 * Estimates the usage of a request whose real usage the provider did not name.
 * @param undelivered output that was not passed to the delivery yet; it is counted once
 */
export function relayedUsage(
  { inputTokens, format }: Request,
  relayed: Relayed,
  stop: StreamStop | undefined,
  undelivered?: Buffer,
): TokenUsage {
  if (stop === undefined) {
    return estimatedUsage(inputTokens, format.tokensIn(relayed.streamedBytes + (undelivered?.length ?? 0)));
  }
  if (undelivered) stop.count(undelivered);
  return estimatedUsage(inputTokens, stop.outputTokens);
}
