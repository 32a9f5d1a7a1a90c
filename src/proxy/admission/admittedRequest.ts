import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { Admission } from '../../domain/request/events.ts';
import type { ResponseFormat } from '../exchange/responseFormats.ts';
import type { StreamedBody } from '../exchange/streamedBody.ts';
import type { MemoryShare } from '../requestBody/memoryBudget.ts';

/** A request that was admitted, with everything that its attempts need. */
export interface AdmittedRequest {
  readonly requestId: string;
  readonly key: ApiKey | null;
  readonly route: string;
  readonly model: string;
  readonly effort: string | null;
  readonly serviceTier: string | null;
  readonly requestedAt: Instant;
  readonly admission: Admission | undefined;
  /** Digest of the conversation's key; undefined when threads do not stick. */
  readonly pin: string | undefined;
  /** What its size says of its input; goes up while a streamed body arrives. */
  readonly inputTokens: number;
  readonly upstreamPath: string;
  /** Empty once the client has seen of its answer: nobody else will be asked, and streams last for minutes. */
  upstreamBody: readonly Buffer[] | StreamedBody;
  /** Given back when the request is over. */
  readonly share: MemoryShare;
  /** Of the body as the provider gets it, unless it is JSON. */
  readonly contentType?: string;
  readonly answer: ResponseFormat;
  readonly clientHeaders: readonly string[];
}
