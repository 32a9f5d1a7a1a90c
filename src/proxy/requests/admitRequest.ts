import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { AdmissionControl, Admitted } from '../admission/admissionControl.ts';
import { currentKey } from '../admission/apiKey.ts';
import type { ModelRequest } from '../responses/modelRequest.ts';
import type { Pin } from '../settlement/settlement.ts';

export interface RequestOfKey {
  readonly requestId: string;
  readonly requestedAt: Instant;
  readonly key: ApiKey | null;
}

/**
 * Admits a request that has been read, and reserves what it is expected to use.
 * @param inputTokens estimated
 * @returns undefined when its key has no limits
 * @throws ProxyError `invalid_api_key`, `model_not_allowed`, LimitExceeded
 */
export const admitRequest = (
  { hot, admissionControl }: { readonly hot: HotState; readonly admissionControl: AdmissionControl },
  { requestId, requestedAt, key }: RequestOfKey,
  { model, maxOutputTokens, serviceTier, wantsStream }: ModelRequest,
  inputTokens: number,
): Admitted | undefined =>
  // Spelled out instead of spread, because this runs for every request.
  admissionControl.admit({
    requestId,
    key: currentKey(hot, key),
    model,
    inputTokens,
    maxOutputTokens,
    serviceTier,
    wantsStream,
    requestedAt,
  });

/** The client of a request, for what is remembered of clients. */
export const clientOf = (key: ApiKey | null): string => key?.id ?? 'anonymous';

/** What the proxy knows about the account of a conversation. */
export interface Pins {
  /** The name of a conversation in the log: a digest of the key that the client gave it. */
  readonly pinDigest: (client: string, conversationKey: string) => string;
  /** The name of a conversation for the provider. */
  readonly sessionId: (client: string, conversationKey: string) => string;
  /** The account that served the conversation last, also by a request that is not in the log yet. */
  readonly pinnedTo: (digest: string) => AccountId | undefined;
}

/** The conversation of a request with the account that it is pinned to. */
export function pinOf(
  { pinDigest, pinnedTo }: Omit<Pins, 'sessionId'>,
  client: string,
  { value, source }: { readonly value: string; readonly source: string },
): Pin {
  const digest = pinDigest(client, value);
  return { digest, source, resolvedTo: pinnedTo(digest) ?? null };
}
