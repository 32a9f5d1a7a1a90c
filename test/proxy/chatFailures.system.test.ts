import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { assembled, chat, chatPath, chunksIn } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { openingEvents } from '../support/provider/responseEvents.ts';
import {
  connectionReset,
  endDelayedUntil,
  errorEvent,
  failureAfterText,
  failureAsFirstEvent,
  fragmented,
  noResponse,
  type ResponseScript,
  requestRefused,
  serverError,
  stream,
  streamCut,
  streamSilent,
  terminalEventMissing,
  textResponse,
  usageLimitReached,
  usageWindow,
} from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

// What a chat client gets when something fails, as a stream and as one object (docs/provider.md#failure-classes).

/** The tests share a gateway; each uses new accounts. */
let shared: Gateway;
let own: Gateway | undefined;
beforeAll(async () => {
  shared = await startGateway({ accounts: 0 });
});
afterEach(async () => {
  await own?.stop();
  own = undefined;
});
afterAll(() => shared.stop());

type Pooled = Gateway['pool'][number];
const HELLO = 'Hello from the second account.';
const WEEK = 7 * 24 * 3600;
const ways = [
  ['a stream', true],
  ['one object', false],
] as const;

/** Replaces the accounts of earlier tests by new ones, which requests try in this order. */
async function freshAccounts(gateway: Gateway, count: number): Promise<Pooled[]> {
  const { body } = await gateway.api('GET', '/api/accounts');
  for (const { account_id: id } of body.accounts) await gateway.api('DELETE', `/api/accounts/${id}`);
  const pool: Pooled[] = [];
  for (let index = 0; index < count; index++) {
    const secondary = usageWindow({ usedPercent: 10 * index, windowSeconds: WEEK });
    const at = gateway.provider.addAccount({ usage: { secondary } });
    pool.push({ at, id: await gateway.importAccount(at) });
  }
  const observed = () => gateway.events('AccountUsageObserved').map(({ data }) => data.accountId as string);
  await vi.waitUntil(() => pool.every(({ id }) => observed().includes(id)), { timeout: 10_000, interval: 10 });
  return pool;
}

interface Stage {
  accounts?: number;
  /** Starts a gateway that is not shared. */
  env?: Record<string, string>;
  /** Resolves when the client has the first text. */
  onHead?: () => void;
}

/** Sends one request; the first or only account follows the script. */
async function askOnce(script: ResponseScript, isStream: boolean, { accounts = 1, env, onHead }: Stage = {}) {
  if (env) own = await startGateway({ accounts, env });
  const gateway = own ?? shared;
  const [first, second] = (own?.pool ?? (await freshAccounts(gateway, accounts))) as [Pooled, Pooled | undefined];
  first.at.always(script);
  second?.at.always(textResponse({ text: HELLO }));
  const response = await gateway.ask({ ...chat, stream: isStream }, { path: chatPath });
  onHead?.();
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const [row] = await gateway.logs('?limit=1');
  return {
    status: response.status,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it is after
    body: (isJson ? JSON.parse(text) : undefined) as any,
    lines: isJson ? [] : chunksIn(text),
    row,
    first,
    second,
    completed: gateway.events('RequestCompleted').at(-1)?.data,
  };
}

const responseText = ({ body, lines }: Awaited<ReturnType<typeof askOnce>>): string =>
  body ? body.choices[0].message.content : assembled(lines.filter((line) => line.choices)).text;

/** Sends reasoning, optionally with a summary, and fails before any text. */
const failsWhileThinking = (code: string) =>
  stream('fails while thinking', function* (request) {
    yield* openingEvents(request);
    const item = { id: 'rs_1', type: 'reasoning', summary: [] };
    yield { event: { type: 'response.output_item.added', output_index: 0, item } };
    yield { waitMs: 20 };
    const error = { code, message: `Simulated ${code}` };
    yield { event: { type: 'response.failed', response: { id: request.id, status: 'failed', error } } };
  });

