import { expect, onTestFinished, test } from 'vitest';
import { codexLbFolder, codexLbKeys } from '../support/codexLb/codexLbFolder.ts';
import { startGateway } from '../support/gateway.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { emptyFolder, IN_WINDOW, importInto, outcomes, readEvents, SLOW } from './importStage.ts';

test('keys of codex-lb go on working, with their limits and what is used of them', SLOW, async () => {
  const folder = emptyFolder();
  await importInto(folder, codexLbFolder(IN_WINDOW));
  const gateway = await startGateway({ accounts: 0, folder, provider: { acceptsAnyToken: true } });
  onTestFinished(() => gateway.stop());
  for (const account of gateway.provider.accounts) account.always(textResponse({ text: 'Hello' }));
  const ask = async (key: string, model = 'gpt-5.5') =>
    (
      await fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'Say hi' }),
      })
    ).status;
  const limitsOf = async (name: string) => {
    const { body } = await gateway.api('GET', '/api/api-keys');
    return body.find((key: { name: string }) => key.name === name).limits;
  };

  expect(await limitsOf('ci')).toMatchObject([
    { limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000, current_value: 322 },
    { limit_type: 'cost_usd', limit_window: 'weekly', max_value: 5 },
    { limit_type: 'output_tokens', limit_window: 'monthly', model_filter: 'gpt-5.5', current_value: 6 },
    { limit_type: 'input_tokens', limit_window: 'weekly', current_value: 314 },
  ]);
  expect(await ask(codexLbKeys.ci)).toBe(200);
  expect(await ask(codexLbKeys.sameName)).toBe(200);
  expect((await limitsOf('ci'))[0].current_value).toBeGreaterThan(322);
  expect(await ask(codexLbKeys.models, 'gpt-5.4')).toBe(403);
  expect(await ask(codexLbKeys.enforcedModel, 'gpt-5.4')).toBe(403);
  for (const key of ['disabled', 'expired', 'foreignLimits', 'scoped', 'enforcedEffort'] as const) {
    expect(await ask(codexLbKeys[key]), key).toBe(401);
  }
  expect(await ask('sk-clb-unknown')).toBe(401);
  const { body } = await gateway.api('GET', '/api/accounts');
  expect(body.accounts.map((account: { email: string; status: string }) => [account.email, account.status])).toEqual([
    [expect.stringContaining('@example.com'), 'active'],
    [expect.stringContaining('@example.com'), 'paused'],
    [expect.stringContaining('@example.com'), 'active'],
  ]);
});

test('keys that svc cannot restrict as before are active only on demand', SLOW, async () => {
  const folder = emptyFolder();
  await importInto(folder, codexLbFolder(), { keepsActive: true });
  const events = await readEvents(folder);
  expect(events.filter(({ type }) => type === 'ApiKeyDeactivated')).toHaveLength(1);
});

test('a key that allows no model at all is never active', SLOW, async () => {
  const folder = emptyFolder();
  await importInto(folder, codexLbFolder("UPDATE api_keys SET allowed_models = '[]' WHERE name = 'models'"), {
    keepsActive: true,
  });
  const events = await readEvents(folder);
  expect(events.filter(({ type }) => type === 'ApiKeyDeactivated')).toHaveLength(2);
});

test('an account that svc has keeps its tokens', SLOW, async () => {
  const folder = emptyFolder();
  const source = codexLbFolder();
  await importInto(folder, source);
  const later = codexLbFolder(
    "UPDATE accounts SET status = 'paused'; UPDATE accounts SET last_refresh = '2027-01-01 00:00:00'",
  );
  const { items, isChange } = await importInto(folder, later);
  expect(isChange).toBe(false);
  expect(outcomes(items, 'account')).toHaveLength(3);
});
