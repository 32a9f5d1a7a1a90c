import { SpanKind } from '@opentelemetry/api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Faults } from '../../src/lib/faults.ts';
import { createPost } from '../../src/lib/outgoing/post.ts';
import { openTracer } from '../../src/lib/tracing/openTracer.ts';
import { startOtlpReceiver } from '../support/otlp/receiver.ts';
import { waitOptions } from '../support/waitOptions.ts';

const FAULT = 'traces_not_sent';

async function aReceiver(port?: number) {
  const receiver = await startOtlpReceiver(port);
  onTestFinished(receiver.close);
  return receiver;
}

function open(address: string, allowsLinkLocal = false) {
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => lines.push(line), now: Date.now });
  const { tracer, stop } = openTracer({
    url: new URL(`${address}/v1/traces?token=a-secret`),
    protocol: 'http/json',
    headers: { 'api-key': 'of the operator' },
    sampler: 'always_on',
    ratio: 1,
    delayMs: 1,
    resource: { 'service.name': 'svc' },
    scope: { name: 'svc', version: '1' },
    pausesMs: [5],
    post: createPost({ agentsFor: () => ({}), allowsLinkLocal }),
    faults,
  });
  onTestFinished(() => stop(0));
  const span = (name: string) => tracer.startSpan(name, { kind: SpanKind.SERVER }).end();
  return { span, stop, faults, lines };
}

test('posts what has ended, with the headers and the names of the operator', async () => {
  const receiver = await aReceiver();
  const { span, faults } = open(receiver.url);
  span('one');
  await vi.waitUntil(() => receiver.spans.length === 1, waitOptions);
  const [post] = receiver.posts;
  expect(post).toMatchObject({
    path: '/v1/traces?token=a-secret',
    headers: { 'api-key': 'of the operator', 'content-type': 'application/json' },
  });
  expect(receiver.spans).toMatchObject([{ name: 'one', service: { 'service.name': 'svc' } }]);
  expect(faults.current).toEqual([]);
});

test.each([429, 502, 503, 504])('keeps spans while the receiver responds with %i, and says it once', async (status) => {
  const receiver = await aReceiver();
  receiver.status = status;
  const { span, faults, lines } = open(receiver.url);
  span('one');
  await vi.waitUntil(() => receiver.count >= 3, waitOptions);
  span('two');
  expect(faults.current).toMatchObject([{ code: FAULT, cause: expect.stringContaining(`status ${status}`) }]);
  receiver.status = 200;
  await vi.waitUntil(() => receiver.spans.length === 2, waitOptions);
  await vi.waitUntil(() => faults.current.length === 0, waitOptions);
  expect(receiver.spans.map(({ name }) => name)).toEqual(['one', 'two']);
  expect(lines).toEqual([
    expect.stringContaining('Traces are not being sent'),
    expect.stringMatching(/^Over after .*Traces are not being sent/),
  ]);
  expect(lines.join()).not.toContain('a-secret');
});

test('keeps spans while nothing listens, at most 2,048 and a batch', async () => {
  const gone = await aReceiver();
  await gone.close();
  const { span, faults } = open(gone.url);
  span('first');
  await vi.waitUntil(() => faults.has(FAULT), waitOptions);
  for (let index = 0; index < 5_000; index++) span('more');
  const receiver = await aReceiver(Number(new URL(gone.url).port));
  await vi.waitUntil(() => receiver.spans.length >= 2_049, waitOptions);
  span('after');
  await vi.waitUntil(() => receiver.spans.some(({ name }) => name === 'after'), waitOptions);
  expect(receiver.spans).toHaveLength(2_050);
  expect(faults.current).toEqual([]);
});

test.each([400, 401, 302])('drops what the receiver refuses with %i, follows nothing, and goes on', async (status) => {
  const receiver = await aReceiver();
  receiver.status = status;
  const { span, faults } = open(receiver.url);
  span('refused');
  await vi.waitUntil(() => faults.has(FAULT), waitOptions);
  expect(faults.current[0]?.remedy).toContain('dropped');
  receiver.status = 200;
  span('taken');
  await vi.waitUntil(() => receiver.spans.length === 1, waitOptions);
  expect(receiver.spans[0]?.name).toBe('taken');
  await vi.waitUntil(() => faults.current.length === 0, waitOptions);
});

test('sends nothing to link-local addresses unless they are allowed', async () => {
  const { span, faults } = open('http://169.254.169.254:4318');
  span('one');
  await vi.waitUntil(() => faults.has(FAULT), waitOptions);
  expect(faults.current[0]?.cause).toContain('SVC_ALLOW_LINK_LOCAL');
});

test('sends what is left when it stops, and waits no longer than it may', async () => {
  const receiver = await aReceiver();
  const first = open(receiver.url);
  first.span('last');
  await first.stop(10_000);
  expect(receiver.spans).toMatchObject([{ name: 'last' }]);

  receiver.status = 503;
  const second = open(receiver.url);
  second.span('lost');
  await second.stop(20);
  const { count } = receiver;
  expect(count).toBeGreaterThan(1);
  second.span('after the end');
  await second.stop(20);
  expect(receiver.count).toBe(count);
});
