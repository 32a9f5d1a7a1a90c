import { describe, expect, test, vi } from 'vitest';
import { JsonDelivery } from '../../src/proxy/relay/jsonDelivery.ts';
import { validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { eventsIn } from '../support/provider/client.ts';
import { type ResponseScript, textResponse } from '../support/provider/scripts.ts';

// A provider may send a terminal event without a response. If the client has received nothing, svc tries another account;
// otherwise the client gets an error event that it understands.

const start = gateways();

const HELLO = 'Hello from the second account.';
const CREATED = '{"type":"response.created","response":{"id":"resp_1","status":"in_progress"}}';
const DELTA = '{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"Hey"}';

/** @param isReceived resolves when the client has received the text; unless given, the terminal event follows at once */
const endsWith = (ending: string, isReceived?: Promise<void>): ResponseScript => ({
  name: `ends with ${ending}`,
  steps: [
    { head: 200, headers: { 'content-type': 'text/event-stream' } },
    { bytes: `data: ${CREATED}\n\ndata: ${DELTA}\n\n` },
    ...(isReceived ? [{ until: isReceived }] : []),
    { bytes: `${ending}\n\n` },
  ],
});

/** The first account sends this terminal event, the second one is healthy. */
async function ask(ending: string, path: string, stream: boolean) {
  const gateway = await start({ accounts: 2 });
  const received = Promise.withResolvers<void>();
  gateway.pool[0]?.at.always(endsWith(ending, stream ? received.promise : undefined));
  gateway.pool[1]?.at.always(textResponse({ text: HELLO }));
  const body = path.includes('chat') ? { model: 'gpt-5.1', messages: [{ role: 'user', content: 'x' }] } : validRequest;
  const response = await gateway.ask({ ...body, stream }, { path });
  received.resolve();
  const text = await response.text();
  return { status: response.status, text, row: (await gateway.logs())[0] };
}

const USAGE = '"usage":{"input_tokens":5,"output_tokens":2,"total_tokens":7}';
const EMPTY = ['null', '"done"', '[]', '{}', '{"response":null}', '{"response":"done"}', '{"response":'];
// svc finds the usage of a response without parsing the event, which must not make these events valid.
const EMPTY_WITH_USAGE = [
  `{"type":"response.completed","response":{"id":"resp_1","output":[],${USAGE}`,
  `{"type":"response.completed","response":{"id":"resp_1","output":[],${USAGE}}`,
  `{"type":"response.completed",${USAGE}}`,
  `{"type":"response.completed","response":null,"x":{${USAGE}}}`,
];

describe.each([...EMPTY, ...EMPTY_WITH_USAGE])('a response that ends with %s', (data) => {
  const ending = `event: response.completed\ndata: ${data}`;

  test.each(['/v1/responses', '/v1/chat/completions'])('is retried on another account for JSON on %s', async (path) => {
    const { status, text, row } = await ask(ending, path, false);
    expect(status).toBe(200);
    expect(JSON.stringify(JSON.parse(text))).toContain(HELLO);
    expect(row).toMatchObject({ status: '200', attempts: 2 });
  });

  test.each(['/backend-api/svc/responses', '/v1/responses'])('fails a stream that has begun on %s', async (path) => {
    const { text, row } = await ask(ending, path, true);
    const last = text.trimEnd().split('\n\n').at(-1);
    expect(eventsIn(`${last}\n\n`)[0]).toMatchObject({
      event: 'response.failed',
      data: { response: { status: 'failed', error: { code: 'upstream_error', type: 'server_error' } } },
    });
    expect(row).toMatchObject({ status: 'error', error_code: 'upstream_error', attempts: 1 });
  });
});

test('does not use the type of an error event as the type of the error', async () => {
  const { text } = await ask(
    'event: error\ndata: {"type":"error","code":"server_error","message":"No."}',
    '/v1/responses',
    true,
  );
  const error = { message: 'No.', type: 'server_error', code: 'server_error' };
  expect(eventsIn(text).at(-1)).toMatchObject({ event: 'response.failed', data: { response: { error } } });
});

test('breaks only one connection when our code fails at the end of a response', async () => {
  const gateway = await start();
  const throwBug = () => {
    throw new Error('a bug of ours');
  };
  vi.spyOn(JsonDelivery.prototype, 'finish').mockImplementationOnce(throwBug);
  const send = () => gateway.ask({ ...validRequest, stream: false }, { path: '/v1/responses' });
  await expect(send()).rejects.toThrow('fetch failed');
  expect((await send()).status).toBe(200);
  expect(gateway.output).toContainEqual(expect.stringContaining('a bug of ours'));
});
