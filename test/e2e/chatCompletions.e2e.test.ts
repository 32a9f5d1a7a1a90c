import { describe, expect } from 'vitest';
import {
  completedWithoutOutput,
  failureAsFirstEvent,
  parallelToolCalls,
  streamCut,
} from '../support/provider/scripts.ts';
import { aiSdk } from './support/aiSdk.ts';
import { openaiSdk, type SdkChunk } from './support/openaiSdk.ts';
import { runOpencode } from './support/opencode.ts';
import { answerScript, answerText, callToolFirst, model, typedIn, usage } from './support/script.ts';
import { type Stage, test } from './support/stage.ts';

// Clients that speak `POST /v1/chat/completions`.

const prompt = 'Say hi to the end-to-end tests.';
const system = 'Be brief.';
const messages = [
  { role: 'system', content: system },
  { role: 'user', content: prompt },
];

/** The SDKs do not start without a key; where none are required, any will do. */
const keysIn = {
  'where no keys are required': async () => 'anything',
  'where keys are required': (stage: Stage) => stage.requireKeys(),
};

const usageAsSent = {
  prompt_tokens: usage.inputTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedTokens },
  completion_tokens: usage.outputTokens,
  completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.inputTokens + usage.outputTokens,
};

/** The one prompt that the provider got, as our mapping makes it. */
function expectMapped(stage: Stage): void {
  expect(stage.onlyPrompt()).toMatchObject({ model, instructions: system, stream: true, store: false });
  expect(typedIn(stage.onlyPrompt())).toEqual([prompt]);
}

const sdk = async (stage: Stage, key = 'anything') => openaiSdk({ baseUrl: `${stage.wire.url}/v1`, key });

describe.for(Object.entries(keysIn))('the openai SDK, %s,', ([, keyFor]) => {
  test('gets one object from chat.completions.create', async ({ stage }) => {
    const { chat } = await sdk(stage, await keyFor(stage));

    const completion = await chat.completions.create({ model, messages });

    expect(completion.choices).toMatchObject([{ message: { content: answerText }, finish_reason: 'stop' }]);
    expect(completion.usage).toEqual(usageAsSent);
    expectMapped(stage);
    await stage.expectLogged();
  });

  test('gets the text piece by piece from chat.completions.create with stream', async ({ stage }) => {
    const { chat } = await sdk(stage, await keyFor(stage));

    const chunks: SdkChunk[] = [];
    const asked = { model, messages, stream: true as const, stream_options: { include_usage: true } };
    for await (const chunk of await chat.completions.create(asked)) chunks.push(chunk);

    const deltas = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.content ?? []));
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(answerText);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: usageAsSent });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expectMapped(stage);
    await stage.expectLogged();
  });
});

