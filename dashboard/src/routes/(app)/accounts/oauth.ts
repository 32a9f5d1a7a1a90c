import { ApiError } from '#lib/api/apiError.ts';

export interface Started {
  readonly flowId: string;
  readonly method: 'browser' | 'device';
  readonly authorizationUrl: string | null;
  readonly callbackUrl: string | null;
  readonly verificationUrl: string | null;
  readonly userCode: string | null;
  readonly deviceAuthId: string | null;
  readonly intervalSeconds: number | null;
  readonly expiresInSeconds: number;
  readonly callback_problem: string | null;
}

export interface FlowStatus {
  readonly status: 'pending' | 'success' | 'error';
  readonly errorMessage: string | null;
  readonly error_code: string | null;
  readonly flowId: string | null;
  readonly account_id: string | null;
  readonly outcome: 'imported' | 'replaced' | 'skipped' | null;
  readonly expires_at: string | null;
}

async function call<Data>(method: string, path: string, body?: unknown): Promise<Data> {
  const response = await fetch(`/api/oauth/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch((reason: unknown) => {
    throw ApiError.unreachable(reason);
  });
  const answer = await response.json().catch(() => undefined);
  if (!response.ok) throw ApiError.from(response, answer);
  return answer as Data;
}

export const startLink = (body: {
  forceMethod: 'browser' | 'device';
  accountId?: string;
  on_duplicate?: 'replace' | 'skip' | 'refuse';
}) => call<Started>('POST', 'start', body);
export const statusOfLink = (flowId: string) => call<FlowStatus>('GET', `status?flowId=${encodeURIComponent(flowId)}`);
export const completeLink = (flowId: string) => call<FlowStatus>('POST', 'complete', { flowId });
export const pasteCallback = (flowId: string, callbackUrl: string) =>
  call<FlowStatus>('POST', 'manual-callback', { flowId, callbackUrl });
export const cancelLink = (flowId: string) => call<FlowStatus>('POST', 'cancel', { flowId });
