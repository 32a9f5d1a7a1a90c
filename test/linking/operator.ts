import { vi } from 'vitest';
import type { Gateway } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { signInAt } from '../support/provider/client.ts';

/** Uses a new connection each time: a kept one would make a closed port look open. */
export async function visit(url: string, accept = 'text/html') {
  const response = await fetch(url, { headers: { accept, connection: 'close' }, redirect: 'manual' });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    text: await response.text(),
  };
}

/** An operator who links accounts over `/api/oauth`, with a browser. */
export function operatorOf({ api, provider }: Pick<Gateway, 'api' | 'provider'>) {
  const statusOf = async (flowId?: string) =>
    (await api('GET', `/api/oauth/status${flowId === undefined ? '' : `?flowId=${flowId}`}`)).body;

  return {
    /** @throws unless the response is a 200 */
    async start(body?: Record<string, unknown>) {
      const response = await api('POST', '/api/oauth/start', body);
      if (response.status !== 200)
        throw new Error(`start responded with ${response.status}: ${JSON.stringify(response.body)}`);
      return response.body;
    },
    statusOf,
    /** Opens the authorization URL, signs in and follows the redirect. */
    async signIn({ authorizationUrl }: { authorizationUrl: string }, as: SimulatedAccount | 'deny') {
      return visit(await signInAt(authorizationUrl, as));
    },
    paste: (callbackUrl: string, flowId?: string) =>
      api('POST', '/api/oauth/manual-callback', { callbackUrl, ...(flowId !== undefined && { flowId }) }),
    cancel: (flowId?: string) => api('POST', '/api/oauth/cancel', flowId === undefined ? undefined : { flowId }),
    async waitUntilEnded(flowId: string) {
      const isOver = async () => (await statusOf(flowId)).status !== 'pending';
      await vi.waitUntil(isOver, { timeout: 10_000, interval: 20 });
      return statusOf(flowId);
    },
    async accounts() {
      return (await api('GET', '/api/accounts')).body.accounts;
    },
    /** Requests to the token endpoint that exchange a code. */
    exchanges: () =>
      provider.received.flatMap(({ path, form }) =>
        path === '/oauth/token' && form?.grant_type === 'authorization_code' ? [form] : [],
      ),
  };
}

const LINK_EVENTS = [
  'AccountLinkBegun',
  'AccountLinkCodeReceived',
  'AccountLinkSkipped',
  'AccountLinkFailed',
  'AccountLinkCancelled',
  'AccountImported',
  'AccountTokensReplaced',
] as const;

/** The types of the events of a sign-in, in the order of the log. */
export const linkEventTypes = (gateway: Gateway, flowId: string): string[] =>
  LINK_EVENTS.flatMap((type) => gateway.events(type))
    .filter(({ data }) => data.linkId === flowId)
    .sort((a, b) => a.position - b.position)
    .map(({ type }) => type);
