import type { LimitMeter } from '../admission/limitMeter.ts';
import type { MemoryShare } from '../requestBody/memoryBudget.ts';
import type { RequestToSettle } from '../settlement/settlement.ts';
import type { RequestTrace } from '../tracing/requestTrace.ts';
import type { NewCall } from './call.ts';
import type { ResponseFormat } from './responseFormats.ts';
import type { StreamedBody } from './streamedBody.ts';

/** An admitted request with all that its attempts need. */
export interface AdmittedRequest extends RequestToSettle {
  /** Estimated from the size of the body; grows while a streamed body arrives. */
  readonly inputTokens: number;
  readonly trace?: RequestTrace | undefined;
  /** Undefined when its key has no limits. */
  readonly meter?: LimitMeter | undefined;
  /** Below the provider's base path. */
  readonly upstreamPath: string;
  /** Emptied when the client has received a part of the response: no other attempt follows, and streams last for minutes. */
  upstreamBody: readonly Buffer[] | StreamedBody;
  /** Released when the request has ended. */
  readonly share: MemoryShare;
  /** Content type of the body sent to the provider; undefined means JSON. */
  readonly contentType?: string;
  readonly format: ResponseFormat;
  /** How the provider is called, unless over HTTP. */
  readonly newCall?: NewCall | undefined;
  /** Alternating names and values, as the client sent them. */
  readonly clientHeaders: readonly string[];
  /** For a client that names its conversation without a header that the provider reads. */
  readonly sessionId?: string | undefined;
}
