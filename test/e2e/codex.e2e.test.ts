import { zstdDecompressSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { defaultResponse, HELLO, textResponse } from '../support/provider/scripts.ts';
import { runCodex } from './support/codex.ts';
import { test } from './support/fixture.ts';
import { model, type Prompt, queueToolCall, responseText, userTexts } from './support/script.ts';

const prompt = 'Say hi to the end-to-end tests.';

describe('Codex', () => {
  test('gets its response without a key', async ({ fixture }) => {
    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'anonymous' },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    expect(codex.stdout).toContain(responseText);
    expect(fixture.onlyPrompt()).toMatchObject({ model, stream: true, store: false });
    expect(userTexts(fixture.onlyPrompt())).toContain(prompt);
    await fixture.expectLogged();
  });

  test('gets its response with a key where keys are required', async ({ fixture }) => {
    const key = await fixture.requireKeys();

    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'key', key },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    expect(fixture.proxy.requests).toMatchObject([{ method: 'POST', headers: { authorization: `Bearer ${key}` } }]);
    expect(userTexts(fixture.onlyPrompt())).toContain(prompt);
    await fixture.expectLogged();
  });

  test('gets its response over /v1 too', async ({ fixture }) => {
    const codex = await runCodex({ baseUrl: `${fixture.proxy.url}/v1`, prompt, model, signIn: { as: 'anonymous' } });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    await fixture.expectLogged();
  });

  test.for(['named OpenAI', 'built-in'] as const)(
    'signed in with ChatGPT (%s provider) sends zstd, and the provider gets the same body',
    async (provider, { fixture }) => {
      const ownAccount = fixture.provider.addAccount();

      const codex = await runCodex({
        baseUrl: `${fixture.proxy.url}/backend-api/svc`,
        prompt,
        model,
        signIn: { as: 'chatgpt', authFile: ownAccount.authFile(), provider },
      });

      expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
      const [sent, ...more] = fixture.proxy.requests.filter(({ method }) => method === 'POST');
      expect(more).toEqual([]);
      expect(sent?.headers).toMatchObject({ 'content-encoding': 'zstd', 'content-type': 'application/json' });
      const body = JSON.parse(zstdDecompressSync(sent?.body ?? '').toString()) as Prompt;
      expect(userTexts(body)).toContain(prompt);
      expect(fixture.onlyPrompt()).toMatchObject(body);
      await fixture.expectLogged();
    },
  );

  test('with the built-in provider tries a websocket once and falls back immediately', async ({ fixture }) => {
    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'chatgpt', authFile: fixture.provider.addAccount().authFile(), provider: 'built-in' },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, finalMessage: responseText });
    expect(fixture.proxy.requests.filter(({ headers }) => headers.upgrade === 'websocket')).toHaveLength(1);
    expect(codex.stderr).not.toContain('Reconnecting');
  });

  test('keeps the tools of its newest models, which are an input item', async ({ fixture }) => {
    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      model: 'gpt-6.1-sol',
      signIn: { as: 'anonymous' },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    expect(fixture.onlyPrompt()).toMatchObject({
      model: 'gpt-6.1-sol',
      input: expect.arrayContaining([expect.objectContaining({ type: 'additional_tools' })]),
    });
  });

  test('sends the result of its tool', async ({ fixture }) => {
    queueToolCall(fixture.account, 'get_goal', {});

    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'anonymous' },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    await fixture.expectToolLoop('get_goal');
  });

  test('runs a command that the model requests, and continues in a second turn', async ({ fixture }) => {
    queueToolCall(fixture.account, 'exec_command', { cmd: 'echo $((6 * 7))-from-the-shell' });

    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      followUps: ['And now?'],
      model,
      signIn: { as: 'anonymous' },
      allowsCommands: true,
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    const [, afterCommand, secondTurn, ...more] = fixture.prompts().map(({ json }) => json as Prompt);
    expect(more).toEqual([]);
    const output = afterCommand?.input.find(({ type }) => type === 'function_call_output');
    expect(JSON.stringify(output)).toContain('42-from-the-shell');
    expect(userTexts(secondTurn as Prompt)).toEqual(expect.arrayContaining([prompt, 'And now?']));
    expect(JSON.stringify(secondTurn?.input)).toContain(responseText);
    expect(await fixture.service.loggedRequests(3)).toEqual(
      Array(3).fill(expect.objectContaining({ model, status: '200', account_id: fixture.accountId })),
    );
  });

  test('compacts a long session, and continues with the compaction', async ({ fixture }) => {
    fixture.account.always(defaultResponse());
    fixture.account.next(textResponse({ text: 'A long response.', usage: { inputTokens: 50_000 } }));

    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      followUps: ['And now?'],
      model,
      signIn: { as: 'chatgpt', authFile: fixture.provider.addAccount().authFile(), provider: 'named OpenAI' },
      settings: ['model_auto_compact_token_limit = 40000'],
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: HELLO });
    const [, compaction, afterCompaction, ...more] = fixture.prompts().map(({ json }) => json as Prompt);
    expect(more).toEqual([]);
    expect(compaction?.input.at(-1)).toMatchObject({ type: 'compaction_trigger' });
    expect(afterCompaction?.input).toContainEqual(
      expect.objectContaining({ type: 'compaction', encrypted_content: expect.any(String) }),
    );
    expect(JSON.stringify(afterCompaction?.input)).not.toContain('A long response.');
    expect(userTexts(afterCompaction as Prompt)).toContain('And now?');
    expect(await fixture.service.loggedRequests(3)).toEqual(
      Array(3).fill(expect.objectContaining({ model, status: '200' })),
    );
  });

  test('of an older version compacts its session with the compaction endpoint', async ({ fixture }) => {
    fixture.account.next(textResponse({ text: 'A long response.', usage: { inputTokens: 50_000 } }));

    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      followUps: ['And now?'],
      model,
      signIn: { as: 'chatgpt', authFile: fixture.provider.addAccount().authFile(), provider: 'named OpenAI' },
      version: 'old',
      settings: ['model_auto_compact_token_limit = 40000'],
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    const compactions = fixture.provider.received.filter(({ path }) => path.endsWith('/responses/compact'));
    expect(compactions).toMatchObject([{ account: fixture.account.id, status: 200 }]);
    const [, afterCompaction, ...more] = fixture.prompts().map(({ json }) => json as Prompt);
    expect(more).toEqual([]);
    expect(afterCompaction?.input.map(({ type }) => type)).toContain('compaction');
    expect(userTexts(afterCompaction as Prompt)).toContain('And now?');
    expect(await fixture.service.loggedRequests(3)).toEqual(
      Array(3).fill(expect.objectContaining({ model, status: '200' })),
    );
  });

  test('shows the error for an invalid key, without a request to the provider', async ({ fixture }) => {
    await fixture.requireKeys();
    const key = `sk-svc-${'0'.repeat(48)}`;

    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'key', key },
      retries: false,
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 1, timedOut: false, finalMessage: '' });
    expect(codex.stderr).toContain('401 Unauthorized');
    expect(codex.stderr).toContain(await fixture.errorMessageFor(key));
    await fixture.expectNoRequests();
  });

  test('is rejected without a key where keys are required', async ({ fixture }) => {
    await fixture.requireKeys();

    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'anonymous' },
      retries: false,
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 1, timedOut: false, finalMessage: '' });
    expect(codex.stderr).toContain('401 Unauthorized');
    await fixture.expectNoRequests();
  });

  test('is rejected with the token of its own ChatGPT account where keys are required', async ({ fixture }) => {
    await fixture.requireKeys();

    const codex = await runCodex({
      baseUrl: `${fixture.proxy.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'chatgpt', authFile: fixture.provider.addAccount().authFile(), provider: 'named OpenAI' },
      retries: false,
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 1, timedOut: false, finalMessage: '' });
    await fixture.expectNoRequests();
  });
});
