import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SimulatedAccount } from './account.ts';
import { eventsIn, type RequestOptions, sendOnSocket, sendRequest } from './client.ts';
import { type Provider, type ProviderOptions, startProvider } from './provider.ts';
import type { ResponseScript } from './scripts.ts';

/** Starts one provider for the tests of a file, and adds a new account for each test. */
export function useProvider(options: ProviderOptions = {}) {
  let provider: Provider;
  let account: SimulatedAccount;
  beforeAll(async () => {
    provider = await startProvider(options);
  });
  beforeEach(() => {
    account = provider.addAccount();
  });
  afterAll(() => provider.close());

  return {
    get provider() {
      return provider;
    },
    get account() {
      return account;
    },
    send: (options: RequestOptions = {}) => sendRequest(provider, account, options),

    /** The events of a stream. */
    async eventsOf(script: ResponseScript, request: RequestOptions = {}) {
      account.next(script);
      return eventsIn(await (await sendRequest(provider, account, request)).text());
    },

    /** A response that is not a stream. */
    async responseOf(script: ResponseScript) {
      account.next(script);
      const response = await sendRequest(provider, account);
      const text = await response.text();
      const body = text.startsWith('{') ? JSON.parse(text) : undefined;
      return { status: response.status, headers: response.headers, text, body };
    },

    /** The bytes on the wire, chunk by chunk. */
    wireOf(script: ResponseScript) {
      account.next(script);
      return sendOnSocket(provider, account);
    },
  };
}
