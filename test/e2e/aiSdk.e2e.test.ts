import { describe, expect } from 'vitest';
import { aiSdk } from './support/aiSdk.ts';
import { answerText, callToolFirst, model, typedIn, usage } from './support/script.ts';
import { type Stage, test } from './support/stage.ts';

const prompt = 'Say hi to the end-to-end tests.';
const system = 'Be brief.';

/** The SDK does not start without a key; where none are required, any will do. */
const keysIn = {
  'where no keys are required': async () => 'anything',
  'where keys are required': (stage: Stage) => stage.requireKeys(),
};

describe.for(Object.entries(keysIn))('the AI SDK, %s,', ([, keyFor]) => {
  test('gets the text from generateText', async ({ stage }) => {
    const { generateText } = await aiSdk({ baseUrl: `${stage.wire.url}/v1`, key: await keyFor(stage) });

    const answer = await generateText({ model, prompt, system });

    expect(answer).toMatchObject({ text: answerText, finishReason: 'stop', usage: usageAsTold });
    expect(stage.onlyPrompt()).toMatchObject({
      model,
      input: [{ role: 'developer', content: system }, { role: 'user' }],
    });
    expect(typedIn(stage.onlyPrompt())).toEqual([prompt]);
    await stage.expectLogged();
  });

  test('gets the text piece by piece from streamText', async ({ stage }) => {
    const { streamText } = await aiSdk({ baseUrl: `${stage.wire.url}/v1`, key: await keyFor(stage) });

    const answer = await streamText({ model, prompt });

    expect(answer).toMatchObject({ text: answerText, finishReason: 'stop', usage: usageAsTold });
    expect(answer.deltas.length).toBeGreaterThan(1);
    expect(answer.deltas.join('')).toBe(answerText);
    stage.onlyPrompt();
    await stage.expectLogged();
  });
});

describe('the AI SDK', () => {
  test('sends the system prompt of a model that it does not know in a way that the provider takes', async ({
    stage,
  }) => {
    const { generateText } = await aiSdk({ baseUrl: `${stage.wire.url}/v1`, key: 'anything' });

    const answer = await generateText({ model: 'a-model-of-our-own', prompt, system });

    expect(answer).toMatchObject({ text: answerText, finishReason: 'stop' });
    expect(stage.onlyPrompt()).toMatchObject({ input: [{ role: 'developer', content: system }, { role: 'user' }] });
    await stage.expectLogged({ model: 'a-model-of-our-own', cost_usd: null });
  });

  // Its second step only names the items of the first, as if the provider had stored them.
  test.for(['generateText', 'streamText'] as const)(
    'comes back with what its tool said, from %s',
    async (way, { stage }) => {
      callToolFirst(stage.account, 'weather', { city: 'Zürich' });
      const ai = await aiSdk({ baseUrl: `${stage.wire.url}/v1`, key: 'anything' });

      const answer = await ai[way]({ model, prompt, tools: { weather: () => 'sunny' } });

      expect(answer).toMatchObject({ text: answerText, finishReason: 'stop' });
      expect(stage.wire.sent.at(-1)?.body.toString()).toContain('"item_reference"');
      await stage.expectToolLoop('weather');
    },
  );

  test.for(['generateText', 'streamText'] as const)(
    'throws what the service says to a wrong key from %s, and the provider hears nothing',
    async (way, { stage }) => {
      await stage.requireKeys();
      const key = `sk-svc-${'0'.repeat(48)}`;
      const ai = await aiSdk({ baseUrl: `${stage.wire.url}/v1`, key });

      await expect(ai[way]({ model, prompt })).rejects.toMatchObject({
        name: 'AI_APICallError',
        statusCode: 401,
        message: await stage.refusalOf(key),
        data: { error: { code: 'invalid_api_key', type: 'authentication_error' } },
      });
      expect(stage.wire.sent).toHaveLength(1);
      await stage.expectNothingHappened();
    },
  );
});

const usageAsTold = {
  inputTokens: usage.inputTokens,
  outputTokens: usage.outputTokens,
  totalTokens: usage.inputTokens + usage.outputTokens,
};
