import { api, type Schemas, unwrap } from '#lib/api/client.ts';

export type Started = Schemas['OAuthStart'];
export type FlowStatus = Schemas['OAuthStatus'];

export interface LinkOptions {
  readonly forceMethod: 'browser' | 'device';
  /** The account to sign in to again. */
  readonly accountId?: string;
  readonly on_duplicate?: 'replace';
}

export const startLink = (body: LinkOptions): Promise<Started> => unwrap(api.POST('/api/oauth/start', { body }));

export const statusOfLink = (flowId: string): Promise<FlowStatus> =>
  unwrap(api.GET('/api/oauth/status', { params: { query: { flowId } } }));

export const pasteCallback = (flowId: string, callbackUrl: string): Promise<FlowStatus> =>
  unwrap(api.POST('/api/oauth/manual-callback', { body: { flowId, callbackUrl } }));

export const cancelLink = (flowId: string): Promise<FlowStatus> =>
  unwrap(api.POST('/api/oauth/cancel', { body: { flowId } }));
