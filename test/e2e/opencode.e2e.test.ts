import { describe, expect } from 'vitest';
import { runOpencode } from './support/opencode.ts';
import { answerText, callToolFirst, model, typedIn } from './support/script.ts';
import { test } from './support/stage.ts';

const prompt = 'Say hi to the end-to-end tests.';

describe('opencode', () => {
  test('gets its answer without a key', async ({ stage }) => {
    const opencode = await runOpencode({ baseUrl: `${stage.wire.url}/v1`, prompt, model });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false, stdout: `${answerText}\n` });
    expect(stage.onlyPrompt()).toMatchObject({ model, stream: true, store: false });
    // opencode puts a prompt of several words into quotation marks.
    expect(typedIn(stage.onlyPrompt())).toContain(`"${prompt}"`);
    await stage.expectLogged();
  });

  test('gets its answer with a key where keys are required', async ({ stage }) => {
    const key = await stage.requireKeys();

    const opencode = await runOpencode({ baseUrl: `${stage.wire.url}/v1`, prompt, model, key });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false, stdout: `${answerText}\n` });
    expect(stage.wire.sent).toMatchObject([{ method: 'POST', headers: { authorization: `Bearer ${key}` } }]);
    stage.onlyPrompt();
    await stage.expectLogged();
  });

  test('comes back with what its tool said', async ({ stage }) => {
    callToolFirst(stage.account, 'glob', { pattern: '*.md' });

    const opencode = await runOpencode({ baseUrl: `${stage.wire.url}/v1`, prompt, model });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false });
    expect(opencode.stdout).toContain(answerText);
    await stage.expectToolLoop('glob');
  });

  test('names its session with a second request beside the prompt', async ({ stage }) => {
    const opencode = await runOpencode({
      baseUrl: `${stage.wire.url}/v1`,
      prompt,
      model,
      title: { model: 'gpt-5.1-codex-mini' },
    });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false, stdout: `${answerText}\n` });
    const logged = await stage.service.loggedRequests(2);
    expect(logged.map((row) => row.model).sort()).toEqual([model, 'gpt-5.1-codex-mini']);
    for (const row of logged) expect(row).toMatchObject({ status: '200', account_id: stage.accountId });
  });

  test('shows the refusal of a wrong key, and the provider hears nothing', async ({ stage }) => {
    await stage.requireKeys();
    const key = `sk-svc-${'0'.repeat(48)}`;

    const opencode = await runOpencode({ baseUrl: `${stage.wire.url}/v1`, prompt, model, key });

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 1, timedOut: false, stdout: '' });
    expect(opencode.stderr).toContain(await stage.refusalOf(key));
    await stage.expectNothingHappened();
  });
});
