import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { HeaderBlock } from '../../http/wire/headers.ts';
import { ProxyError } from '../errors/proxyError.ts';
import { formatEvent } from '../providerResponse/sse.ts';
import { ChatStreamDelivery } from './chatStreamDelivery.ts';

let close: (() => void) | undefined;
afterEach(() => close?.());

/** @returns what a client receives when `deliver` runs; the clock only moves by `moveClock` */
async function receivedWhen(deliver: (delivery: ChatStreamDelivery, moveClock: (ms: number) => void) => void) {
  let now = 1_700_000_000_000;
  const server = createServer((_request, response: ServerResponse) => {
    const head = { id: 'chatcmpl-1', created: 1, model: 'm' };
    const options = {
      requestId: 'req_1',
      limits: { current: new HeaderBlock([]) },
      head,
      includesUsage: false,
      now: () => now,
      onDrain: () => undefined,
    };
    deliver(new ChatStreamDelivery(response, options), (ms) => {
      now += ms;
    });
  });
  close = () => server.close();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const text = await response.text();
  return {
    status: response.status,
    text,
    blocks: text.split('\n\n').slice(0, -1),
    type: response.headers.get('content-type'),
  };
}

const event = (type: string, fields = {}) => formatEvent(type, { type, ...fields });
const text = (delta: string) => event('response.output_text.delta', { output_index: 0, content_index: 0, delta });
const withoutContent = event('keepalive');
const completed = event('response.completed', { response: {} });
const failed = new ProxyError('upstream_error', {}, { code: 'stream_incomplete' });

test('sends keepalives as comments, even before the first chunk', async () => {
  const { status, type, blocks } = await receivedWhen((delivery) => {
    delivery.keepAlive();
    delivery.pass(text('Hi'));
    delivery.keepAlive();
    delivery.finish(completed);
  });
  expect([status, type]).toEqual([200, 'text/event-stream; charset=utf-8']);
  expect(blocks[0]).toBe(': keepalive');
  expect(JSON.parse(blocks[1]?.slice(6) ?? '').choices[0].delta).toEqual({ role: 'assistant', content: 'Hi' });
  expect(blocks[2]).toBe(': keepalive');
  expect(blocks.at(-1)).toBe('data: [DONE]');
});

test('sends a keepalive after 10 s of events without content', async () => {
  const { blocks } = await receivedWhen((delivery, moveClock) => {
    for (let seconds = 0; seconds < 25; seconds += 5) {
      moveClock(5_000);
      delivery.pass(withoutContent);
    }
    delivery.pass(text('Hi'));
    delivery.pass(withoutContent);
    delivery.finish(completed);
  });
  expect(blocks.filter((block) => block === ': keepalive')).toHaveLength(2);
  expect(blocks.indexOf(': keepalive')).toBe(0);
});

test('responds with an error status before the first chunk', async () => {
  const { status, text } = await receivedWhen((delivery) => {
    delivery.pass(withoutContent);
    delivery.fail(failed);
  });
  expect([status, JSON.parse(text).error.code]).toEqual([502, 'stream_incomplete']);
});

test('sends an error chunk after a keepalive', async () => {
  const { status, blocks } = await receivedWhen((delivery) => {
    delivery.keepAlive();
    delivery.fail(failed);
  });
  expect(status).toBe(200);
  expect(blocks).toEqual([': keepalive', `data: ${JSON.stringify({ error: failed.body.error })}`, 'data: [DONE]']);
});

test('drops what a failed attempt delivered before the first chunk', async () => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
  const { blocks } = await receivedWhen((delivery) => {
    delivery.pass(event('response.output_item.done', { output_index: 0, item: { type: 'reasoning', summary: [] } }));
    expect(delivery.streamedBytes).toBeGreaterThan(0);
    delivery.reset();
    expect(delivery.streamedBytes).toBe(0);
    delivery.pass(event('response.output_item.done', { output_index: 0, item: call }));
    delivery.finish(completed);
  });
  const choices = blocks.slice(0, -1).map((block) => JSON.parse(block.slice(6)).choices[0]);
  expect(choices[0].delta.tool_calls).toEqual([
    { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } },
  ]);
  expect(choices.at(-1).finish_reason).toBe('tool_calls');
});
