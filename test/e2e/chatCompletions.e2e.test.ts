import { describe, expect } from 'vitest';
import {
  completedWithoutOutput,
  failureAsFirstEvent,
  parallelToolCalls,
  streamCut,
} from '../support/provider/scripts.ts';
import { createAiSdk } from './support/aiSdk.ts';
import { type Fixture, test } from './support/fixture.ts';
import { createOpenAI, type SdkChunk } from './support/openaiSdk.ts';
import { runOpencode } from './support/opencode.ts';
import { defaultScript, model, queueToolCall, responseText, usage, userTexts } from './support/script.ts';

// Clients of `POST /v1/chat/completions`.

const prompt = 'Say hi to the end-to-end tests.';
const system = 'Be brief.';
const messages = [
  { role: 'system', content: system },
  { role: 'user', content: prompt },
];

/** The SDKs require a key. If the service does not, any is accepted. */
const keyModes = {
  'where no keys are required': async () => 'anything',
  'where keys are required': (fixture: Fixture) => fixture.requireKeys(),
};

const expectedUsage = {
  prompt_tokens: usage.inputTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedTokens },
  completion_tokens: usage.outputTokens,
  completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.inputTokens + usage.outputTokens,
};

/** Expects one request at the provider, mapped to the responses API. */
function expectMapped(fixture: Fixture): void {
  expect(fixture.onlyPrompt()).toMatchObject({ model, instructions: system, stream: true, store: false });
  expect(userTexts(fixture.onlyPrompt())).toEqual([prompt]);
}

const sdk = async (fixture: Fixture, key = 'anything') => createOpenAI({ baseUrl: `${fixture.proxy.url}/v1`, key });

describe.for(Object.entries(keyModes))('the openai SDK, %s,', ([, keyOf]) => {
  test('gets one object from chat.completions.create', async ({ fixture }) => {
    const { chat } = await sdk(fixture, await keyOf(fixture));

    const completion = await chat.completions.create({ model, messages });

    expect(completion.choices).toMatchObject([{ message: { content: responseText }, finish_reason: 'stop' }]);
    expect(completion.usage).toEqual(expectedUsage);
    expectMapped(fixture);
    await fixture.expectLogged();
  });

  test('gets the text piece by piece from chat.completions.create with stream', async ({ fixture }) => {
    const { chat } = await sdk(fixture, await keyOf(fixture));

    const chunks: SdkChunk[] = [];
    const body = { model, messages, stream: true as const, stream_options: { include_usage: true } };
    for await (const chunk of await chat.completions.create(body)) chunks.push(chunk);

    const deltas = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.content ?? []));
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(responseText);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: expectedUsage });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expectMapped(fixture);
    await fixture.expectLogged();
  });
});

