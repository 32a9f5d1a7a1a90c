import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Recorded, startGateway, validRequest } from '../support/gateway.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../support/otlp/receiver.ts';
import { defaultResponse, noResponse, serverError } from '../support/provider/scripts.ts';
import { openStrictSocket } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

const ROUTE = '/backend-api/svc/responses';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const parent = (flags: string) => ({ traceparent: `00-${TRACE}-${SPAN}-${flags}`, tracestate: 'vendor=of-the-client' });

let gateway: Awaited<ReturnType<typeof startGateway>>;
let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  gateway = await startGateway({
    accounts: 2,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_SERVICE_NAME: 'gateway of a test',
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await receiver.close();
});
beforeEach(() => {
  receiver.posts.length = 0;
  gateway.provider.clearReceived();
});

/** The spans of the next trace that has ended: that of the request, and those of its attempts in order. */
async function aTrace(): Promise<readonly [ReceivedSpan, ...ReceivedSpan[]]> {
  const root = await vi.waitUntil(() => receiver.spans.find(({ kind }) => kind === SERVER), waitOptions);
  const attempts = receiver.spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
  return [root, ...attempts.toSorted((left, right) => numberOf(left) - numberOf(right))];
}

type Completed = Recorded<'RequestCompleted'>;

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;
const numberOf = ({ attributes }: ReceivedSpan) => Number(attributes['svc.attempt.number']);

test('a served request is a span of the server with one of the model inside, at the times of its event', async () => {
  await (await gateway.ask()).text();
  const [root, attempt, ...further] = await aTrace();
  expect(further).toEqual([]);
  const [{ data }] = gateway.events('RequestCompleted').slice(-1) as [Completed];
  const [recordedAttempt] = data.attempts;
  expect(root).toMatchObject({
    kind: SERVER,
    name: `POST ${ROUTE}`,
    parentSpanId: '',
    startMs: data.requestedAt,
    status: 0,
    service: { 'service.name': 'gateway of a test' },
    attributes: {
      'http.request.method': 'POST',
      'http.route': ROUTE,
      'http.response.status_code': 200,
      'svc.request.id': data.requestId,
      'gen_ai.request.model': validRequest.model,
    },
  });
  expect(root.endMs).toBeGreaterThanOrEqual(data.requestedAt + data.latencyMs);
  expect(attempt).toMatchObject({
    kind: CLIENT,
    name: `chat ${validRequest.model}`,
    traceId: root.traceId,
    startMs: recordedAttempt?.startedAt,
    endMs: recordedAttempt?.endedAt,
    status: 0,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': validRequest.model,
      'gen_ai.usage.input_tokens': data.usage?.inputTokens,
      'gen_ai.usage.output_tokens': data.usage?.outputTokens,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'server.address': '127.0.0.1',
      'svc.account.id': gateway.pool[0]?.id,
      'svc.attempt.number': 1,
      'svc.attempt.outcome': 'ok',
      'http.response.status_code': 200,
    },
  });
  expect(data.trace).toEqual({ traceId: root.traceId, parentId: root.spanId });
});

test('a failover is two attempts in one trace, each with its account, its outcome and a context for the provider', async () => {
  gateway.pool[0]?.at.next(serverError({ status: 500, body: 'json' }));
  await (await gateway.ask()).text();
  const [root, failed, served] = await aTrace();
  expect(failed).toMatchObject({
    status: ERROR,
    attributes: {
      'svc.account.id': gateway.pool[0]?.id,
      'svc.attempt.outcome': 'provider_error',
      'error.type': 'provider_error',
      'http.response.status_code': 500,
    },
  });
  expect(failed?.attributes['gen_ai.usage.input_tokens']).toBeUndefined();
  expect(served).toMatchObject({ status: 0, attributes: { 'svc.account.id': gateway.pool[1]?.id } });
  expect(root).toMatchObject({ status: 0, attributes: { 'http.response.status_code': 200 } });
  expect(gateway.asked().map(({ headers }) => headers.traceparent)).toEqual([
    `00-${root.traceId}-${failed?.spanId}-01`,
    `00-${root.traceId}-${served?.spanId}-01`,
  ]);
});

test("continues the client's trace, and tells the provider its ids but not its tracestate", async () => {
  await (await gateway.ask(validRequest, { headers: parent('01') })).text();
  const [root, attempt] = await aTrace();
  expect(root).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, traceState: 'vendor=of-the-client' });
  const [{ headers } = { headers: {} }] = gateway.asked() as { headers: Record<string, unknown> }[];
  expect(headers).toMatchObject({ traceparent: `00-${TRACE}-${attempt?.spanId}-01` });
  expect(headers).not.toHaveProperty('tracestate');
});

