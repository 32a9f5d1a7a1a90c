import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { textIn } from '../support/failures.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { eventsIn } from '../support/provider/client.ts';
import { connectionReset, serverError, streamSilent, textResponse } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

// The service with SVC_PLAIN_HTTP=false: Node's HTTP server reads every request, undici sends those to the provider.

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0, env: { SVC_PLAIN_HTTP: 'false' } });
});
beforeEach(() => gateway.reset(2));
afterAll(() => gateway.stop());

const account = (index: number) => gateway.pool[index]?.at as Gateway['pool'][number]['at'];

test('responds with one JSON object', async () => {
  account(0).always(textResponse({ text: 'Hello.' }));
  const response = await gateway.ask({ model: 'gpt-5.1', input: 'hi' }, { path: '/v1/responses' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(await response.json()).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hello.' }] }] });
  expect(await gateway.logs()).toMatchObject([{ status: '200', error_code: null }]);
  // The plain upstream client leaves this header out.
  expect(gateway.asked()[0]?.headers.connection).toBe('keep-alive');
});

test('relays a stream event by event, and a long one completely', async () => {
  account(0).next(streamSilent({ events: 5 }));
  const controller = new AbortController();
  const held = await gateway.ask(validRequest, { signal: controller.signal });
  const { value } = (await held.body?.getReader().read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toMatch(/^event: response\.created\n/);
  controller.abort();
  const text = 'word '.repeat(20_000);
  account(0).next(textResponse({ text }));
  const events = eventsIn(await (await gateway.ask()).text());
  expect(textIn(events)).toBe(text);
  expect(events.at(-1)?.event).toBe('response.completed');
});

test('forwards a recording while it arrives', async () => {
  const bytes = Buffer.alloc(1_500_000, 'sound');
  const form = new FormData();
  form.set('file', new Blob([bytes], { type: 'audio/webm' }), 'clip.webm');
  const response = await fetch(`${gateway.url}/backend-api/transcribe`, { method: 'POST', body: form });
  expect(response.status).toBe(200);
  const received = gateway.provider.received.find(({ path }) => path === '/backend-api/transcribe');
  expect(received?.form?.file).toMatchObject({ bytes });
});

test.each([
  ['responds with an error', serverError({ status: 500, body: 'json' }), 'provider_error'],
  ['resets the connection', connectionReset(), 'unreachable'],
])('retries on another account when the provider %s', async (_what, script, outcome) => {
  account(0).always(script);
  account(1).always(textResponse({ text: 'From the second account.' }));
  const response = await gateway.ask();
  expect(textIn(eventsIn(await response.text()))).toBe('From the second account.');
  const [completed] = gateway.events('RequestCompleted');
  expect(completed?.data.attempts.map((attempt) => attempt.outcome)).toEqual([outcome, 'ok']);
});

test('ends the call to the provider when the client disconnects', async () => {
  account(0).always(streamSilent({ events: 5 }));
  const controller = new AbortController();
  const response = await gateway.ask(validRequest, { signal: controller.signal });
  expect(response.status).toBe(200);
  controller.abort();
  await vi.waitUntil(() => gateway.asked()[0]?.aborted, waitOptions);
  await vi.waitUntil(() => gateway.events('RequestCompleted').length === 1, waitOptions);
});

test('rejects invalid HTTP with a JSON error', async () => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket.write('POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n');
  await new Promise((resolve) => socket.on('close', resolve));
  expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(received).toContain('"code":"invalid_request_error"');
});
