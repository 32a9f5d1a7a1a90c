import { createServer } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { acceptable, type Gateway, type GatewayOptions } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { patiently } from '../support/patiently.ts';
import { eventsIn } from '../support/provider/client.ts';
import {
  badRequest,
  chunked,
  codeless429,
  cutAfter,
  endsOnce,
  endsWithoutTerminal,
  errorEvent,
  failedFirst,
  jsonInsteadOfSse,
  neverAnswers,
  oversizedEvent,
  type ResponseScript,
  resetConnection,
  type Step,
  serverError,
  silenceAfter,
  textAnswer,
  usageLimitReached,
} from '../support/provider/scripts.ts';

// One row per way to fail (provider-and-predecessor.md A.4): what the client got, what the log says, and what became of
// the account's availability.

const gatewayFor = gateways();
let gateway: Gateway;

const HELLO = 'Hello from the second account.';

/** The first account fails by the script, the second one is healthy. */
async function withSecondAccount(script: ResponseScript, options: GatewayOptions = {}, onHead?: () => void) {
  gateway = await gatewayFor({ accounts: 2, ...options });
  const [first, second] = gateway.pool as [Pooled, Pooled];
  first.at.always(script);
  second.at.always(textAnswer({ text: HELLO }));
  return { first, second, ...(await askOnce(undefined, onHead)) };
}

/** Nobody else can help. */
async function withOnlyAccount(script: ResponseScript, options: GatewayOptions = {}) {
  gateway = await gatewayFor(options);
  const [only] = gateway.pool as [Pooled];
  only.at.always(script);
  return { only, ...(await askOnce()) };
}

type Pooled = Gateway['pool'][number];

async function askOnce(path?: string, onHead?: () => void) {
  const response = await gateway.ask(acceptable, path === undefined ? {} : { path });
  onHead?.();
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const completed = gateway.events('RequestCompleted').map(({ data }) => data);
  return {
    status: response.status,
    headers: response.headers,
    text,
    error: isJson ? JSON.parse(text).error : undefined,
    events: isJson ? [] : eventsIn(text),
    completed: completed[0],
    outcomes: completed[0]?.attempts.map(({ outcome }) => outcome),
    row: (await gateway.logs())[0],
  };
}

const textIn = (events: ReturnType<typeof eventsIn>) =>
  events
    .filter(({ event }) => event === 'response.output_text.delta')
    .map(({ data }) => data.delta)
    .join('');

/** Every failure before the first byte that is not the client's: the second account answers as if nothing had been. */
function expectSecondAnswered(result: Awaited<ReturnType<typeof withSecondAccount>>) {
  expect(result.status).toBe(200);
  expect(textIn(result.events)).toBe(HELLO);
  expect(result.text).not.toContain('response.failed');
  expect(result.completed).toMatchObject({ status: '200', accountId: result.second.id, errorCode: null });
  expect(result.row).toMatchObject({ status: '200', account_id: result.second.id, error_code: null });
  expect(result.row.tokens).toBeGreaterThan(0);
}

describe('F1: the provider says that the usage limit is reached', () => {
  test('the second account answers and the first is out until its reset', async () => {
    const result = await withSecondAccount(usageLimitReached({ resetsInSeconds: 600 }));
    expectSecondAnswered(result);
    expect(result.outcomes).toEqual(['usage_limit', 'ok']);
    const availability = await gateway.availability(result.first.id);
    expect(availability).toMatchObject({ state: 'rate_limited' });
    expect(Date.parse(availability.until) - Date.now()).toBeGreaterThan(500_000);
  });

  test('without another account the client gets 429 with the type that Codex understands, and when it resets', async () => {
    const { status, error, headers, row } = await withOnlyAccount(usageLimitReached({ resetsInSeconds: 600 }));
    expect(status).toBe(429);
    expect(error).toMatchObject({ type: 'usage_limit_reached', code: 'rate_limit_exceeded' });
    expect(error.resets_in_seconds).toBeGreaterThan(590);
    expect(error.resets_at).toBeGreaterThan(Date.now() / 1_000);
    expect(headers.get('retry-after')).toBeNull();
    expect(row).toMatchObject({ status: '429', error_code: 'rate_limit_exceeded', tokens: null });
  });

  test('the next request is refused without asking the provider again, also after a restart', async () => {
    const { only } = await withOnlyAccount(usageLimitReached({ resetsInSeconds: 600 }));
    const asked = () => only.at.received.filter(({ path }) => path.endsWith('/codex/responses')).length;
    expect((await gateway.ask()).status).toBe(429);
    await gateway.restart();
    const response = await gateway.ask();
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { type: 'usage_limit_reached' } });
    expect(asked()).toBe(1);
  });
});

