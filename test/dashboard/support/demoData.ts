import { vi } from 'vitest';
import { type Gateway, validRequest } from '../../support/gateway.ts';
import { requestRefused, serverError, textResponse, usageLimitReached } from '../../support/provider/scripts.ts';
import { usageWindow } from '../../support/provider/usage.ts';
import { writePastRequests } from './pastRequests.ts';

const WEEK = 7 * 24 * 3600;
const HOUR = 3600;

const windows = (primary: number, secondary: number) => ({
  primary: usageWindow({ usedPercent: primary, resetsInSeconds: 2 * HOUR + 700 + primary * 31 }),
  secondary: usageWindow({
    usedPercent: secondary,
    windowSeconds: WEEK,
    resetsInSeconds: 2 * 24 * HOUR + secondary * 1_999,
  }),
});

const PEOPLE = [
  ['ada.lovelace@example.com', 'pro', 22, 31],
  ['grace.hopper@example.com', 'plus', 64, 48],
  ['katherine.johnson@example.com', 'team', 100, 71],
  ['barbara.liskov@example.com', 'plus', 8, 12],
  ['radia.perlman@example.com', 'pro', 91, 83],
  ['frances.allen@example.com', 'plus', 41, 100],
  ['margaret.hamilton@example.com', 'business', 12, 37],
  ['hedy.lamarr@example.com', 'pro', 2, 3],
] as const;

const KEYS = [
  { name: 'ci-runners', limits: [rule('total_tokens', 'daily', 1_300), rule('cost_usd', 'monthly', 200)] },
  {
    name: 'ada’s laptop',
    limits: [rule('total_tokens', 'weekly', 40_000_000)],
    allowed_models: ['gpt-5.1', 'gpt-5.5'],
  },
  { name: 'design team', limits: [], expires_at: '2027-03-01T00:00:00Z' },
  { name: 'old prototype', limits: [rule('output_tokens', 'daily', 100_000)] },
];

function rule(limit_type: string, limit_window: string, max_value: number) {
  return { limit_type, limit_window, max_value };
}

/** Fills a service with demo data: accounts in every status, keys, and successful and failed requests of a week. */
export async function addDemoData(
  gateway: Gateway,
): Promise<{ accountIds: string[]; keys: { id: string; key: string }[] }> {
  const accounts = PEOPLE.map(([email, plan, primary, secondary]) =>
    gateway.provider.addAccount({ email, plan, usage: windows(primary, secondary) }),
  );
  const accountIds: string[] = [];
  for (const account of accounts) accountIds.push(await gateway.importAccount(account));
  await vi.waitUntil(() => gateway.events('AccountUsageObserved').length >= accounts.length, { timeout: 10_000 });
  await gateway.api('POST', `/api/accounts/${accountIds[3]}/pause`);

  const keys: { id: string; key: string }[] = [];
  const { body: team } = await gateway.api('POST', '/api/teams', {
    name: 'platform',
    limits: [rule('cost_usd', 'monthly', 500), rule('total_tokens', 'daily', 20_000)],
  });
  await gateway.api('PATCH', '/api/owners/Ada', { limits: [rule('total_tokens', 'daily', 5_000_000)] });
  for (const [index, key] of KEYS.entries()) {
    const body = { ...key, ...(index < 2 && { team: team.id }), ...(index === 1 && { owner: 'Ada' }) };
    keys.push((await gateway.api('POST', '/api/api-keys', body)).body);
  }
  await gateway.api('PATCH', `/api/api-keys/${keys[3]?.id}`, { is_active: false });
  await writePastRequests(
    gateway,
    accountIds,
    keys.map(({ id }) => id),
  );
  await gateway.set({ api_key_auth_enabled: true });

  // The provider rejects the first account, and another one serves the request.
  const refused = accounts.at(-1);
  refused?.expireAccessToken();
  if (refused) refused.token = { status: 401, error: 'refresh_token_reused' };

  const models = ['gpt-5.1', 'gpt-5.5', 'gpt-5.4-nano', 'gpt-5.1'];
  for (let index = 0; index < 42; index++) {
    const providerAccounts = gateway.provider.accounts;
    if (index === 9) for (const account of providerAccounts) account.next(requestRefused());
    if (index === 17) for (const account of providerAccounts) account.next(serverError());
    if (index === 23) providerAccounts[0]?.next(usageLimitReached());
    if (index % 5 === 0)
      for (const account of providerAccounts) account.always(textResponse({ text: 'Hello. '.repeat(4 + index) }));
    const response = await gateway.ask(
      {
        ...validRequest,
        model: models[index % models.length],
        reasoning: { effort: index % 3 === 0 ? 'high' : 'medium' },
      },
      { headers: { authorization: `Bearer ${keys[index % 3]?.key}`, session_id: `conversation-${index % 7}` } },
    );
    await response.text();
  }
  return { accountIds, keys };
}
