import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate } from '../support/certificate.ts';
import { failures } from '../support/failures.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  accessTokenRefused,
  connectionReset,
  endDelayedUntil,
  failureAfterText,
  failureAsFirstEvent,
  noResponse,
  notAStream,
  type ResponseScript,
  requestRefused,
  serverError,
  streamCut,
  streamSilent,
  terminalEventMissing,
  throttled,
} from '../support/provider/scripts.ts';

// What the log keeps of a failed attempt: the provider's status and the name of the system's error, never a library's text.

let gateway: Gateway;
const { start, askOnce, withOnlyAccount } = failures((started) => {
  gateway = started;
});

const lastAttempt = ({ completed }: Pick<Awaited<ReturnType<typeof askOnce>>, 'completed'>) => {
  const { outcome, code, providerStatus, errno } = completed?.attempts.at(-1) ?? {};
  return { outcome, code, providerStatus, errno };
};

const idle = { env: { SVC_STREAM_IDLE_TIMEOUT_SECONDS: '1' } };

describe('an attempt that failed', () => {
  test.each<[what: string, script: ResponseScript, expected: Record<string, unknown>, options?: typeof idle]>([
    ['with 500', serverError({ status: 500, body: 'html' }), { outcome: 'provider_error', providerStatus: 500 }],
    ['with 529', serverError({ status: 529, body: 'json' }), { outcome: 'provider_error', providerStatus: 529 }],
    ['with 400', requestRefused({ shape: 'error', code: 'c' }), { outcome: 'request_refused', providerStatus: 400 }],
    ['with 200 and JSON', notAStream(), { outcome: 'not_a_stream', providerStatus: 200 }],
    [
      'by its first event',
      failureAsFirstEvent({ code: 'server_error' }),
      { outcome: 'provider_error', code: 'server_error', providerStatus: 200 },
    ],
    [
      "by an event about the client's request",
      failureAfterText({ code: 'context_length_exceeded' }),
      { outcome: 'request_refused', code: 'context_length_exceeded', providerStatus: 200 },
    ],
    ['by a reset', connectionReset(), { outcome: 'unreachable', errno: 'ECONNRESET' }],
    ['by a reset in the stream', streamCut(), { outcome: 'cut', providerStatus: 200, errno: 'ECONNRESET' }],
    ['by an end without a terminal event', terminalEventMissing(), { outcome: 'cut', providerStatus: 200 }],
    ['by silence', noResponse(), { outcome: 'idle', errno: 'ETIMEDOUT' }, idle],
    ['by silence in the stream', streamSilent(), { outcome: 'idle', providerStatus: 200, errno: 'ETIMEDOUT' }, idle],
  ])('%s keeps status and errno', async (_what, script, expected, options = { env: {} as never }) => {
    const result = await withOnlyAccount(script, Object.keys(options.env).length > 0 ? options : {});
    expect(lastAttempt(result)).toMatchObject(expected);
    expect(lastAttempt(result).providerStatus).toBe(expected.providerStatus);
    expect(lastAttempt(result).errno).toBe(expected.errno);
  });

  test.each([
    ['the provider', 'server_error', 'failed_event'],
    ['the client', 'context_length_exceeded', 'request_refused'],
  ])('by an event after a part of the answer is the fault of %s', async (_whose, code, outcome) => {
    await start();
    const begun = Promise.withResolvers<void>();
    gateway.pool[0]?.at.always(endDelayedUntil(begun.promise, failureAfterText({ code })));
    const result = await askOnce(begun.resolve);
    expect(result.events.length).toBeGreaterThan(2);
    expect(lastAttempt(result)).toEqual({ outcome, code, providerStatus: 200, errno: undefined });
  });

  test('with 429 keeps its status', async () => {
    const result = await withOnlyAccount(throttled({ retryAfter: 30 }));
    expect(lastAttempt(result)).toMatchObject({ outcome: 'throttled', providerStatus: 429 });
  });

  test('with 401 keeps its status, also before its repetition', async () => {
    const { completed } = await withOnlyAccount(accessTokenRefused());
    expect(completed?.attempts.map(({ outcome, providerStatus }) => [outcome, providerStatus])).toEqual([
      ['unauthorized', 401],
      ['unauthorized', 401],
    ]);
  });

  test('at a closed port keeps ECONNREFUSED', async () => {
    expect(lastAttempt(await askAt(`http://127.0.0.1:${await closedPort()}`))).toMatchObject({
      outcome: 'unreachable',
      errno: 'ECONNREFUSED',
    });
  });

  test('at a host without an address keeps the error of the resolver', async () => {
    const { errno } = lastAttempt(await askAt('http://svc-test.invalid'));
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(errno);
  });

  test('at a server with another certificate keeps the code of TLS', async () => {
    const port = await portOf(createTlsServer(certificate));
    expect(lastAttempt(await askAt(`https://localhost:${port}`)).errno).toMatch(/^[A-Z_]*(CERT|SIGNATURE)[A-Z_]*$/);
  });

  test('at a server that does not speak HTTP keeps EPROTO', async () => {
    const port = await portOf(createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n')));
    expect(lastAttempt(await askAt(`http://127.0.0.1:${port}`))).toMatchObject({ errno: 'EPROTO' });
  });
});

test('an attempt after a wait for the only account keeps how long it waited', async () => {
  await start();
  gateway.pool[0]?.at.next(throttled({ retryAfter: 1 }));
  const { completed } = await askOnce();
  expect(completed?.attempts.map(({ outcome }) => outcome)).toEqual(['throttled', 'ok']);
  const [first, second] = completed?.attempts ?? [];
  expect(first?.waitedMs).toBeUndefined();
  expect(second?.waitedMs).toBeGreaterThan(100);
  // A timer may fire a millisecond early, and the rest is waited for as well.
  expect(second?.waitedMs).toBeLessThan(1_100);
});

test('an attempt that succeeded has neither status nor errno', async () => {
  await start();
  expect(lastAttempt(await askOnce())).toEqual({ outcome: 'ok' });
});

test('the event of a failed request contains no text of the system or a library', async () => {
  await askAt(`http://127.0.0.1:${await closedPort()}`);
  expect(JSON.stringify(gateway.events('RequestCompleted')[0]?.data)).not.toMatch(/connect|127\.0\.0\.1/);
});

/** Asks once while the provider of model requests is at another origin. */
async function askAt(origin: string) {
  await start({ accounts: 0, env: { SVC_UPSTREAM_BASE_URL: `${origin}/backend-api` } });
  await gateway.importAccount(gateway.provider.addAccount());
  return askOnce();
}

async function portOf(server: Server): Promise<number> {
  server.on('connection', (socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
