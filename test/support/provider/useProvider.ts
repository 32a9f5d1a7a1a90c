import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SimulatedAccount } from './account.ts';
import { type AskOptions, ask, askOnTheWire, eventsIn } from './client.ts';
import { type Provider, type ProviderOptions, startProvider } from './provider.ts';
import type { ResponseScript } from './scripts.ts';

/** One provider for the tests of a file, and a fresh account for each of them. */
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
    ask: (asked: AskOptions = {}) => ask(provider, account, asked),

    /** The events of a stream. */
    async eventsOf(script: ResponseScript, asked: AskOptions = {}) {
      account.next(script);
      return eventsIn(await (await ask(provider, account, asked)).text());
    },

    /** An answer that is no stream. */
    async answerOf(script: ResponseScript) {
      account.next(script);
      const response = await ask(provider, account);
      const text = await response.text();
      const body = text.startsWith('{') ? JSON.parse(text) : undefined;
      return { status: response.status, headers: response.headers, text, body };
    },

    /** What goes over the wire, chunk by chunk. */
    wireOf(script: ResponseScript) {
      account.next(script);
      return askOnTheWire(provider, account);
    },
  };
}