describe.each(ways)('before the first text, to %s:', (_way, isStream) => {
  test.each<[what: string, script: () => ResponseScript]>([
    ['a used up account', () => usageLimitReached()],
    ['a failing provider', () => serverError({ status: 503, body: 'html' })],
    ['a broken connection', () => connectionReset()],
    ['a stream that begins with a failure', () => failureAsFirstEvent({ code: 'server_error' })],
    [
      'a stream that fails once it was created',
      () => failureAsFirstEvent({ code: 'insufficient_quota', afterCreated: true }),
    ],
    ['a stream that fails while it thinks', () => failsWhileThinking('server_is_overloaded')],
    ['an error event once it was created', () => errorEvent({ deltas: 0 })],
    ['a stream that ends without any output', () => terminalEventMissing({ deltas: 0 })],
  ])('%s: uses another account without the client noticing', async (_what, script) => {
    const result = await askOnce(script(), isStream, { accounts: 2 });
    expect(result.status).toBe(200);
    expect(responseText(result)).toBe(HELLO);
    expect(JSON.stringify(result.lines)).not.toContain('"error"');
    expect(result.completed).toMatchObject({ status: '200', accountId: result.second?.id });
    expect(result.completed?.attempts).toHaveLength(2);
    expect(result.row).toMatchObject({ status: '200', error_code: null });
  });

  test.each<[what: string, script: () => ResponseScript, status: number, error: object]>([
    ['a used up account', () => usageLimitReached(), 429, { type: 'usage_limit_reached', code: 'rate_limit_exceeded' }],
    ['a failing provider', () => serverError({ body: 'html' }), 502, { type: 'server_error', code: 'upstream_error' }],
    ['a failure in the stream', () => failsWhileThinking('server_error'), 502, { code: 'server_error' }],
    ['an invalid request', () => requestRefused({ shape: 'error' }), 400, { code: 'context_length_exceeded' }],
    [
      'an invalid request, reported in the stream',
      () => failureAsFirstEvent({ code: 'context_length_exceeded', afterCreated: true }),
      400,
      { code: 'context_length_exceeded' },
    ],
  ])('%s, without another account: responds with a status and a JSON error', async (_what, script, status, error) => {
    const result = await askOnce(script(), isStream);
    expect(result.status).toBe(status);
    expect(result.body.error).toMatchObject({ message: expect.stringMatching(/./), ...error });
    expect(result.row).toMatchObject({ status: String(status), tokens: null });
  });

  test('no account: responds with 503', async () => {
    await freshAccounts(shared, 0);
    const response = await shared.ask({ ...chat, stream: isStream }, { path: chatPath });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: 'no_accounts', type: 'server_error' } });
  });
});

describe('after the first text', () => {
  const failures: [what: string, script: (received: Promise<void>) => ResponseScript, code: string, stage?: Stage][] = [
    ['the connection breaks', () => streamCut(), 'stream_incomplete'],
    ['the stream ends without a terminal event', () => terminalEventMissing(), 'stream_incomplete'],
    [
      'the provider fails',
      (received) => endDelayedUntil(received, failureAfterText({ code: 'server_error' })),
      'server_error',
    ],
    [
      'the provider fails, byte by byte',
      (received) => fragmented(endDelayedUntil(received, failureAfterText()), { oneByteAtATime: true }),
      'server_error',
    ],
    [
      'a flat error event arrives',
      (received) => endDelayedUntil(received, errorEvent({ shape: 'flat' })),
      'server_error',
    ],
    [
      'a nested error event arrives',
      (received) => endDelayedUntil(received, errorEvent({ shape: 'nested' })),
      'server_error',
    ],
    [
      'the provider stops sending',
      () => streamSilent({ events: 6 }),
      'stream_idle_timeout',
      { env: { SVC_STREAM_IDLE_TIMEOUT_SECONDS: '1' } },
    ],
  ];

  test.each(failures)(
    '%s: a stream keeps its chunks and gets an error chunk and [DONE]',
    async (_what, script, code, stage) => {
      const received = Promise.withResolvers<void>();
      const result = await askOnce(script(received.promise), true, { accounts: 2, onHead: received.resolve, ...stage });
      expect(result.status).toBe(200);
      const [error, done] = result.lines.splice(-2);
      expect(done).toBe('[DONE]');
      expect(error).toEqual({
        error: expect.objectContaining({ code, type: expect.any(String), message: expect.stringMatching(/./) }),
      });
      expect(assembled(result.lines)).toMatchObject({ text: expect.stringMatching(/./), finishReason: undefined });
      expect(result.completed).toMatchObject({ status: 'error', errorCode: code, accountId: result.first.id });
      expect(result.completed?.usage).toMatchObject({ isEstimated: true });
      expect(result.row).toMatchObject({ status: 'error', error_code: code });
      expect(result.second?.at.received.filter(({ path }) => path.endsWith('/codex/responses'))).toEqual([]);
    },
  );

  test.each(failures)(
    '%s: a client of one object gets the response of another account',
    async (_what, script, _code, stage) => {
      const result = await askOnce(script(Promise.resolve()), false, { accounts: 2, ...stage });
      expect(result.status).toBe(200);
      expect(responseText(result)).toBe(HELLO);
      expect(result.completed).toMatchObject({ status: '200', accountId: result.second?.id });
    },
  );

  test('sends an error chunk and no byte of an event that is too large', async () => {
    const textThenTooMuch = stream('text, then too much', function* (request) {
      yield* openingEvents(request);
      for (const delta of ['Once ', 'x'.repeat(17 * 1_048_576)]) {
        yield { event: { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta } };
        yield { waitMs: 20 };
      }
    });
    const { lines } = await askOnce(textThenTooMuch, true);
    expect(lines.map(({ choices, error }) => choices?.[0].delta.content ?? error?.code)).toEqual([
      'Once ',
      'stream_event_too_large',
      undefined,
    ]);
  });
});