describe('F2: a 429 that does not say why', () => {
  test.each(['error', 'detail'] as const)(
    'in the shape "%s": the second answers, the first cools for a moment',
    async (shape) => {
      const result = await withSecondAccount(codeless429({ shape }));
      expectSecondAnswered(result);
      expect(result.outcomes).toEqual(['throttled', 'ok']);
      const availability = await gateway.availability(result.first.id);
      expect(['cooling', 'available']).toContain(availability.state);
      if (availability.state === 'cooling') expect(Date.parse(availability.until) - Date.now()).toBeLessThan(1_100);
    },
  );

  test('the only account is asked again after a short wait, then the client gets 429 with Retry-After', async () => {
    const { status, error, headers, outcomes } = await withOnlyAccount(codeless429({ shape: 'error' }));
    expect(status).toBe(429);
    expect(error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(outcomes?.length).toBeGreaterThan(1);
    expect(new Set(outcomes)).toEqual(new Set(['throttled']));
  });

  test('the only account answers once it has cooled', async () => {
    gateway = await gatewayFor();
    gateway.pool[0]?.at.next(codeless429({ shape: 'error' }));
    gateway.pool[0]?.at.always(textAnswer({ text: HELLO }));
    const result = await askOnce();
    expect(textIn(result.events)).toBe(HELLO);
    expect(result.outcomes).toEqual(['throttled', 'ok']);
  });
});

describe('F3: the access token is refused once', () => {
  test('it is refreshed and the same account answers', async () => {
    gateway = await gatewayFor({ accounts: 2 });
    const [first] = gateway.pool as [Pooled];
    first.at.always(textAnswer({ text: HELLO }));
    first.at.expireAccessToken();
    const result = await askOnce();
    expect(textIn(result.events)).toBe(HELLO);
    expect(result.completed).toMatchObject({ status: '200', accountId: first.id });
    expect(result.outcomes).toEqual(['unauthorized', 'ok']);
    expect(gateway.events('TokensRefreshed')).toHaveLength(1);
    expect(await gateway.availability(first.id)).toMatchObject({ state: 'available' });
  });
});

describe('F4: the refresh token is dead as well', () => {
  const breakFirst = async (accounts: number) => {
    gateway = await gatewayFor({ accounts });
    const [first, second] = gateway.pool as [Pooled, Pooled | undefined];
    second?.at.always(textAnswer({ text: HELLO }));
    first.at.expireAccessToken();
    first.at.token = { status: 401, error: 'refresh_token_reused' };
    return { first, second, ...(await askOnce()) };
  };

  test('the second account answers and the first is deactivated with a reason', async () => {
    const result = await breakFirst(2);
    expectSecondAnswered(result as Awaited<ReturnType<typeof withSecondAccount>>);
    expect(await gateway.availability(result.first.id)).toMatchObject({ state: 'deactivated' });
    const [deactivated] = gateway.events('AccountDeactivated');
    expect(deactivated?.data).toMatchObject({ accountId: result.first.id, code: 'refresh_token_reused' });
    expect(deactivated?.data.reason).toMatch(/refresh token/i);
  });

  test('without another account the client gets 503 no_accounts', async () => {
    const { status, error } = await breakFirst(1);
    expect(status).toBe(503);
    expect(error).toMatchObject({ code: 'no_accounts', type: 'server_error' });
  });
});

describe('F5: the provider fails', () => {
  test.each([
    [500, 'html'],
    [502, 'empty'],
    [503, 'json'],
    [529, 'html'],
  ] as const)('%i with a body of kind %s: the second account answers', async (status, body) => {
    const result = await withSecondAccount(serverError({ status, body }));
    expectSecondAnswered(result);
    expect(result.outcomes).toEqual(['provider_error', 'ok']);
  });

  test.each([
    [500, 'html'],
    [502, 'empty'],
  ] as const)(
    "%i with a body of kind %s and nobody else: 502 in the envelope, without the provider's page",
    async (status, body) => {
      const result = await withOnlyAccount(serverError({ status, body }));
      expect(result.status).toBe(502);
      expect(result.error).toEqual({ message: 'Upstream error', type: 'server_error', code: 'upstream_error' });
      expect(result.row).toMatchObject({ status: '502', error_code: 'upstream_error' });
    },
  );

  test('of seven accounts that all fail five are asked', async () => {
    gateway = await gatewayFor({ accounts: 7 });
    for (const { at } of gateway.pool) at.always(serverError({ status: 500, body: 'json' }));
    const { status, outcomes, completed } = await askOnce();
    expect([status, outcomes]).toEqual([502, Array(5).fill('provider_error')]);
    expect(new Set(completed?.attempts.map(({ accountId }) => accountId)).size).toBe(5);
  });

  const headThen = (status: number, ...rest: Step[]): ResponseScript => ({
    name: `${status}, never whole`,
    steps: [{ head: status, headers: { 'content-type': 'application/json' } }, ...rest],
  });

  test.each<[what: string, rest: Step[]]>([
    ['does not end', [{ bytes: '{"error":' }, { hold: true }]],
    ['has no end', Array.from({ length: 80 }, () => ({ bytes: ' '.repeat(1_000) })).concat([{ hold: true } as never])],
    ['breaks off', [{ bytes: '{"error":' }, { waitMs: 20 }, { reset: true }]],
  ])(
    'an error whose body %s is an error: the second account answers',
    async (_what, rest) => {
      const result = await withSecondAccount(headThen(500, ...rest));
      expectSecondAnswered(result);
      expect(result.outcomes).toEqual(['provider_error', 'ok']);
    },
    20_000,
  );

  test("a refusal of the request whose body breaks off is the request's own, after one attempt", async () => {
    const result = await withSecondAccount(headThen(400, { bytes: '{"error":' }, { waitMs: 20 }, { reset: true }));
    expect([result.status, result.error?.code]).toEqual([400, 'invalid_request_error']);
    expect(result.outcomes).toEqual(['request_refused']);
  });
});

describe('F6: there is no connection to the provider', () => {
  test('an account whose connection is reset is passed over', async () => {
    const result = await withSecondAccount(resetConnection());
    expectSecondAnswered(result);
    expect(result.outcomes).toEqual(['unreachable', 'ok']);
  });

  test('a closed port is 502, and the account is back after a moment', async () => {
    const closed = await closedPort();
    gateway = await gatewayFor({
      accounts: 0,
      env: { SVC_UPSTREAM_BASE_URL: `http://127.0.0.1:${closed}/backend-api` },
    });
    await gateway.importAccount(gateway.provider.addAccount());
    const result = await askOnce();
    expect(result.status).toBe(502);
    expect(result.error).toMatchObject({ code: 'upstream_error', type: 'server_error' });
    expect(result.outcomes).toEqual(['unreachable']);
  });
});

describe('F7: the first event is a failure', () => {
  test.each(['rate_limit_exceeded', 'insufficient_quota', 'server_error'])(
    '%s: the second account answers',
    async (code) => {
      const result = await withSecondAccount(failedFirst({ code }));
      expectSecondAnswered(result);
      expect(result.completed?.attempts).toHaveLength(2);
    },
  );

  test('nobody else, a limit: 429, since nothing was sent', async () => {
    const { status, error } = await withOnlyAccount(failedFirst({ code: 'insufficient_quota' }));
    expect(status).toBe(429);
    expect(error.code).toBe('rate_limit_exceeded');
  });

  test("nobody else, another failure: 502 with the provider's words", async () => {
    const { status, error } = await withOnlyAccount(
      failedFirst({ code: 'server_error', message: 'The model tripped' }),
    );
    expect(status).toBe(502);
    expect(error).toMatchObject({ code: 'server_error', message: 'The model tripped' });
  });

  test("a failure that is the request's own is passed on to a stream as it came, after one attempt", async () => {
    const { status, events, outcomes } = await withSecondAccount(failedFirst({ code: 'context_length_exceeded' }));
    expect(status).toBe(200);
    expect(events.at(-1)).toMatchObject({ event: 'response.failed' });
    expect(events.at(-1)?.data.response.error.code).toBe('context_length_exceeded');
    expect(outcomes).toHaveLength(1);
  });
});

/** After the first byte there is no other account: the stream ends in `response.failed`, the log says `error`. */
function expectBrokenOff(result: Awaited<ReturnType<typeof withSecondAccount>>, code: string) {
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
  test('F8: the connection breaks: what came is kept, then response.failed', async () => {
    const result = await withSecondAccount(cutAfter({ deltas: 2 }));
    expectBrokenOff(result, 'stream_incomplete');
    expect(textIn(result.events)).not.toBe('');
  });

  test('F9: the provider falls silent: response.failed after the idle timeout', async () => {
    const result = await withSecondAccount(silenceAfter({ events: 2 }), {
      env: { SVC_STREAM_IDLE_TIMEOUT_SECONDS: '1' },
    });
    expectBrokenOff(result, 'stream_idle_timeout');
    await vi.waitUntil(() => result.first.at.received.some(({ aborted }) => aborted), patiently);
  });

  test('F10: an event is too large: response.failed, and not a byte of it', async () => {
    const result = await withSecondAccount(oversizedEvent({ bytes: 17 * 1_048_576 }));
    expectBrokenOff(result, 'stream_event_too_large');
    expect(result.text.length).toBeLessThan(1_048_576);
  });

  test('F12: the stream ends without an ending: response.failed, never a clean end', async () => {
    const result = await withSecondAccount(endsWithoutTerminal({ deltas: 2 }));
    expectBrokenOff(result, 'stream_incomplete');
  });

  test('an error event is relayed and followed by response.failed, which Codex understands', async () => {
    const heard = Promise.withResolvers<void>();
    const script = endsOnce(heard.promise, errorEvent({ code: 'server_error', deltas: 2 }));
    const result = await withSecondAccount(script, {}, heard.resolve);
    expect(result.events.map(({ event }) => event)).toContain('error');
    expect(result.events.at(-1)).toMatchObject({ event: 'response.failed' });
    expect(result.completed).toMatchObject({ status: 'error', errorCode: 'server_error' });
  });
});

