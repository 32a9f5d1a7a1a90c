import { vi } from 'vitest';
import type { Gateway } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { signInAt } from '../support/provider/client.ts';

/** A fresh connection each time: what is closed must not seem open because a connection was kept. */
export async function visit(url: string, accept = 'text/html') {
  const answer = await fetch(url, { headers: { accept, connection: 'close' }, redirect: 'manual' });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    headers: answer.headers,
    text: await answer.text(),
  };
}

/** Somebody who links accounts over `/api/oauth`, and the browser in which they sign in. */
export function operatorOf({ api, provider }: Pick<Gateway, 'api' | 'provider'>) {
  const statusOf = async (flowId?: string) =>
    (await api('GET', `/api/oauth/status${flowId === undefined ? '' : `?flowId=${flowId}`}`)).body;

  return {
    /** @throws when it is refused */
    async start(body?: Record<string, unknown>) {
      const answer = await api('POST', '/api/oauth/start', body);
      if (answer.status !== 200) throw new Error(`start answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    statusOf,
    /** Follows the link, signs in, and goes where the provider says; that is what everybody else calls signing in. */
    async signIn({ authorizationUrl }: { authorizationUrl: string }, as: SimulatedAccount | 'deny') {
      return visit(await signInAt(authorizationUrl, as));
    },
    paste: (callbackUrl: string, flowId?: string) =>
      api('POST', '/api/oauth/manual-callback', { callbackUrl, ...(flowId !== undefined && { flowId }) }),
    cancel: (flowId?: string) => api('POST', '/api/oauth/cancel', flowId === undefined ? undefined : { flowId }),
    async ended(flowId: string) {
      const isOver = async () => (await statusOf(flowId)).status !== 'pending';
      await vi.waitUntil(isOver, { timeout: 10_000, interval: 20 });
      return statusOf(flowId);
    },
    async accounts() {
      return (await api('GET', '/api/accounts')).body.accounts;
    },
    /** What was sent to the token endpoint for codes. */
    exchanges: () =>
      provider.received.flatMap(({ path, form }) =>
        path === '/oauth/token' && form?.grant_type === 'authorization_code' ? [form] : [],
      ),
  };
}