test('collects at most 16 MiB of an endless stream for one object', async () => {
  const delta = 'x'.repeat(1_048_576);
  const endless = stream('endless text', function* (request) {
    yield* openingEvents(request);
    for (let count = 0; count < 100; count++) {
      yield { event: { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta } };
    }
  });
  const { status, body, completed, first } = await askOnce(endless, false);
  expect([status, body.error]).toEqual([
    502,
    { message: expect.stringContaining('16 MiB'), type: 'server_error', code: 'stream_event_too_large' },
  ]);
  expect(completed).toMatchObject({ status: '502', errorCode: 'stream_event_too_large', accountId: first.id });
});

test('ends an open stream with an error chunk and [DONE] at shutdown, and logs it', async () => {
  own = await startGateway();
  own.pool[0]?.at.always(streamSilent({ events: 6 }));
  const response = await own.ask({ ...chat, stream: true }, { path: chatPath });
  const text = response.text();
  await own.restart();
  const [error, done] = chunksIn(await text).slice(-2);
  expect([error.error.code, done]).toEqual(['shutting_down', '[DONE]']);
  expect(await own.logs()).toMatchObject([{ status: 'error', error_code: 'shutting_down' }]);
});

describe('the client disconnects', () => {
  test.each<[when: string, script: ResponseScript, isStream: boolean, readsFirst: boolean]>([
    ['before the first event', noResponse(), true, false],
    ['in mid-stream', streamSilent({ events: 6 }), true, true],
    ['while its JSON object is collected', streamSilent({ events: 6 }), false, false],
  ])('%s: disconnects the provider and settles the request', async (_when, script, isStream, readsFirst) => {
    const [only] = (await freshAccounts(shared, 1)) as [Pooled];
    const before = shared.events('RequestCompleted').length;
    only.at.always(script);
    const controller = new AbortController();
    const response = shared.ask({ ...chat, stream: isStream }, { path: chatPath, signal: controller.signal });
    response.catch(() => undefined);
    const request = () => only.at.received.find(({ path }) => path.endsWith('/codex/responses'));
    await vi.waitUntil(() => request() !== undefined, waitOptions);
    if (readsFirst) await (await response).body?.getReader().read();
    controller.abort();
    await vi.waitUntil(() => request()?.aborted, waitOptions);
    await vi.waitUntil(() => shared.events('RequestCompleted').length > before, waitOptions);
    const completed = shared.events('RequestCompleted').at(-1);
    expect(completed?.data).toMatchObject({ status: 'error', errorCode: 'client_disconnected' });
    expect(completed?.data.attempts.map(({ outcome }) => outcome)).toEqual(['client_gone']);
    expect(await shared.availability(only.id)).toMatchObject({ state: 'available' });
  });
});