describe('F11: what the provider says about the request itself', () => {
  test.each(['detail', 'error'] as const)(
    'in the shape "%s": passed on after one attempt, the account keeps its health',
    async (shape) => {
      const result = await withSecondAccount(badRequest({ shape, code: 'context_length_exceeded' }));
      expect(result.status).toBe(400);
      expect(result.error.message).not.toBe('');
      if (shape === 'error') expect(result.error.code).toBe('context_length_exceeded');
      expect(result.outcomes).toEqual(['request_refused']);
      expect(await gateway.availability(result.first.id)).toMatchObject({ state: 'available' });
      expect(result.row).toMatchObject({ status: '400' });
    },
  );
});

describe('F12: the answer is no stream', () => {
  test('JSON instead of events: the second account answers', async () => {
    const result = await withSecondAccount(jsonInsteadOfSse());
    expectSecondAnswered(result);
    expect(result.outcomes).toEqual(['not_a_stream', 'ok']);
  });

  test('nobody else: 502', async () => {
    const { status, error } = await withOnlyAccount(jsonInsteadOfSse());
    expect(status).toBe(502);
    expect(error.code).toBe('upstream_error');
  });
});

describe('F13: however the bytes come, the client gets them as they are', () => {
  const script = () => textAnswer({ deltas: ['Grüße, ', '世界', ' 👋🏽'] });
  const straight = async () => {
    gateway = await gatewayFor();
    const [only] = gateway.pool as [Pooled];
    return only;
  };
  const idless = (text: string) =>
    text.replaceAll(/(resp|msg|item)_[A-Za-z0-9]+/g, '$1_').replaceAll(/"created_at":\d+/g, '');

  test.each([
    ['whole', {}],
    ['with CRLF', { crlf: true }],
    ['with characters cut in half', { cutMultiByte: true }],
    ['in pieces of 7 bytes', { splitEveryBytes: 7 }],
    ['byte by byte', { oneByteAtATime: true }],
    ['byte by byte with CRLF', { oneByteAtATime: true, crlf: true }],
  ])('%s', async (_name, wire) => {
    const only = await straight();
    only.at.always(chunked(script(), wire));
    const direct = await fetch(`${gateway.provider.baseUrl}/codex/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${only.at.tokens.current().accessToken}`, 'chatgpt-account-id': only.at.id },
      body: JSON.stringify(acceptable),
    });
    const expected = await direct.text();
    const through = await askOnce();
    expect(idless(through.text)).toBe(idless(expected));
    expect(through.text).toContain('世界');
    expect(through.completed?.usage?.isEstimated).toBe(false);
  });
});

