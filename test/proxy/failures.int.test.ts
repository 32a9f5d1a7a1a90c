import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { expectSecondAccountResponds, failures } from '../support/failures.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  connectionReset,
  failureAsFirstEvent,
  notAStream,
  type ResponseScript,
  requestRefused,
  type Step,
  serverError,
} from '../support/provider/scripts.ts';

// Failures before the first byte (docs/provider.md#failure-classes): the client's response, the log and the account's
// availability.

let gateway: Gateway;
const { start, askOnce, withSecondAccount, withOnlyAccount } = failures((started) => {
  gateway = started;
});

describe('server-error: the provider fails', () => {
  test.each([
    [500, 'html'],
    [502, 'empty'],
    [503, 'json'],
    [529, 'html'],
  ] as const)('uses the second account after %i with body: %s', async (status, body) => {
    const result = await withSecondAccount(serverError({ status, body }));
    expectSecondAccountResponds(result);
    expect(result.outcomes).toEqual(['provider_error', 'ok']);
  });

  test.each([
    [500, 'html'],
    [502, 'empty'],
  ] as const)('responds with 502 and without the page of the provider after %i with body: %s', async (status, body) => {
    const result = await withOnlyAccount(serverError({ status, body }));
    expect(result.status).toBe(502);
    expect(result.error).toEqual({ message: 'Upstream error', type: 'server_error', code: 'upstream_error' });
    expect(result.row).toMatchObject({ status: '502', error_code: 'upstream_error' });
  });

  test('tries at most five of seven failing accounts', async () => {
    await start({ accounts: 7 });
    for (const { at } of gateway.pool) at.always(serverError({ status: 500, body: 'json' }));
    const { status, outcomes, completed } = await askOnce();
    expect([status, outcomes]).toEqual([502, Array(5).fill('provider_error')]);
    expect(new Set(completed?.attempts.map(({ accountId }) => accountId)).size).toBe(5);
  });

  const headThen = (status: number, ...rest: Step[]): ResponseScript => ({
    name: `${status}, incomplete`,
    steps: [{ head: status, headers: { 'content-type': 'application/json' } }, ...rest],
  });

  test.each<[what: string, rest: Step[]]>([
    ['does not end', [{ bytes: '{"error":' }, { hold: true }]],
    ['has no end', Array.from({ length: 80 }, () => ({ bytes: ' '.repeat(1_000) })).concat([{ hold: true } as never])],
    ['breaks off', [{ bytes: '{"error":' }, { waitMs: 20 }, { reset: true }]],
  ])(
    'uses the second account after an error whose body %s',
    async (_what, rest) => {
      const result = await withSecondAccount(headThen(500, ...rest));
      expectSecondAccountResponds(result);
      expect(result.outcomes).toEqual(['provider_error', 'ok']);
    },
    20_000,
  );

  test('relays a refusal of the request whose body breaks off, after one attempt', async () => {
    const result = await withSecondAccount(headThen(400, { bytes: '{"error":' }, { waitMs: 20 }, { reset: true }));
    expect([result.status, result.error?.code]).toEqual([400, 'invalid_request_error']);
    expect(result.outcomes).toEqual(['request_refused']);
  });
});

describe('unreachable: the provider is unreachable', () => {
  test('uses the second account after a connection reset', async () => {
    const result = await withSecondAccount(connectionReset());
    expectSecondAccountResponds(result);
    expect(result.outcomes).toEqual(['unreachable', 'ok']);
  });

  test('responds with 502 when the port is closed', async () => {
    const closed = await closedPort();
    await start({
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

describe('failure-as-first-event: the first event reports a failure', () => {
  test.each(['rate_limit_exceeded', 'insufficient_quota', 'server_error'])(
    'uses the second account after %s',
    async (code) => {
      const result = await withSecondAccount(failureAsFirstEvent({ code }));
      expectSecondAccountResponds(result);
      expect(result.completed?.attempts).toHaveLength(2);
    },
  );

  test('responds with 429 to a limit without another account', async () => {
    const { status, error } = await withOnlyAccount(failureAsFirstEvent({ code: 'insufficient_quota' }));
    expect(status).toBe(429);
    expect(error.code).toBe('rate_limit_exceeded');
  });

  test('responds with 502 and the message of the provider to any other failure', async () => {
    const { status, error } = await withOnlyAccount(
      failureAsFirstEvent({ code: 'server_error', message: 'The model tripped' }),
    );
    expect(status).toBe(502);
    expect(error).toMatchObject({ code: 'server_error', message: 'The model tripped' });
  });

  test('relays a failure of the request itself into the stream, after one attempt', async () => {
    const { status, events, outcomes } = await withSecondAccount(
      failureAsFirstEvent({ code: 'context_length_exceeded' }),
    );
    expect(status).toBe(200);
    expect(events.at(-1)).toMatchObject({ event: 'response.failed' });
    expect(events.at(-1)?.data.response.error.code).toBe('context_length_exceeded');
    expect(outcomes).toHaveLength(1);
  });
});

describe('request-refused: the provider rejects the request', () => {
  test.each(['detail', 'error'] as const)(
    'relays an error of shape "%s" after one attempt and spares the account',
    async (shape) => {
      const result = await withSecondAccount(requestRefused({ shape, code: 'context_length_exceeded' }));
      expect(result.status).toBe(400);
      expect(result.error.message).not.toBe('');
      if (shape === 'error') expect(result.error.code).toBe('context_length_exceeded');
      expect(result.outcomes).toEqual(['request_refused']);
      expect(await gateway.availability(result.first.id)).toMatchObject({ state: 'available' });
      expect(result.row).toMatchObject({ status: '400' });
    },
  );
});

describe('not-a-stream: the response is not a stream', () => {
  test('uses the second account after JSON instead of events', async () => {
    const result = await withSecondAccount(notAStream());
    expectSecondAccountResponds(result);
    expect(result.outcomes).toEqual(['not_a_stream', 'ok']);
  });

  test('responds with 502 without another account', async () => {
    const { status, error } = await withOnlyAccount(notAStream());
    expect(status).toBe(502);
    expect(error.code).toBe('upstream_error');
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
