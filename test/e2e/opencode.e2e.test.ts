import { describe, expect } from 'vitest';
import { test } from './support/fixture.ts';
import { runOpencode } from './support/opencode.ts';
import { model, queueToolCall, responseText, userTexts } from './support/script.ts';

const prompt = 'Say hi to the end-to-end tests.';

describe('opencode', () => {
  test('gets its response without a key', async ({ fixture }) => {
    const opencode = await runOpencode({ baseUrl: `${fixture.proxy.url}/v1`, prompt, model });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false, stdout: `${responseText}\n` });
    expect(fixture.onlyPrompt()).toMatchObject({ model, stream: true, store: false });
    // opencode quotes a prompt of several words.
    expect(userTexts(fixture.onlyPrompt())).toContain(`"${prompt}"`);
    await fixture.expectLogged();
  });

  test('gets its response with a key where keys are required', async ({ fixture }) => {
    const key = await fixture.requireKeys();

    const opencode = await runOpencode({ baseUrl: `${fixture.proxy.url}/v1`, prompt, model, key });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false, stdout: `${responseText}\n` });
    expect(fixture.proxy.requests).toMatchObject([{ method: 'POST', headers: { authorization: `Bearer ${key}` } }]);
    fixture.onlyPrompt();
    await fixture.expectLogged();
  });

  test('sends the result of its tool', async ({ fixture }) => {
    queueToolCall(fixture.account, 'glob', { pattern: '*.md' });

    const opencode = await runOpencode({ baseUrl: `${fixture.proxy.url}/v1`, prompt, model });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false });
    expect(opencode.stdout).toContain(responseText);
    await fixture.expectToolLoop('glob');
  });

  test('sends a second request to name its session', async ({ fixture }) => {
    const opencode = await runOpencode({
      baseUrl: `${fixture.proxy.url}/v1`,
      prompt,
      model,
      title: { model: 'gpt-5.1-codex-mini' },
    });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false, stdout: `${responseText}\n` });
    const logged = await fixture.service.loggedRequests(2);
    expect(logged.map((row) => row.model).sort()).toEqual([model, 'gpt-5.1-codex-mini']);
    for (const row of logged) expect(row).toMatchObject({ status: '200', account_id: fixture.accountId });
  });

  test('shows the error for an invalid key, without a request to the provider', async ({ fixture }) => {
    await fixture.requireKeys();
    const key = `sk-svc-${'0'.repeat(48)}`;

    const opencode = await runOpencode({ baseUrl: `${fixture.proxy.url}/v1`, prompt, model, key });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 1, timedOut: false, stdout: '' });
    expect(opencode.stderr).toContain(await fixture.errorMessageFor(key));
    await fixture.expectNoRequests();
  });
});