test('records no span of a trace that its client does not record, but its ids in the event', async () => {
  await (await gateway.ask(validRequest, { headers: parent('00') })).text();
  const [{ headers } = { headers: {} }] = gateway.asked() as { headers: Record<string, unknown> }[];
  expect(headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  await vi.waitUntil(() => gateway.events('RequestCompleted').at(-1)?.data.trace?.traceId === TRACE, waitOptions);
  await (await gateway.ask()).text();
  const [root] = await aTrace();
  expect(root.traceId).not.toBe(TRACE);
  expect(receiver.spans.filter(({ traceId }) => traceId === TRACE)).toEqual([]);
});

test.each([
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  'nonsense',
])('begins a trace of its own when the client sends %s', async (traceparent) => {
  await (await gateway.ask(validRequest, { headers: { traceparent, tracestate: 'vendor=1' } })).text();
  const [root] = await aTrace();
  expect(root).toMatchObject({ parentSpanId: '', traceState: '' });
  expect(root.traceId).not.toBe(TRACE);
});

test('a refused request has one span, and its event the trace; that of a stranger has none', async () => {
  const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'one', allowed_models: ['gpt-5'] });
  await gateway.set({ api_key_auth_enabled: true });
  expect((await gateway.ask(validRequest, { headers: parent('01') })).status).toBe(401);
  const headers = { authorization: `Bearer ${key.key}` };
  expect((await gateway.ask(validRequest, { headers })).status).toBe(403);
  await gateway.set({ api_key_auth_enabled: false });
  const [root, ...attempts] = await aTrace();
  expect(root).toMatchObject({
    status: 0,
    attributes: {
      'http.response.status_code': 403,
      'error.type': 'model_not_allowed',
      'svc.key.id': key.id,
      'gen_ai.request.model': validRequest.model,
    },
  });
  expect(attempts).toEqual([]);
  expect(gateway.events('RequestRefused').at(-1)?.data.trace).toEqual({ traceId: root.traceId, parentId: root.spanId });
  expect(receiver.spans).toHaveLength(1);
});

test('each request on a websocket is a trace of its own, with its attempt, as its event says', async () => {
  const socket = await openStrictSocket(`${gateway.url}${ROUTE}`);
  await socket.create(validRequest);
  const [first, firstAttempt] = await aTrace();
  receiver.posts.length = 0;
  await socket.create(validRequest);
  const [second, secondAttempt] = await aTrace();
  await socket.leave();
  expect(second.traceId).not.toBe(first.traceId);
  expect([firstAttempt?.parentSpanId, secondAttempt?.parentSpanId]).toEqual([first.spanId, second.spanId]);
  const events = gateway.events('RequestCompleted').slice(-2) as Completed[];
  expect(events.map(({ data }) => data.trace?.traceId)).toEqual([first.traceId, second.traceId]);
  expect(events.map(({ data }) => data.requestId)).toEqual(
    [first, second].map(({ attributes }) => attributes['svc.request.id']),
  );
  expect(first).toMatchObject({ status: 0, attributes: { 'http.route': ROUTE } });
});

test('a client that disconnects is no error of the server', async () => {
  for (const { at } of gateway.pool) at.always(noResponse());
  const gone = new AbortController();
  const asked = gateway.ask(validRequest, { signal: gone.signal }).catch(() => undefined);
  await vi.waitUntil(() => gateway.asked().length === 1, waitOptions);
  gone.abort();
  await asked;
  for (const { at } of gateway.pool) at.always(defaultResponse());
  const [root, attempt] = await aTrace();
  expect(root).toMatchObject({ status: 0, attributes: { 'error.type': 'client_gone' } });
  expect(attempt).toMatchObject({ status: 0, attributes: { 'svc.attempt.outcome': 'client_gone' } });
});

test('a request that no account can serve is an error of the server', async () => {
  for (const { at } of gateway.pool) at.always(serverError({ status: 500, body: 'json' }));
  const { status } = await gateway.ask();
  for (const { at } of gateway.pool) at.always(defaultResponse());
  const [root, ...attempts] = await aTrace();
  expect(root).toMatchObject({
    status: ERROR,
    attributes: { 'http.response.status_code': status, 'error.type': 'provider_error' },
  });
  expect(attempts.map(({ status }) => status)).toEqual([ERROR, ERROR]);
});

test('spans have no text of the request, no address, no token and no model that the client invented', async () => {
  const body = { ...validRequest, model: 'invented-by-ada', input: 'a private prompt', prompt_cache_key: 'ada-7' };
  await gateway.ask(body, { headers: { 'user-agent': 'ada@example.com', authorization: 'Bearer not-a-key' } });
  const [root, attempt] = await aTrace();
  expect(root.attributes['gen_ai.request.model']).toBe('other');
  expect(attempt?.name).toBe('chat other');
  const sent = receiver.posts.map(({ body }) => body.toString('utf8')).join();
  for (const text of ['ada', 'private', 'Bearer', 'not-a-key', '127.0.0.1:']) expect(sent).not.toContain(text);
});

test('requests that go to no model have no span', async () => {
  for (const path of ['/v1/models', '/v1/nothing', '/api/accounts', ROUTE])
    await (await fetch(gateway.url + path)).text();
  await (await gateway.ask()).text();
  await aTrace();
  expect(receiver.spans.filter(({ kind }) => kind === SERVER)).toHaveLength(1);
});
