import { describe, expect } from 'vitest';
import { errorJson } from '../support/provider/scripts.ts';
import { runCodex } from './support/codex.ts';
import type { CodexSignIn } from './support/codexHome.ts';
import { type Fixture, testWithSockets as test } from './support/fixture.ts';
import { model, type Prompt, queueToolCall, responseText, userTexts } from './support/script.ts';

const prompt = 'Say hi to the end-to-end tests.';

const configurations: Readonly<Record<string, (fixture: Fixture) => CodexSignIn>> = {
  'a provider entry': () => ({ as: 'anonymous' }),
  'the built-in provider': ({ provider }) => ({
    as: 'chatgpt',
    authFile: provider.addAccount().authFile(),
    provider: 'built-in',
  }),
};

const run = (fixture: Fixture, signIn: CodexSignIn, more: Partial<Parameters<typeof runCodex>[0]> = {}) =>
  runCodex({
    baseUrl: `${fixture.proxy.url}/backend-api/svc`,
    prompt,
    model,
    signIn,
    sockets: true,
    allowsCommands: true,
    ...more,
  });

describe.for(Object.entries(configurations))('Codex with %s, on a websocket,', ([, signInOf]) => {
  test('gets its response, and nothing by POST', async ({ fixture }) => {
    const codex = await run(fixture, signInOf(fixture));

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    expect(codex.stderr).not.toContain('Reconnecting');
    expect(fixture.proxy.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    const creates = fixture.prompts().filter(({ method }) => method === 'WEBSOCKET');
    expect(userTexts(creates.at(-1)?.json as Prompt)).toContain(prompt);
    expect(await fixture.service.loggedRequests(creates.length)).toMatchObject(
      creates.map(() => ({ status: '200', transport: 'websocket' })),
    );
  });

  test('runs a tool and sends only its output, to the same account on the same socket', async ({ fixture }) => {
    queueToolCall(fixture.account, 'exec_command', { cmd: 'echo $((6 * 7))-from-the-shell' });

    const codex = await run(fixture, signInOf(fixture));

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    expect(codex.stderr).not.toContain('Reconnecting');
    const creates = fixture.prompts().filter(({ method }) => method === 'WEBSOCKET');
    const last = creates.at(-1)?.json as Prompt & { previous_response_id?: string };
    expect(last.previous_response_id).toEqual(expect.any(String));
    expect(last.input).toEqual([
      expect.objectContaining({
        type: 'function_call_output',
        output: expect.stringContaining('42-from-the-shell'),
      }),
    ]);
    expect(new Set(creates.map(({ socket }) => socket)).size).toBe(1);
  });

  test('uses POST at once when the provider serves no websockets', async ({ fixture }) => {
    fixture.account.upgrades.always(errorJson(404, { message: 'no websockets here' }));

    const codex = await run(fixture, signInOf(fixture));

    expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
    expect(codex.stderr).not.toContain('Reconnecting');
    expect(fixture.proxy.requests.filter(({ headers }) => headers.upgrade === 'websocket')).toHaveLength(1);
    await fixture.expectLogged();
  });
});

test('Codex gets the error of its key by POST at once', async ({ fixture }) => {
  await fixture.requireKeys();

  const codex = await run(fixture, { as: 'key', key: 'sk-svc-wrong' }, { retries: false });

  expect(codex.stderr).toContain(await fixture.errorMessageFor('sk-svc-wrong'));
  expect(fixture.proxy.requests.filter(({ headers }) => headers.upgrade === 'websocket')).toHaveLength(1);
});
