import { describe, expect } from 'vitest';
import { message } from '../support/provider/parts.ts';
import { openingEvents } from '../support/provider/responseEvents.ts';
import { completedWithoutOutput, stream, withVendorEvents } from '../support/provider/scripts.ts';
import { type Fixture, testWithSockets as sdkOnSocket, test } from './support/fixture.ts';
import { createOpenAI, openResponsesSocket, type SdkEvent } from './support/openaiSdk.ts';
import { defaultScript, model, responseText, usage, userTexts } from './support/script.ts';

const input = 'Say hi to the end-to-end tests.';

/** The SDK requires a key. If the service does not, any is accepted. */
const keyModes = {
  'where no keys are required': async () => 'anything',
  'where keys are required': (fixture: Fixture) => fixture.requireKeys(),
};

describe.for(Object.entries(keyModes))('the openai SDK, %s,', ([, keyOf]) => {
  test('gets a JSON body from responses.create', async ({ fixture }) => {
    const openai = await createOpenAI({ baseUrl: `${fixture.proxy.url}/v1`, key: await keyOf(fixture) });

    const response = await openai.responses.create({ model, input });

    expect(response).toMatchObject({ status: 'completed', output_text: responseText, usage: expectedUsage });
    expect(fixture.onlyPrompt()).toMatchObject({ model, input: [{ role: 'user' }] });
    expect(userTexts(fixture.onlyPrompt())).toEqual([input]);
    await fixture.expectLogged();
  });

  test('gets every event from responses.create with stream', async ({ fixture }) => {
    const openai = await createOpenAI({ baseUrl: `${fixture.proxy.url}/v1`, key: await keyOf(fixture) });

    const events: SdkEvent[] = [];
    for await (const event of await openai.responses.create({ model, input, stream: true })) events.push(event);

    const deltas = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(responseText);
    expect(events.at(0)?.type).toBe('response.created');
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { usage: expectedUsage } });
    fixture.onlyPrompt();
    await fixture.expectLogged();
  });

  test('gets the complete response from responses.stream', async ({ fixture }) => {
    const openai = await createOpenAI({ baseUrl: `${fixture.proxy.url}/v1`, key: await keyOf(fixture) });

    const response = await openai.responses.stream({ model, input }).finalResponse();

    expect(response).toMatchObject({ status: 'completed', output_text: responseText, usage: expectedUsage });
    fixture.onlyPrompt();
    await fixture.expectLogged();
  });
});

describe('the openai SDK', () => {
  test('gets a JSON body with its items when the terminal event has none', async ({ fixture }) => {
    fixture.account.always(completedWithoutOutput({ text: responseText, usage }));
    const openai = await createOpenAI({ baseUrl: `${fixture.proxy.url}/v1`, key: 'anything' });

    expect(await openai.responses.create({ model, input })).toMatchObject({ output_text: responseText });
  });

  test('gets the complete response from responses.stream when the terminal event has no items', async ({ fixture }) => {
    fixture.account.always(completedWithoutOutput({ text: responseText, usage }));
    const openai = await createOpenAI({ baseUrl: `${fixture.proxy.url}/v1`, key: 'anything' });

    expect(await openai.responses.stream({ model, input }).finalResponse()).toMatchObject({
      output_text: responseText,
    });
  });

  test('gets no event that its stream helper does not know', async ({ fixture }) => {
    fixture.account.always(withVendorEvents(defaultScript()));
    const openai = await createOpenAI({ baseUrl: `${fixture.proxy.url}/v1`, key: 'anything' });

    expect(await openai.responses.stream({ model, input }).finalResponse()).toMatchObject({
      output_text: responseText,
    });
  });

  test('reads a stream while it is sent, and the provider sees it disconnect', {
    timeout: 20_000,
  }, async ({ fixture }) => {
    fixture.account.always(
      stream('endless', function* (context) {
        yield* openingEvents(context);
        for (const step of message(['Once ', 'upon '])(context, 0)) {
          yield step;
          if ('event' in step && step.event.delta === 'upon ') yield { hold: true };
        }
      }),
    );
    const openai = await createOpenAI({ baseUrl: `${fixture.proxy.url}/v1`, key: 'anything' });

    for await (const { delta } of await openai.responses.create({ model, input, stream: true })) {
      if (delta === 'upon ') break;
    }

    await fixture.provider.until(() => fixture.prompts()[0]?.aborted === true);
    expect(await fixture.service.loggedRequests(1)).toMatchObject([{ status: 'error', model }]);
  });

  test.for(['create', 'stream'] as const)(
    'throws the error for an invalid key from responses.%s, without a request to the provider',
    async (way, { fixture }) => {
      await fixture.requireKeys();
      const key = `sk-svc-${'0'.repeat(48)}`;
      const { responses } = await createOpenAI({ baseUrl: `${fixture.proxy.url}/v1`, key });

      const result =
        way === 'create' ? responses.create({ model, input }) : responses.stream({ model, input }).finalResponse();

      await expect(result).rejects.toMatchObject({
        status: 401,
        code: 'invalid_api_key',
        type: 'authentication_error',
        message: expect.stringContaining(await fixture.errorMessageFor(key)),
      });
      expect(fixture.proxy.requests).toHaveLength(1);
      await fixture.expectNoRequests();
    },
  );
});

const expectedUsage = {
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
};

sdkOnSocket('the openai SDK continues a response on a websocket', async ({ fixture }) => {
  const key = await fixture.requireKeys();
  const socket = await openResponsesSocket({ baseUrl: `${fixture.proxy.url}/v1`, key });
  try {
    const first = await socket.create({ model, input });
    const second = await socket.create({ model, input: 'And now?', previous_response_id: first.id });

    expect([first, second]).toMatchObject([
      { status: 'completed', usage: expectedUsage },
      { status: 'completed', usage: expectedUsage },
    ]);
    expect(await fixture.service.loggedRequests(2)).toMatchObject([
      { status: '200', transport: 'websocket' },
      { status: '200', transport: 'websocket' },
    ]);
    expect(fixture.prompts().filter(({ method }) => method === 'WEBSOCKET')).toMatchObject([
      { socket: 1 },
      { socket: 1, json: { previous_response_id: first.id } },
    ]);
  } finally {
    socket.close();
  }
});
