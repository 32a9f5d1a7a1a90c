import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { ProxyFailure } from '../../provider/outgoingProxy/proxyFailure.ts';
import { createPlainUpstreamPool } from './plain/plainUpstreamPool.ts';
import { createUndiciUpstreamPool } from './undici/undiciUpstreamPool.ts';
import { nextTurn, OK, respondingWith, send, upstreamFixture } from './upstreamFixture.support.ts';

// Both pools with connections that something else opens: a proxy.

describe.each([
  ['plain', createPlainUpstreamPool],
  ['undici', createUndiciUpstreamPool],
] as const)('%s', (name, createPool) => {
  const startProvider = upstreamFixture(createPool);

  /** A provider, and an opener that waits for `release`. */
  async function startOpener(onBytes = respondingWith(OK)) {
    const provider = await startProvider(onBytes);
    const waiting: { resolve: (socket: Socket) => void; reject: (error: Error) => void; signal: AbortSignal }[] = [];
    const openConnection = (signal: AbortSignal) =>
      new Promise<Socket>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        waiting.push({ resolve, reject, signal });
      });
    const pool = provider.pool({ openConnection });
    const opened: Socket[] = [];
    return {
      provider,
      pool,
      waiting,
      opened,
      async release() {
        await vi.waitUntil(() => waiting.length > 0);
        const socket = connect(provider.port, '127.0.0.1').on('error', () => undefined);
        await once(socket, 'connect');
        opened.push(socket);
        waiting.shift()?.resolve(socket);
      },
    };
  }

  test('sends a request once its connection is open, and reuses the connection', async () => {
    const { pool, waiting, release, provider } = await startOpener();
    const first = send(pool);
    await nextTurn();
    expect(provider.connections).toHaveLength(0);
    await release();
    expect((await first.ended).body).toBe('ok');
    await nextTurn();
    expect((await send(pool).ended).body).toBe('ok');
    expect([provider.connections.length, waiting.length]).toEqual([1, 0]);
  });

  test('sends a body that is forwarded while it arrives', async () => {
    async function* body() {
      yield Buffer.from('ab');
      await nextTurn();
      yield Buffer.from('c');
    }
    const { pool, release, provider } = await startOpener(({ socket, received }) => {
      if (received.endsWith('0\r\n\r\n')) socket.write(OK);
    });
    const request = send(pool, body());
    await release();
    await request.ended;
    expect(provider.connections[0]?.received).toContain('2\r\nab\r\n1\r\nc\r\n0\r\n\r\n');
  });

  test('fails the request with what the opener throws', async () => {
    const { pool, waiting } = await startOpener();
    const failure = new ProxyFailure('proxy_refused', 'proxy.test:1', 'does not allow it');
    const request = send(pool);
    await vi.waitUntil(() => waiting.length > 0);
    waiting.shift()?.reject(failure);
    await expect(request.ended).rejects.toBe(failure);
  });

  test('an abort while the connection is opened sends nothing', async () => {
    const { pool, waiting, release, provider } = await startOpener();
    const request = send(pool);
    await vi.waitUntil(() => waiting.length > 0);
    request.control.abort();
    if (name === 'plain') expect(waiting[0]?.signal.aborted).toBe(true);
    else await release();
    await nextTurn();
    expect(request.recorded.outcome).toBe('none');
    expect(provider.connections.map(({ received }) => received).join('')).toBe('');
  });

  test('a pause before the connection is open holds the response back', async () => {
    const { pool, release, provider } = await startOpener();
    const request = send(pool);
    request.control.pause();
    await release();
    await vi.waitUntil(() => (provider.connections[0]?.received ?? '') === '' && provider.connections.length > 0);
    await nextTurn();
    expect(request.recorded.body).toBe('');
    request.control.resume();
    expect((await request.ended).body).toBe('ok');
  });

  test('a pool that is closed finishes its requests, then closes its connections', async () => {
    const { pool, release, opened } = await startOpener();
    const open = send(pool);
    pool.close();
    await release();
    expect((await open.ended).body).toBe('ok');
    await vi.waitUntil(() => opened[0]?.destroyed, waitOptions);
  });

  test('a pool that is closed closes its idle connections', async () => {
    const { pool, release, opened } = await startOpener();
    const request = send(pool);
    await release();
    await request.ended;
    await nextTurn();
    pool.close();
    await vi.waitUntil(() => opened[0]?.destroyed, waitOptions);
  });

  test('destroying the pool fails a request whose connection is being opened', async () => {
    const { pool, waiting } = await startOpener();
    const request = send(pool);
    await vi.waitUntil(() => waiting.length > 0);
    pool.destroy();
    await expect(request.ended).rejects.toThrow('the connection was closed');
  });

  test('a request whose kept connection was closed gets a new one through the opener', async () => {
    const { pool, release, provider, waiting } = await startOpener();
    const first = send(pool);
    await release();
    await first.ended;
    await nextTurn();
    provider.connections[0]?.socket.resetAndDestroy();
    const second = send(pool);
    await release();
    expect((await second.ended).body).toBe('ok');
    expect([provider.connections.length, waiting.length]).toEqual([2, 0]);
  });
});