describe('the openai SDK', () => {
  test('gets the whole answer from chat.completions.stream', async ({ stage }) => {
    const { chat } = await sdk(stage);

    const completion = await chat.completions.stream({ model, messages }).finalChatCompletion();

    expect(completion.choices).toMatchObject([{ message: { content: answerText }, finish_reason: 'stop' }]);
    await stage.expectLogged();
  });

  test('gets parallel calls of tools apart from each other', async ({ stage }) => {
    stage.account.always(parallelToolCalls());
    const { chat } = await sdk(stage);
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

  test.for([false, true])('comes back with what its tool said (stream: %s)', async (stream, { stage }) => {
    callToolFirst(stage.account, 'weather', { city: 'Zürich' });
    const { chat } = await sdk(stage);
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

    expect(await runner.finalContent()).toBe(answerText);
    await stage.expectToolLoop('weather');
  });

  test('gets the answer of a provider that repeats nothing at its end', async ({ stage }) => {
    stage.account.always(completedWithoutOutput({ text: answerText, usage }));
    const { chat } = await sdk(stage);

    const { choices } = await chat.completions.create({ model, messages });

    expect(choices).toMatchObject([{ message: { content: answerText } }]);
  });

  test('throws what broke off an answer, instead of half of it', async ({ stage }) => {
    stage.account.always(streamCut());
    const { chat } = await sdk(stage);
    const read = async () => {
      for await (const _ of await chat.completions.create({ model, messages, stream: true }));
    };

    await expect(read()).rejects.toMatchObject({ code: 'stream_incomplete', type: 'server_error' });
    expect(await stage.service.loggedRequests(1)).toMatchObject([{ status: 'error', error_code: 'stream_incomplete' }]);
  });

  test('throws the status of a request that is too long, and does not repeat it', async ({ stage }) => {
    stage.account.always(failureAsFirstEvent({ code: 'context_length_exceeded', afterCreated: true }));
    const { chat } = await sdk(stage);

    await expect(chat.completions.create({ model, messages, stream: true })).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    });
    expect(stage.wire.sent).toHaveLength(1);
  });

  test('throws which part of its messages is refused', async ({ stage }) => {
    const { chat } = await sdk(stage);
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };

    await expect(
      chat.completions.create({ model, messages: [{ role: 'user', content: [audio] }] }),
    ).rejects.toMatchObject({ status: 400, code: 'invalid_request_error', param: 'messages.0.content.0.type' });
    expect(stage.prompts()).toEqual([]);
  });
});

describe.for(['chat', 'compatible'] as const)('the AI SDK over its provider "%s"', (provider) => {
  const ai = (stage: Stage, key = 'anything') => aiSdk({ baseUrl: `${stage.wire.url}/v1`, key, provider });
  const usageAsTold = {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.inputTokens + usage.outputTokens,
  };

  test.for(['generateText', 'streamText'] as const)('gets its answer from %s', async (way, { stage }) => {
    const answer = await (await ai(stage, await stage.requireKeys()))[way]({ model, prompt, system });

    expect(answer).toMatchObject({ text: answerText, finishReason: 'stop', usage: usageAsTold });
    expect(stage.wire.sent).toMatchObject([{ path: '/v1/chat/completions' }]);
    expectMapped(stage);
    await stage.expectLogged();
  });

  test.for(['generateText', 'streamText'] as const)(
    'comes back with what its tool said, from %s',
    async (way, { stage }) => {
      callToolFirst(stage.account, 'weather', { city: 'Zürich' });

      const answer = await (await ai(stage))[way]({ model, prompt, tools: { weather: () => 'sunny' } });

      expect(answer).toMatchObject({ text: answerText, finishReason: 'stop' });
      await stage.expectToolLoop('weather');
    },
  );

  test('throws what broke off a stream', async ({ stage }) => {
    stage.account.always(streamCut());

    await expect((await ai(stage)).streamText({ model, prompt })).rejects.toThrow(/ended its response early/);
  });
});

describe('opencode over chat completions', () => {
  const run = (stage: Stage, key?: string) =>
    runOpencode({
      baseUrl: `${stage.wire.url}/v1`,
      provider: '@ai-sdk/openai-compatible',
      prompt,
      model,
      ...(key !== undefined && { key }),
    });

  test('gets its answer', async ({ stage }) => {
    stage.account.always(answerScript());

    const opencode = await run(stage, await stage.requireKeys());

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false, stdout: `${answerText}\n` });
    expect(stage.wire.sent).toMatchObject([{ method: 'POST', path: '/v1/chat/completions' }]);
    expect(stage.onlyPrompt()).toMatchObject({ model, stream: true, store: false });
    expect(typedIn(stage.onlyPrompt())).toContain(`"${prompt}"`);
    await stage.expectLogged();
  });

  test('comes back with what its tool said', async ({ stage }) => {
    callToolFirst(stage.account, 'glob', { pattern: '*.md' });

    const opencode = await run(stage);

    expect(opencode, opencode.stderr).toMatchObject({ exitCode: 0, timedOut: false });
    expect(opencode.stdout).toContain(answerText);
    await stage.expectToolLoop('glob');
  });
});