describe('the openai SDK', () => {
  test('gets the complete response from chat.completions.stream', async ({ fixture }) => {
    const { chat } = await sdk(fixture);

    const completion = await chat.completions.stream({ model, messages }).finalChatCompletion();

    expect(completion.choices).toMatchObject([{ message: { content: responseText }, finish_reason: 'stop' }]);
    await fixture.expectLogged();
  });

  test('gets parallel tool calls separately', async ({ fixture }) => {
    fixture.account.always(parallelToolCalls());
    const { chat } = await sdk(fixture);
    const tools = ['get_weather', 'get_time'].map((name) => ({ type: 'function', function: { name, parameters: {} } }));

    const completion = await chat.completions.stream({ model, messages, tools }).finalChatCompletion();

    expect(completion.choices).toMatchObject([
      {
        finish_reason: 'tool_calls',
        message: {
          tool_calls: [
            { function: { name: 'get_weather', arguments: '{"city":"Zürich","unit":"celsius"}' } },
            { function: { name: 'get_time', arguments: '{"city":"Tōkyō","format":"24h"}' } },
          ],
        },
      },
    ]);
  });

  test.for([false, true])('sends the result of its tool (stream: %s)', async (stream, { fixture }) => {
    queueToolCall(fixture.account, 'weather', { city: 'Zürich' });
    const { chat } = await sdk(fixture);
    const weather = {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      parse: JSON.parse,
      function: () => 'sunny',
    };

    const runner = chat.completions.runTools({
      model,
      messages,
      tools: [{ type: 'function', function: weather }],
      stream,
    });

    expect(await runner.finalContent()).toBe(responseText);
    await fixture.expectToolLoop('weather');
  });

  test('gets the output when the terminal event has none', async ({ fixture }) => {
    fixture.account.always(completedWithoutOutput({ text: responseText, usage }));
    const { chat } = await sdk(fixture);

    const { choices } = await chat.completions.create({ model, messages });

    expect(choices).toMatchObject([{ message: { content: responseText } }]);
  });

  test('throws the error of a broken stream instead of returning half a response', async ({ fixture }) => {
    fixture.account.always(streamCut());
    const { chat } = await sdk(fixture);
    const read = async () => {
      for await (const _ of await chat.completions.create({ model, messages, stream: true }));
    };

    await expect(read()).rejects.toMatchObject({ code: 'stream_incomplete', type: 'server_error' });
    expect(await fixture.service.loggedRequests(1)).toMatchObject([
      { status: 'error', error_code: 'stream_incomplete' },
    ]);
  });

  test('throws the error of a request that is too long, without a retry', async ({ fixture }) => {
    fixture.account.always(failureAsFirstEvent({ code: 'context_length_exceeded', afterCreated: true }));
    const { chat } = await sdk(fixture);

    await expect(chat.completions.create({ model, messages, stream: true })).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    });
    expect(fixture.proxy.requests).toHaveLength(1);
  });

  test('throws the path of an unsupported message part', async ({ fixture }) => {
    const { chat } = await sdk(fixture);
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };

    await expect(
      chat.completions.create({ model, messages: [{ role: 'user', content: [audio] }] }),
    ).rejects.toMatchObject({ status: 400, code: 'invalid_request_error', param: 'messages.0.content.0.type' });
    expect(fixture.prompts()).toEqual([]);
  });
});

describe.for(['chat', 'compatible'] as const)('the AI SDK over its provider "%s"', (provider) => {
  const ai = (fixture: Fixture, key = 'anything') => createAiSdk({ baseUrl: `${fixture.proxy.url}/v1`, key, provider });
  const expectedUsage = {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.inputTokens + usage.outputTokens,
  };

  test.for(['generateText', 'streamText'] as const)('gets its response from %s', async (way, { fixture }) => {
    const result = await (await ai(fixture, await fixture.requireKeys()))[way]({ model, prompt, system });

    expect(result).toMatchObject({ text: responseText, finishReason: 'stop', usage: expectedUsage });
    expect(fixture.proxy.requests).toMatchObject([{ path: '/v1/chat/completions' }]);
    expectMapped(fixture);
    await fixture.expectLogged();
  });

  test.for(['generateText', 'streamText'] as const)(
    'sends the result of its tool, from %s',
    async (way, { fixture }) => {
      queueToolCall(fixture.account, 'weather', { city: 'Zürich' });

      const result = await (await ai(fixture))[way]({ model, prompt, tools: { weather: () => 'sunny' } });

      expect(result).toMatchObject({ text: responseText, finishReason: 'stop' });
      await fixture.expectToolLoop('weather');
    },
  );

  test('throws the error of a broken stream', async ({ fixture }) => {
    fixture.account.always(streamCut());

    await expect((await ai(fixture)).streamText({ model, prompt })).rejects.toThrow(/ended its response early/);
  });
});

describe('opencode over chat completions', () => {
  const run = (fixture: Fixture, key?: string) =>
    runOpencode({
      baseUrl: `${fixture.proxy.url}/v1`,
      provider: '@ai-sdk/openai-compatible',
      prompt,
      model,
      ...(key !== undefined && { key }),
    });

  test('gets its response', async ({ fixture }) => {
    fixture.account.always(defaultScript());

    const opencode = await run(fixture, await fixture.requireKeys());

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false, stdout: `${responseText}\n` });
    expect(fixture.proxy.requests).toMatchObject([{ method: 'POST', path: '/v1/chat/completions' }]);
    expect(fixture.onlyPrompt()).toMatchObject({ model, stream: true, store: false });
    expect(userTexts(fixture.onlyPrompt())).toContain(`"${prompt}"`);
    await fixture.expectLogged();
  });

  test('sends the result of its tool', async ({ fixture }) => {
    queueToolCall(fixture.account, 'glob', { pattern: '*.md' });

    const opencode = await run(fixture);

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false });
    expect(opencode.stdout).toContain(responseText);
    await fixture.expectToolLoop('glob');
  });
});
