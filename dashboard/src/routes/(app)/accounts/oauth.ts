import { answerOf, api, type Schemas } from '#lib/api/client.ts';

export type Started = Schemas['OAuthStart'];
export type FlowStatus = Schemas['OAuthStatus'];

export interface Start {
  readonly forceMethod: 'browser' | 'device';
  /** The account to be signed in to again. */
  readonly accountId?: string;
  readonly on_duplicate?: 'replace';
}

export const startLink = (body: Start): Promise<Started> => answerOf(api.POST('/api/oauth/start', { body }));

export const statusOfLink = (flowId: string): Promise<FlowStatus> =>
  answerOf(api.GET('/api/oauth/status', { params: { query: { flowId } } }));

export const pasteCallback = (flowId: string, callbackUrl: string): Promise<FlowStatus> =>
  answerOf(api.POST('/api/oauth/manual-callback', { body: { flowId, callbackUrl } }));

export const cancelLink = (flowId: string): Promise<FlowStatus> =>
  answerOf(api.POST('/api/oauth/cancel', { body: { flowId } }));