describe('F14: the client hangs up', () => {
  // A provider whose answer is complete may linger for 5 s, and would be told then, too.
  const atOnce = { ...patiently, timeout: 4_000 };

  const hangUp = async (script: ResponseScript, isReady: (only: Pooled) => boolean, readsFirst: boolean) => {
    gateway = await gatewayFor();
    const [only] = gateway.pool as [Pooled];
    only.at.always(script);
    const controller = new AbortController();
    const asked = gateway.ask(acceptable, { signal: controller.signal });
    asked.catch(() => undefined);
    await vi.waitUntil(() => isReady(only), patiently);
    if (readsFirst) await (await asked).body?.getReader().read();
    controller.abort();
    await vi.waitUntil(() => gateway.events('RequestCompleted').length > 0, patiently);
    await vi.waitUntil(
      () => only.at.received.some(({ path, aborted }) => path.endsWith('/responses') && aborted),
      atOnce,
    );
    return { only, completed: gateway.events('RequestCompleted')[0]?.data };
  };
  const wasAsked = ({ at }: Pooled) => at.received.some(({ path }) => path.endsWith('/codex/responses'));

  test.each([
    ['before the first event', neverAnswers(), false],
    ['in mid-stream', silenceAfter({ events: 3 }), true],
  ])(
    '%s: the provider is told at once, the request is settled, the account is not blamed',
    async (_when, script, reads) => {
      const { only, completed } = await hangUp(script, wasAsked, reads);
      expect(completed).toMatchObject({ status: 'error', errorCode: 'client_disconnected' });
      expect(completed?.usage).toMatchObject({ isEstimated: true });
      expect(completed?.attempts.map(({ outcome }) => outcome)).toEqual(['client_gone']);
      expect(await gateway.availability(only.id)).toMatchObject({ state: 'available' });
    },
  );

  test('between two attempts: those before have failed without a word, so nothing is counted', async () => {
    gateway = await gatewayFor();
    const [only] = gateway.pool as [Pooled];
    only.at.always(codeless429());
    const controller = new AbortController();
    gateway.ask(acceptable, { signal: controller.signal }).catch(() => undefined);
    await vi.waitUntil(() => wasAsked(only) && only.at.inFlight === 0, patiently);
    controller.abort();
    await vi.waitUntil(() => gateway.events('RequestCompleted').length > 0, patiently);
    expect(gateway.events('RequestCompleted')[0]?.data).toMatchObject({
      errorCode: 'client_disconnected',
      usage: null,
      attempts: [{ outcome: 'throttled' }],
    });
  });
});

function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
