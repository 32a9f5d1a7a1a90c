import { type Provider, startProvider } from '../../test/support/provider/provider.ts';
import { textResponse } from '../../test/support/provider/scripts.ts';

const ACCOUNTS = 3;

/** The simulated provider in this process, whose accounts serve every request. */
export async function startTraffic() {
  const provider = await startProvider({ maxReceived: 100 });
  const accounts = Array.from({ length: ACCOUNTS }, () => provider.addAccount());
  for (const account of accounts) account.always(textResponse({ text: 'Hello.', betweenMs: 20 }));
  return {
    env: { SVC_UPSTREAM_BASE_URL: provider.baseUrl, SVC_AUTH_BASE_URL: provider.authUrl },
    importAccounts: (base: string, headers: Readonly<Record<string, string>>) =>
      Promise.all(accounts.map((account) => importAccount(base, account, headers))),
    close: () => provider.close(),
  };
}

async function importAccount(
  base: string,
  account: ReturnType<Provider['addAccount']>,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const form = new FormData();
  form.set('auth_json', new Blob([JSON.stringify(account.authFile())]), 'auth.json');
  const response = await fetch(`${base}/api/accounts/import?on_duplicate=replace`, {
    method: 'POST',
    headers,
    body: form,
  });
  if (!response.ok) throw new Error(`account import: ${response.status} ${await response.text()}`);
}

/** Sends requests at a steady rate until it is stopped. @returns a function that stops it and returns how many succeeded */
export function sendSteadily(base: string, key: string, perSecond: number): () => Promise<number> {
  const pending = new Set<Promise<void>>();
  let succeeded = 0;
  const send = async () => {
    const response = await fetch(`${base}/backend-api/svc/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-5.1', instructions: '', input: 'Say hi' }),
    });
    await response.text();
    if (response.ok) succeeded++;
  };
  const timer = setInterval(() => {
    const sent: Promise<void> = send().finally(() => pending.delete(sent));
    pending.add(sent);
  }, 1_000 / perSecond);
  return async () => {
    clearInterval(timer);
    await Promise.allSettled(pending);
    return succeeded;
  };
}
