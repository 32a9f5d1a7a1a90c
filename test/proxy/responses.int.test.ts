import { request as httpRequest } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { type Gateway, validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { eventsIn } from '../support/provider/client.ts';
import {
  completedWithoutOutput,
  incompleteResponse,
  stream,
  streamSilent,
  textResponse,
  withVendorEvents,
} from '../support/provider/scripts.ts';

const start = gateways();
let gateway: Gateway;

describe('/v1/responses without stream', () => {
  test('responds with one object whose output is filled in when the terminal event has none', async () => {
    gateway = await start();
    gateway.pool[0]?.at.always(completedWithoutOutput({ text: 'Filled in.' }));
    const response = await gateway.ask({ model: 'gpt-5.1', input: 'hi' }, { path: '/v1/responses' });
    expect(response.headers.get('content-type')).toContain('application/json');
    const body = (await response.json()) as { object: string; output: { content: { text: string }[] }[] };
    expect(body.object).toBe('response');
    expect(body.output[0]?.content[0]?.text).toBe('Filled in.');
  });

  test('resolves references to items that the terminal event lacked', async () => {
    gateway = await start();
    gateway.pool[0]?.at.next(completedWithoutOutput({ text: 'Filled in.' }));
    const ask = (input: unknown) => gateway.ask({ model: 'gpt-5.1', input }, { path: '/v1/responses' });
    const { output } = (await (await ask('hi')).json()) as { output: { id: string }[] };
    await (
      await ask([
        { type: 'item_reference', id: output[0]?.id },
        { role: 'user', content: 'go on' },
      ])
    ).text();
    expect(gateway.asked()[1]?.json).toMatchObject({ input: [output[0], { role: 'user', content: 'go on' }] });
  });

  test('treats an incomplete response as a success, also in the log', async () => {
    gateway = await start();
    gateway.pool[0]?.at.always(incompleteResponse());
    const response = await gateway.ask({ model: 'gpt-5.1', input: 'hi' }, { path: '/v1/responses' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'incomplete' });
    expect(await gateway.logs()).toMatchObject([{ status: '200', error_code: null }]);
  });
});

test('fills in the output of the terminal event on /v1 and leaves it unchanged for Codex', async () => {
  gateway = await start();
  gateway.pool[0]?.at.always(completedWithoutOutput({ text: 'Filled in.' }));
  const ending = async (path: string) => eventsIn(await (await gateway.ask(validRequest, { path })).text()).at(-1);
  expect(await ending('/v1/responses')).toMatchObject({
    event: 'response.completed',
    data: { response: { status: 'completed', output: [{ role: 'assistant', content: [{ text: 'Filled in.' }] }] } },
  });
  expect((await ending('/backend-api/svc/responses'))?.data.response.output).toEqual([]);
});

test('relays vendor events to Codex and removes them on /v1', async () => {
  gateway = await start();
  gateway.pool[0]?.at.always(withVendorEvents(textResponse()));
  const types = async (path: string) =>
    eventsIn(await (await gateway.ask(validRequest, { path })).text()).map(({ event }) => event);
  expect(await types('/backend-api/svc/responses')).toContain('codex.rate_limits');
  const strict = await types('/v1/responses');
  expect(strict.filter((type) => type.startsWith('codex.'))).toEqual([]);
  expect(strict.at(-1)).toBe('response.completed');
});

describe('a stream', () => {
  test('is relayed while it arrives', async () => {
    gateway = await start();
    gateway.pool[0]?.at.always(streamSilent({ events: 5 }));
    const controller = new AbortController();
    const response = await gateway.ask(validRequest, { signal: controller.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toContain('response.created');
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    controller.abort();
  });

  test('disables caching and buffering, and relays the turn state in both directions', async () => {
    gateway = await start();
    const sent = {
      'content-type': 'text/event-stream',
      'x-codex-turn-state': 'turn_1',
      'x-reasoning-included': 'true',
    };
    gateway.pool[0]?.at.always({
      name: 'a turn',
      steps: [{ head: 200, headers: sent }, { bytes: 'data: {"type":"response.completed","response":{"id":"r"}}\n\n' }],
    });
    const { headers } = await gateway.ask();
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-codex-turn-state': 'turn_1',
      'x-reasoning-included': 'true',
    });
    await gateway.ask(validRequest, { headers: { 'x-codex-turn-state': 'turn_1' } });
    expect(gateway.asked().map(({ headers: got }) => got['x-codex-turn-state'])).toEqual([undefined, 'turn_1']);
  });

  test('disconnects a provider that keeps its stream open after the terminal event', async () => {
    gateway = await start();
    const completed = {
      type: 'response.completed',
      response: { id: 'r', usage: { input_tokens: 1, output_tokens: 1 } },
    };
    gateway.pool[0]?.at.always(stream('never ends', () => [{ event: completed }, { hold: true }]));
    expect(eventsIn(await (await gateway.ask()).text()).at(-1)?.event).toBe('response.completed');
    await vi.waitUntil(() => gateway.asked()[0]?.aborted, { timeout: 10_000 });
    expect(gateway.events('RequestCompleted')[0]?.data).toMatchObject({ status: '200' });
  });

  test('pauses the provider while the client reads slowly', async () => {
    gateway = await start();
    const delta = { type: 'response.output_text.delta', delta: 'x'.repeat(60_000) };
    const events = [
      ...Array.from({ length: 1_500 }, () => delta),
      { type: 'response.completed', response: { id: 'r' } },
    ];
    gateway.pool[0]?.at.always(stream('big', () => events.map((event) => ({ event }))));
    const sent = () => gateway.asked()[0]?.sentBytes ?? 0;
    const received = await new Promise<number>((resolve, reject) => {
      const request = httpRequest(`${gateway.url}/backend-api/svc/responses`, { method: 'POST' }, (response) => {
        response.pause();
        let before = -1;
        // The provider makes no progress once every buffer in between is full.
        const timer = setInterval(() => {
          if (sent() !== before || before <= 0) {
            before = sent();
            return;
          }
          clearInterval(timer);
          expect(sent()).toBeLessThan(60_000_000);
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          response.on('end', () => resolve(bytes));
          response.resume();
        }, 150);
      });
      request.on('error', reject);
      request.end(JSON.stringify(validRequest));
    });
    expect(received).toBeGreaterThan(90_000_000);
    expect(received).toBe(sent());
  });
});
