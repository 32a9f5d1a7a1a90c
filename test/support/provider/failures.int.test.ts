import { expect, test } from 'vitest';
import { eventsIn } from './client.ts';
import {
  badRequest,
  codeless429,
  cutAfter,
  endsWithoutTerminal,
  errorEvent,
  failedAfter,
  failedFirst,
  jsonInsteadOfSse,
  oversizedEvent,
  resetConnection,
  serverError,
  unauthorized,
  usageLimitReached,
} from './scripts.ts';
import { useProvider } from './useProvider.ts';

const given = useProvider();

const typesIn = (bytes: Buffer[]): string[] => eventsIn(Buffer.concat(bytes).toString()).map(({ event }) => event);

test('usage-limit-reached: a used-up window names its reset, and its type is its code', async () => {
  const { status, headers, body } = await given.answerOf(usageLimitReached({ resetsInSeconds: 90 }));
  expect(status).toBe(429);
  expect(body.error).toEqual({
    type: 'usage_limit_reached',
    message: expect.any(String),
    plan_type: 'plus',
    resets_at: expect.any(Number),
    resets_in_seconds: 90,
  });
  expect(headers.get('x-codex-primary-used-percent')).toBe('0');
});

test('throttled: a 429 without a code, in both shapes', async () => {
  expect(await given.answerOf(codeless429())).toMatchObject({
    status: 429,
    body: { error: { message: 'Rate limit exceeded' } },
  });
  const detail = await given.answerOf(codeless429({ shape: 'detail', retryAfter: 2 }));
  expect(detail.body).toEqual({ detail: 'Rate limit exceeded' });
  expect(detail.headers.get('retry-after')).toBe('2');
});

test('access-token-refused: a 401 whatever the token, for one request', async () => {
  expect((await given.answerOf(unauthorized())).body.error.code).toBe('invalid_token');
  expect((await given.ask()).status).toBe(200);
});

test('server-error: errors as HTML, empty and as JSON', async () => {
  expect(await given.answerOf(serverError({ status: 502, body: 'html' }))).toMatchObject({
    status: 502,
    text: expect.stringContaining('<html>'),
  });
  expect(await given.answerOf(serverError({ status: 529, body: 'empty' }))).toMatchObject({ status: 529, text: '' });
  expect(await given.answerOf(serverError())).toMatchObject({
    status: 500,
    body: { error: { code: 'server_error' } },
  });
});

test('unreachable: a connection reset before any byte', async () => {
  const { head, error } = await given.wireOf(resetConnection());
  expect({ head, error }).toEqual({ head: '', error: 'ECONNRESET' });
  await given.provider.until(() => given.account.inFlight === 0);
  expect(given.account.received).toMatchObject([{ cut: true, aborted: false, finished: false }]);
});

test('failure-as-first-event: the first event, or the third', async () => {
  const events = await given.eventsOf(failedFirst({ code: 'insufficient_quota' }));
  expect(events).toMatchObject([
    { event: 'response.failed', data: { response: { status: 'failed', error: { code: 'insufficient_quota' } } } },
  ]);
  const later = await given.eventsOf(failedFirst({ afterCreated: true }));
  expect(later.map(({ event }) => event)).toEqual(['response.created', 'response.in_progress', 'response.failed']);
});

test('stream-cut: two deltas, all of them delivered, then a reset', async () => {
  const { chunks, error } = await given.wireOf(cutAfter({ deltas: 2 }));
  expect(typesIn(chunks).slice(-3)).toEqual([
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
  ]);
  expect(error).toBe('ECONNRESET');
});

test('event-too-large: one event is bigger than asked for', async () => {
  const events = await given.eventsOf(oversizedEvent({ bytes: 3_000_000 }));
  const sizes = events
    .filter(({ event }) => event === 'response.output_text.delta')
    .map(({ data }) => data.delta.length);
  expect(sizes).toEqual([3_000_000]);
});

test('request-refused: a bad request in both shapes', async () => {
  expect(await given.answerOf(badRequest())).toMatchObject({ status: 400, body: { detail: expect.any(String) } });
  expect(await given.answerOf(badRequest({ shape: 'error' }))).toMatchObject({
    status: 400,
    body: { error: { code: 'context_length_exceeded' } },
  });
});

test('not-a-stream and terminal-event-missing: JSON, and a stream that just ends', async () => {
  const whole = await given.answerOf(jsonInsteadOfSse());
  expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'application/json']);
  const { chunks, error } = await given.wireOf(endsWithoutTerminal({ deltas: 1 }));
  expect([typesIn(chunks).at(-1), error]).toEqual(['response.output_text.delta', undefined]);
});

test('an error event, or a failure, after some text', async () => {
  const flat = await given.eventsOf(errorEvent({ code: 'server_error' }));
  expect(flat.at(-1)?.data).toMatchObject({
    type: 'error',
    code: 'server_error',
    message: expect.any(String),
    sequence_number: 6,
  });
  const nested = await given.eventsOf(errorEvent({ shape: 'nested', deltas: 0 }));
  expect(nested.at(-1)?.data).toMatchObject({ type: 'error', error: { code: 'server_error' } });
  const failed = await given.eventsOf(failedAfter({ deltas: 1 }));
  expect(failed.map(({ event }) => event).slice(-2)).toEqual(['response.output_text.delta', 'response.failed']);
});
