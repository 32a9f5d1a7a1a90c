import { describe, expect, test, vi } from 'vitest';
import { type FailureResult, failures, type Pooled, textIn } from '../support/failures.ts';
import { type Gateway, validRequest } from '../support/gateway.ts';
import {
  endDelayedUntil,
  errorEvent,
  eventTooLarge,
  fragmented,
  noResponse,
  type ResponseScript,
  streamCut,
  streamSilent,
  terminalEventMissing,
  textResponse,
  throttled,
} from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

// Failures of a stream that has begun (docs/provider.md#failure-classes).

let gateway: Gateway;
const { start, askOnce, withSecondAccount } = failures((started) => {
  gateway = started;
});

/** Expects that svc tried no other account after the first byte: `response.failed` ends the stream, the log has `error`. */
function expectBrokenOff(result: FailureResult, code: string) {
  expect(result.status).toBe(200);
  expect(result.events.at(-1)?.event).toBe('response.failed');
  expect(result.events.at(-1)?.data.response).toMatchObject({ status: 'failed', error: { code } });
  expect(result.completed).toMatchObject({ status: 'error', errorCode: code });
  expect(result.completed?.usage).toMatchObject({ isEstimated: true });
  expect(result.completed?.usage?.inputTokens).toBeGreaterThan(0);
  expect(result.row).toMatchObject({ status: 'error', error_code: code, account_id: result.first.id });
  expect(result.second.at.received.filter(({ path }) => path.endsWith('/codex/responses'))).toHaveLength(0);
}

describe('after the first byte', () => {
  test('stream-cut: relays what arrived, then sends response.failed', async () => {
    const result = await withSecondAccount(streamCut({ deltas: 2 }));
    expectBrokenOff(result, 'stream_incomplete');
    expect(textIn(result.events)).not.toBe('');
  });

  test('stream-silent: sends response.failed after the idle timeout', async () => {
    const result = await withSecondAccount(streamSilent({ events: 2 }), {
      env: { SVC_STREAM_IDLE_TIMEOUT_SECONDS: '1' },
    });
    expectBrokenOff(result, 'stream_idle_timeout');
    await vi.waitUntil(() => result.first.at.received.some(({ aborted }) => aborted), waitOptions);
  });

  test('event-too-large: sends response.failed and no byte of the event', async () => {
    const result = await withSecondAccount(eventTooLarge({ bytes: 17 * 1_048_576 }));
    expectBrokenOff(result, 'stream_event_too_large');
    expect(result.text.length).toBeLessThan(1_048_576);
  });

  test('terminal-event-missing: sends response.failed instead of a clean end', async () => {
    const result = await withSecondAccount(terminalEventMissing({ deltas: 2 }));
    expectBrokenOff(result, 'stream_incomplete');
  });

  test('relays an error event and adds response.failed, which Codex understands', async () => {
    const received = Promise.withResolvers<void>();
    const script = endDelayedUntil(received.promise, errorEvent({ code: 'server_error', deltas: 2 }));
    const result = await withSecondAccount(script, {}, received.resolve);
    expect(result.events.map(({ event }) => event)).toContain('error');
    expect(result.events.at(-1)).toMatchObject({ event: 'response.failed' });
    expect(result.completed).toMatchObject({ status: 'error', errorCode: 'server_error' });
  });
});

describe('fragmented-bytes: relays the same bytes for every fragmentation', () => {
  const script = () => textResponse({ deltas: ['Grüße, ', '世界', ' 👋🏽'] });
  const startWithOne = async () => {
    await start();
    const [only] = gateway.pool as [Pooled];
    return only;
  };
  const withoutIds = (text: string) =>
    text.replaceAll(/(resp|msg|item)_[A-Za-z0-9]+/g, '$1_').replaceAll(/"created_at":\d+/g, '');

  test.each([
    ['in one piece', {}],
    ['with CRLF', { crlf: true }],
    ['with characters cut in half', { splitCharacters: true }],
    ['in pieces of 7 bytes', { splitEveryBytes: 7 }],
    ['byte by byte', { oneByteAtATime: true }],
    ['byte by byte with CRLF', { oneByteAtATime: true, crlf: true }],
  ])('%s', async (_name, wire) => {
    const only = await startWithOne();
    only.at.always(fragmented(script(), wire));
    const direct = await fetch(`${gateway.provider.baseUrl}/codex/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${only.at.tokens.current().accessToken}`, 'chatgpt-account-id': only.at.id },
      body: JSON.stringify(validRequest),
    });
    const expected = await direct.text();
    const through = await askOnce();
    expect(withoutIds(through.text)).toBe(withoutIds(expected));
    expect(through.text).toContain('世界');
    expect(through.completed?.usage?.isEstimated).toBe(false);
  });
});

describe('client-disconnected: the client disconnects', () => {
  // svc also disconnects the provider after a complete response, but only after 5 s.
  const immediately = { ...waitOptions, timeout: 4_000 };

  const disconnect = async (script: ResponseScript, isReady: (only: Pooled) => boolean, readsFirst: boolean) => {
    await start();
    const [only] = gateway.pool as [Pooled];
    only.at.always(script);
    const controller = new AbortController();
    const response = gateway.ask(validRequest, { signal: controller.signal });
    response.catch(() => undefined);
    await vi.waitUntil(() => isReady(only), waitOptions);
    if (readsFirst) await (await response).body?.getReader().read();
    controller.abort();
    await vi.waitUntil(() => gateway.events('RequestCompleted').length > 0, waitOptions);
    await vi.waitUntil(
      () => only.at.received.some(({ path, aborted }) => path.endsWith('/responses') && aborted),
      immediately,
    );
    return { only, completed: gateway.events('RequestCompleted')[0]?.data };
  };
  const wasCalled = ({ at }: Pooled) => at.received.some(({ path }) => path.endsWith('/codex/responses'));

  test.each([
    ['before the first event', noResponse(), false],
    ['in mid-stream', streamSilent({ events: 3 }), true],
  ])('%s: disconnects the provider, settles the request, spares the account', async (_when, script, reads) => {
    const { only, completed } = await disconnect(script, wasCalled, reads);
    expect(completed).toMatchObject({ status: 'error', errorCode: 'client_disconnected' });
    expect(completed?.usage).toMatchObject({ isEstimated: true });
    expect(completed?.attempts.map(({ outcome }) => outcome)).toEqual(['client_gone']);
    expect(await gateway.availability(only.id)).toMatchObject({ state: 'available' });
  });

  test('between two attempts: counts no usage, because the attempts had no output', async () => {
    await start();
    const [only] = gateway.pool as [Pooled];
    only.at.always(throttled());
    const controller = new AbortController();
    gateway.ask(validRequest, { signal: controller.signal }).catch(() => undefined);
    await vi.waitUntil(() => wasCalled(only) && only.at.inFlight === 0, waitOptions);
    controller.abort();
    await vi.waitUntil(() => gateway.events('RequestCompleted').length > 0, waitOptions);
    expect(gateway.events('RequestCompleted')[0]?.data).toMatchObject({
      errorCode: 'client_disconnected',
      usage: null,
      attempts: [{ outcome: 'throttled' }],
    });
  });
});
