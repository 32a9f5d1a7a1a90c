import { describe, expect } from 'vitest';
import { createAiSdk } from './support/aiSdk.ts';
import { type Fixture, test } from './support/fixture.ts';
import { model, queueToolCall, responseText, usage, userTexts } from './support/script.ts';

const prompt = 'Say hi to the end-to-end tests.';
const system = 'Be brief.';

/** The SDK requires a key. If the service does not, any is accepted. */
const keyModes = {
  'where no keys are required': async () => 'anything',
  'where keys are required': (fixture: Fixture) => fixture.requireKeys(),
};

describe.for(Object.entries(keyModes))('the AI SDK, %s,', ([, keyOf]) => {
  test('gets the text from generateText', async ({ fixture }) => {
    const { generateText } = await createAiSdk({ baseUrl: `${fixture.proxy.url}/v1`, key: await keyOf(fixture) });

    const result = await generateText({ model, prompt, system });

    expect(result).toMatchObject({ text: responseText, finishReason: 'stop', usage: expectedUsage });
    expect(fixture.onlyPrompt()).toMatchObject({
      model,
      input: [{ role: 'developer', content: system }, { role: 'user' }],
    });
    expect(userTexts(fixture.onlyPrompt())).toEqual([prompt]);
    await fixture.expectLogged();
  });

  test('gets the text piece by piece from streamText', async ({ fixture }) => {
    const { streamText } = await createAiSdk({ baseUrl: `${fixture.proxy.url}/v1`, key: await keyOf(fixture) });

    const result = await streamText({ model, prompt });

    expect(result).toMatchObject({ text: responseText, finishReason: 'stop', usage: expectedUsage });
    expect(result.deltas.length).toBeGreaterThan(1);
    expect(result.deltas.join('')).toBe(responseText);
    fixture.onlyPrompt();
    await fixture.expectLogged();
  });
});

describe('the AI SDK', () => {
  test('sends the system prompt of an unknown model in a form that the provider accepts', async ({ fixture }) => {
    const { generateText } = await createAiSdk({ baseUrl: `${fixture.proxy.url}/v1`, key: 'anything' });

    const result = await generateText({ model: 'unknown-model', prompt, system });

    expect(result).toMatchObject({ text: responseText, finishReason: 'stop' });
    expect(fixture.onlyPrompt()).toMatchObject({ input: [{ role: 'developer', content: system }, { role: 'user' }] });
    await fixture.expectLogged({ model: 'unknown-model', cost_usd: null });
  });

  // Its second step refers to the items of the first by id, as if the provider had stored them.
  test.for(['generateText', 'streamText'] as const)(
    'sends the result of its tool, from %s',
    async (way, { fixture }) => {
      queueToolCall(fixture.account, 'weather', { city: 'Zürich' });
      const ai = await createAiSdk({ baseUrl: `${fixture.proxy.url}/v1`, key: 'anything' });

      const result = await ai[way]({ model, prompt, tools: { weather: () => 'sunny' } });

      expect(result).toMatchObject({ text: responseText, finishReason: 'stop' });
      expect(fixture.proxy.requests.at(-1)?.body.toString()).toContain('"item_reference"');
      await fixture.expectToolLoop('weather');
    },
  );

  test.for(['generateText', 'streamText'] as const)(
    'throws the error for an invalid key from %s, without a request to the provider',
    async (way, { fixture }) => {
      await fixture.requireKeys();
      const key = `sk-svc-${'0'.repeat(48)}`;
      const ai = await createAiSdk({ baseUrl: `${fixture.proxy.url}/v1`, key });

      await expect(ai[way]({ model, prompt })).rejects.toMatchObject({
        name: 'AI_APICallError',
        statusCode: 401,
        message: await fixture.errorMessageFor(key),
        data: { error: { code: 'invalid_api_key', type: 'authentication_error' } },
      });
      expect(fixture.proxy.requests).toHaveLength(1);
      await fixture.expectNoRequests();
    },
  );
});

const expectedUsage = {
  inputTokens: usage.inputTokens,
  outputTokens: usage.outputTokens,
  totalTokens: usage.inputTokens + usage.outputTokens,
};
