import { describe, expect } from 'vitest';
import { message } from '../support/provider/parts.ts';
import { openingEvents } from '../support/provider/responseEvents.ts';
import { completedWithoutOutput, stream, withVendorEvents } from '../support/provider/scripts.ts';
import { openaiSdk, type SdkEvent } from './support/openaiSdk.ts';
import { answerScript, answerText, model, typedIn, usage } from './support/script.ts';
import { type Stage, test } from './support/stage.ts';

const input = 'Say hi to the end-to-end tests.';

/** The SDK does not start without a key; where none are required, any will do. */
const keysIn = {
  'where no keys are required': async () => 'anything',
  'where keys are required': (stage: Stage) => stage.requireKeys(),
};

describe.for(Object.entries(keysIn))('the openai SDK, %s,', ([, keyFor]) => {
  test('gets a JSON body from responses.create', async ({ stage }) => {
    const openai = await openaiSdk({ baseUrl: `${stage.wire.url}/v1`, key: await keyFor(stage) });

    const response = await openai.responses.create({ model, input });

    expect(response).toMatchObject({ status: 'completed', output_text: answerText, usage: usageAsSent });
    expect(stage.onlyPrompt()).toMatchObject({ model, input: [{ role: 'user' }] });
    expect(typedIn(stage.onlyPrompt())).toEqual([input]);
    await stage.expectLogged();
  });

  test('gets every event from responses.create with stream', async ({ stage }) => {
    const openai = await openaiSdk({ baseUrl: `${stage.wire.url}/v1`, key: await keyFor(stage) });

    const events: SdkEvent[] = [];
    for await (const event of await openai.responses.create({ model, input, stream: true })) events.push(event);

    const deltas = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(answerText);
    expect(events.at(0)?.type).toBe('response.created');
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { usage: usageAsSent } });
    stage.onlyPrompt();
    await stage.expectLogged();
  });

  test('gets the whole answer from responses.stream', async ({ stage }) => {
    const openai = await openaiSdk({ baseUrl: `${stage.wire.url}/v1`, key: await keyFor(stage) });

    const response = await openai.responses.stream({ model, input }).finalResponse();

    expect(response).toMatchObject({ status: 'completed', output_text: answerText, usage: usageAsSent });
    stage.onlyPrompt();
    await stage.expectLogged();
  });
});

describe('the openai SDK', () => {
  test('gets a JSON body with its items when the provider repeats none of them at the end', async ({ stage }) => {
    stage.account.always(completedWithoutOutput({ text: answerText, usage }));
    const openai = await openaiSdk({ baseUrl: `${stage.wire.url}/v1`, key: 'anything' });

    expect(await openai.responses.create({ model, input })).toMatchObject({ output_text: answerText });
  });

  test('gets the whole answer from responses.stream when the provider repeats no item at the end', async ({
    stage,
  }) => {
    stage.account.always(completedWithoutOutput({ text: answerText, usage }));
    const openai = await openaiSdk({ baseUrl: `${stage.wire.url}/v1`, key: 'anything' });

    expect(await openai.responses.stream({ model, input }).finalResponse()).toMatchObject({ output_text: answerText });
  });

  test('meets no event that its stream helper does not know', async ({ stage }) => {
    stage.account.always(withVendorEvents(answerScript()));
    const openai = await openaiSdk({ baseUrl: `${stage.wire.url}/v1`, key: 'anything' });

    expect(await openai.responses.stream({ model, input }).finalResponse()).toMatchObject({ output_text: answerText });
  });

  test('reads the first words while the provider still speaks, and the provider hears when it leaves', {
    timeout: 20_000,
  }, async ({ stage }) => {
    stage.account.always(
      stream('endless', function* (asked) {
        yield* openingEvents(asked);
        for (const step of message(['Once ', 'upon '])(asked, 0)) {
          yield step;
          if ('event' in step && step.event.delta === 'upon ') yield { hold: true };
        }
      }),
    );
    const openai = await openaiSdk({ baseUrl: `${stage.wire.url}/v1`, key: 'anything' });

    for await (const { delta } of await openai.responses.create({ model, input, stream: true })) {
      if (delta === 'upon ') break;
    }

    await stage.provider.until(() => stage.prompts()[0]?.aborted === true);
    expect(await stage.service.loggedRequests(1)).toMatchObject([{ status: 'error', model }]);
  });

  test.for(['create', 'stream'] as const)(
    'throws what the service says to a wrong key from responses.%s, and the provider hears nothing',
    async (way, { stage }) => {
      await stage.requireKeys();
      const key = `sk-svc-${'0'.repeat(48)}`;
      const { responses } = await openaiSdk({ baseUrl: `${stage.wire.url}/v1`, key });

      const answer =
        way === 'create' ? responses.create({ model, input }) : responses.stream({ model, input }).finalResponse();

      await expect(answer).rejects.toMatchObject({
        status: 401,
        code: 'invalid_api_key',
        type: 'authentication_error',
        message: expect.stringContaining(await stage.refusalOf(key)),
      });
      expect(stage.wire.sent).toHaveLength(1);
      await stage.expectNothingHappened();
    },
  );
});

const usageAsSent = {
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
};
