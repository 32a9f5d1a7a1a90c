import { zstdDecompressSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { defaultResponse, HELLO, textResponse } from '../support/provider/scripts.ts';
import { runCodex } from './support/codex.ts';
import { answerText, callToolFirst, model, type Prompt, typedIn } from './support/script.ts';
import { test } from './support/stage.ts';

const prompt = 'Say hi to the end-to-end tests.';

describe('Codex', () => {
  test('gets its answer without a key', async ({ stage }) => {
    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'nobody' },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: answerText });
    expect(codex.stdout).toContain(answerText);
    expect(stage.onlyPrompt()).toMatchObject({ model, stream: true, store: false });
    expect(typedIn(stage.onlyPrompt())).toContain(prompt);
    await stage.expectLogged();
  });

  test('gets its answer with a key where keys are required', async ({ stage }) => {
    const key = await stage.requireKeys();

    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'key', key },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: answerText });
    expect(stage.wire.sent).toMatchObject([{ method: 'POST', headers: { authorization: `Bearer ${key}` } }]);
    expect(typedIn(stage.onlyPrompt())).toContain(prompt);
    await stage.expectLogged();
  });

  test('gets its answer over /v1 as well', async ({ stage }) => {
    const codex = await runCodex({ baseUrl: `${stage.wire.url}/v1`, prompt, model, signIn: { as: 'nobody' } });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: answerText });
    await stage.expectLogged();
  });

  test.for(['named OpenAI', 'built-in'] as const)(
    'signed in with ChatGPT, with the %s provider, sends zstd and the provider gets the same body',
    async (provider, { stage }) => {
      const itsOwnAccount = stage.provider.addAccount();

      const codex = await runCodex({
        baseUrl: `${stage.wire.url}/backend-api/svc`,
        prompt,
        model,
        signIn: { as: 'chatgpt', authFile: itsOwnAccount.authFile(), provider },
      });

      expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: answerText });
      const [sent, ...more] = stage.wire.sent.filter(({ method }) => method === 'POST');
      expect(more).toEqual([]);
      expect(sent?.headers).toMatchObject({ 'content-encoding': 'zstd', 'content-type': 'application/json' });
      const body = JSON.parse(zstdDecompressSync(sent?.body ?? '').toString()) as Prompt;
      expect(typedIn(body)).toContain(prompt);
      expect(stage.onlyPrompt()).toMatchObject(body);
      await stage.expectLogged();
    },
  );

  test('with the built-in provider asks for a websocket once and falls back at once', async ({ stage }) => {
    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'chatgpt', authFile: stage.provider.addAccount().authFile(), provider: 'built-in' },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, finalMessage: answerText });
    expect(stage.wire.sent.filter(({ headers }) => headers.upgrade === 'websocket')).toHaveLength(1);
    expect(codex.stderr).not.toContain('Reconnecting');
  });

  test('keeps the tools of its newest models, which travel as an input item', async ({ stage }) => {
    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      model: 'gpt-6.1-sol',
      signIn: { as: 'nobody' },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: answerText });
    expect(stage.onlyPrompt()).toMatchObject({
      model: 'gpt-6.1-sol',
      input: expect.arrayContaining([expect.objectContaining({ type: 'additional_tools' })]),
    });
  });

  test('comes back with what its tool said', async ({ stage }) => {
    callToolFirst(stage.account, 'get_goal', {});

    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'nobody' },
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: answerText });
    await stage.expectToolLoop('get_goal');
  });

  test('runs a command that the model asks for, and goes on in a second turn', async ({ stage }) => {
    callToolFirst(stage.account, 'exec_command', { cmd: 'echo $((6 * 7))-from-the-shell' });

    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      afterwards: ['And now?'],
      model,
      signIn: { as: 'nobody' },
      runsCommands: true,
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: answerText });
    const [, afterCommand, secondTurn, ...more] = stage.prompts().map(({ json }) => json as Prompt);
    expect(more).toEqual([]);
    const output = afterCommand?.input.find(({ type }) => type === 'function_call_output');
    expect(JSON.stringify(output)).toContain('42-from-the-shell');
    expect(typedIn(secondTurn as Prompt)).toEqual(expect.arrayContaining([prompt, 'And now?']));
    expect(JSON.stringify(secondTurn?.input)).toContain(answerText);
    expect(await stage.service.loggedRequests(3)).toEqual(
      Array(3).fill(expect.objectContaining({ model, status: '200', account_id: stage.accountId })),
    );
  });

  test('compacts a session that has grown long, and goes on with what stands for it', async ({ stage }) => {
    stage.account.always(defaultResponse());
    stage.account.next(textResponse({ text: 'Much was said.', usage: { inputTokens: 50_000 } }));

    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      afterwards: ['And now?'],
      model,
      signIn: { as: 'chatgpt', authFile: stage.provider.addAccount().authFile(), provider: 'named OpenAI' },
      settings: ['model_auto_compact_token_limit = 40000'],
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: HELLO });
    const [, compaction, afterwards, ...more] = stage.prompts().map(({ json }) => json as Prompt);
    expect(more).toEqual([]);
    expect(compaction?.input.at(-1)).toMatchObject({ type: 'compaction_trigger' });
    expect(afterwards?.input).toContainEqual(
      expect.objectContaining({ type: 'compaction', encrypted_content: expect.any(String) }),
    );
    expect(JSON.stringify(afterwards?.input)).not.toContain('Much was said.');
    expect(typedIn(afterwards as Prompt)).toContain('And now?');
    expect(await stage.service.loggedRequests(3)).toEqual(
      Array(3).fill(expect.objectContaining({ model, status: '200' })),
    );
  });

  test('of an older version has its session compacted by the endpoint for that', async ({ stage }) => {
    stage.account.next(textResponse({ text: 'Much was said.', usage: { inputTokens: 50_000 } }));

    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      afterwards: ['And now?'],
      model,
      signIn: { as: 'chatgpt', authFile: stage.provider.addAccount().authFile(), provider: 'named OpenAI' },
      version: 'old',
      settings: ['model_auto_compact_token_limit = 40000'],
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: answerText });
    const compactions = stage.provider.received.filter(({ path }) => path.endsWith('/responses/compact'));
    expect(compactions).toMatchObject([{ account: stage.account.id, status: 200 }]);
    const [, afterwards, ...more] = stage.prompts().map(({ json }) => json as Prompt);
    expect(more).toEqual([]);
    expect(afterwards?.input.map(({ type }) => type)).toContain('compaction');
    expect(typedIn(afterwards as Prompt)).toContain('And now?');
    expect(await stage.service.loggedRequests(3)).toEqual(
      Array(3).fill(expect.objectContaining({ model, status: '200' })),
    );
  });

  test('shows the refusal of a wrong key, and the provider hears nothing', async ({ stage }) => {
    await stage.requireKeys();
    const key = `sk-svc-${'0'.repeat(48)}`;

    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'key', key },
      retries: false,
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 1, timedOut: false, finalMessage: '' });
    expect(codex.stderr).toContain('401 Unauthorized');
    expect(codex.stderr).toContain(await stage.refusalOf(key));
    await stage.expectNothingHappened();
  });

  test('is refused without a key where keys are required', async ({ stage }) => {
    await stage.requireKeys();

    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'nobody' },
      retries: false,
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 1, timedOut: false, finalMessage: '' });
    expect(codex.stderr).toContain('401 Unauthorized');
    await stage.expectNothingHappened();
  });

  test('is refused with the token of its own ChatGPT account where keys are required', async ({ stage }) => {
    await stage.requireKeys();

    const codex = await runCodex({
      baseUrl: `${stage.wire.url}/backend-api/svc`,
      prompt,
      model,
      signIn: { as: 'chatgpt', authFile: stage.provider.addAccount().authFile(), provider: 'named OpenAI' },
      retries: false,
    });

    expect(codex, codex.stderr).toMatchObject({ exitCode: 1, timedOut: false, finalMessage: '' });
    await stage.expectNothingHappened();
  });
});
