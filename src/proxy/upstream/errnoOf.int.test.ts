import { describe, expect, test } from 'vitest';
import { errnoOf } from './errnoOf.ts';
import { createPlainUpstreamPool } from './plain/plainUpstreamPool.ts';
import { createUndiciUpstreamPool } from './undici/undiciUpstreamPool.ts';
import { send, upstreamFixture } from './upstreamFixture.support.ts';

describe.each([
  ['plain', createPlainUpstreamPool],
  ['undici', createUndiciUpstreamPool],
])('%s', (_name, createPool) => {
  const startProvider = upstreamFixture(createPool);
  const failureOf = (sent: ReturnType<typeof send>) =>
    sent.ended.then(
      () => undefined,
      (error) => errnoOf(error),
    );

  test.each<[what: string, respond: Parameters<typeof startProvider>[0], errno: string]>([
    ['a reset', ({ socket }) => socket.resetAndDestroy(), 'ECONNRESET'],
    ['an end before the response', ({ socket }) => socket.end(), 'ECONNRESET'],
    [
      'an end within the body',
      ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'),
      'ECONNRESET',
    ],
    ['bytes that are not HTTP', ({ socket }) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'), 'EPROTO'],
  ])('names %s', async (_what, respond, errno) => {
    const { pool } = await startProvider(respond);
    expect(await failureOf(send(pool()))).toBe(errno);
  });

  test('names a closed port, and one of two addresses', async () => {
    const { server, port, pool } = await startProvider(() => undefined);
    const closed = pool({ origin: new URL(`http://127.0.0.1:${port}`) });
    const both = pool({ origin: new URL(`http://localhost:${port}`) });
    await new Promise((resolve) => server.close(resolve));
    expect([await failureOf(send(closed)), await failureOf(send(both))]).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
  });

  test('names a connection that does not open in time', async () => {
    const { port, pool } = await startProvider(() => undefined);
    const slow = pool({ origin: new URL(`https://127.0.0.1:${port}`), connectTimeoutMs: 50 });
    expect(await failureOf(send(slow))).toBe('ETIMEDOUT');
  });

  test('names a certificate that is not trusted', async () => {
    const { pool } = await startProvider(() => undefined, { isSecure: true });
    expect(await failureOf(send(pool()))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  });
});

describe('an error without a name', () => {
  test.each([
    ['a text as its code', Object.assign(new Error('x'), { code: 'connect to 10.0.0.7 failed' })],
    ['a number as its code', Object.assign(new Error('x'), { code: 104 })],
    ['a code of any length', Object.assign(new Error('x'), { code: 'E'.repeat(100) })],
    ['only a message', new Error('connect ECONNREFUSED 10.0.0.7:443')],
    ['nothing', undefined],
  ])('with %s gives nothing', (_what, error) => expect(errnoOf(error)).toBeUndefined());

  test('that is its own cause gives nothing', () => {
    const error: Error & { cause?: unknown } = new Error('x');
    error.cause = error;
    expect(errnoOf(error)).toBeUndefined();
  });
});
