import { expect, test } from 'vitest';
import { eventsIn } from './client.ts';
import {
  accessTokenRefused,
  connectionReset,
  errorEvent,
  eventTooLarge,
  failureAfterText,
  failureAsFirstEvent,
  notAStream,
  requestRefused,
  serverError,
  streamCut,
  terminalEventMissing,
  throttled,
  usageLimitReached,
} from './scripts.ts';
import { useProvider } from './useProvider.ts';

const given = useProvider();

const typesIn = (bytes: Buffer[]): string[] => eventsIn(Buffer.concat(bytes).toString()).map(({ event }) => event);

test('usage-limit-reached: 429 with the reset time, and the type is the code', async () => {
  const { status, headers, body } = await given.responseOf(usageLimitReached({ resetsInSeconds: 90 }));
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

test('throttled: 429 without a code, in both shapes', async () => {
  expect(await given.responseOf(throttled())).toMatchObject({
    status: 429,
    body: { error: { message: 'Rate limit exceeded' } },
  });
  const detail = await given.responseOf(throttled({ shape: 'detail', retryAfter: 2 }));
  expect(detail.body).toEqual({ detail: 'Rate limit exceeded' });
  expect(detail.headers.get('retry-after')).toBe('2');
});

test('access-token-refused: 401 whatever the token, for one request', async () => {
  expect((await given.responseOf(accessTokenRefused())).body.error.code).toBe('invalid_token');
  expect((await given.send()).status).toBe(200);
});

test('server-error: as HTML, empty and as JSON', async () => {
  expect(await given.responseOf(serverError({ status: 502, body: 'html' }))).toMatchObject({
    status: 502,
    text: expect.stringContaining('<html>'),
  });
  expect(await given.responseOf(serverError({ status: 529, body: 'empty' }))).toMatchObject({ status: 529, text: '' });
  expect(await given.responseOf(serverError())).toMatchObject({
    status: 500,
    body: { error: { code: 'server_error' } },
  });
});

test('unreachable: a connection reset before any byte', async () => {
  const { head, error } = await given.wireOf(connectionReset());
  expect({ head, error }).toEqual({ head: '', error: 'ECONNRESET' });
  await given.provider.until(() => given.account.inFlight === 0);
  expect(given.account.received).toMatchObject([{ wasReset: true, aborted: false, finished: false }]);
});

test('failure-as-first-event: the first event, or the third', async () => {
  const events = await given.eventsOf(failureAsFirstEvent({ code: 'insufficient_quota' }));
  expect(events).toMatchObject([
    { event: 'response.failed', data: { response: { status: 'failed', error: { code: 'insufficient_quota' } } } },
  ]);
  const later = await given.eventsOf(failureAsFirstEvent({ afterCreated: true }));
  expect(later.map(({ event }) => event)).toEqual(['response.created', 'response.in_progress', 'response.failed']);
});

test('stream-cut: two deltas, both delivered, then a reset', async () => {
  const { chunks, error } = await given.wireOf(streamCut({ deltas: 2 }));
  expect(typesIn(chunks).slice(-3)).toEqual([
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
  ]);
  expect(error).toBe('ECONNRESET');
});

test('event-too-large: one event of the given size', async () => {
  const events = await given.eventsOf(eventTooLarge({ bytes: 3_000_000 }));
  const sizes = events
    .filter(({ event }) => event === 'response.output_text.delta')
    .map(({ data }) => data.delta.length);
  expect(sizes).toEqual([3_000_000]);
});

test('request-refused: 400 in both shapes', async () => {
  expect(await given.responseOf(requestRefused())).toMatchObject({ status: 400, body: { detail: expect.any(String) } });
  expect(await given.responseOf(requestRefused({ shape: 'error' }))).toMatchObject({
    status: 400,
    body: { error: { code: 'context_length_exceeded' } },
  });
});

test('not-a-stream and terminal-event-missing: JSON, and a stream that just ends', async () => {
  const json = await given.responseOf(notAStream());
  expect([json.status, json.headers.get('content-type')]).toEqual([200, 'application/json']);
  const { chunks, error } = await given.wireOf(terminalEventMissing({ deltas: 1 }));
  expect([typesIn(chunks).at(-1), error]).toEqual(['response.output_text.delta', undefined]);
});

test('sends an error event, or a failure, after some text', async () => {
  const flat = await given.eventsOf(errorEvent({ code: 'server_error' }));
  expect(flat.at(-1)?.data).toMatchObject({
    type: 'error',
    code: 'server_error',
    message: expect.any(String),
    sequence_number: 6,
  });
  const nested = await given.eventsOf(errorEvent({ shape: 'nested', deltas: 0 }));
  expect(nested.at(-1)?.data).toMatchObject({ type: 'error', error: { code: 'server_error' } });
  const failed = await given.eventsOf(failureAfterText({ deltas: 1 }));
  expect(failed.map(({ event }) => event).slice(-2)).toEqual(['response.output_text.delta', 'response.failed']);
});
