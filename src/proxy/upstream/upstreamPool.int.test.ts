import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { certificate } from '../../../test/support/certificate.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { HeaderBlock } from '../../http/wire/headers.ts';
import { createPlainUpstreamPool } from './plain/plainUpstreamPool.ts';
import { createUndiciUpstreamPool } from './undici/undiciUpstreamPool.ts';
import {
  nextTurn,
  OK,
  type ProviderConnection,
  respondingWith,
  send,
  upstreamFixture,
} from './upstreamFixture.support.ts';

// The contract of `UpstreamPool`, for both implementations.

describe.each([
  ['plain', createPlainUpstreamPool],
  ['undici', createUndiciUpstreamPool],
])('%s', (_name, createPool) => {
  const startProvider = upstreamFixture(createPool);

  describe('a request', () => {
    test('arrives with its head and its pieces', async () => {
      const { pool, connections, port } = await startProvider(
        ({ socket, received }) => received.endsWith('"b"}') && socket.write(OK),
      );
      const body = [Buffer.from('{"a":'), Buffer.from('"b"}')];
      const headers = ['accept', 'text/event-stream', 'x-two', 'w\u00f6rld'];
      expect(await send(pool(), body, headers).ended).toMatchObject({ status: 200, body: 'ok' });
      const [head = '', sent] = connections[0]?.received.split('\r\n\r\n') ?? [];
      const [line, ...fields] = head.split('\r\n');
      expect([line, sent]).toEqual(['POST /responses HTTP/1.1', '{"a":"b"}']);
      expect(fields.filter((field) => field !== 'connection: keep-alive')).toEqual([
        `host: 127.0.0.1:${port}`,
        'accept: text/event-stream',
        'x-two: w\u00f6rld',
        'content-length: 9',
      ]);
    });

    test('carries the shared headers before its own', async () => {
      let received = '';
      const { pool } = await startProvider((connection) => {
        received ||= connection.received;
        respondingWith(OK)(connection);
      });
      const shared = [new HeaderBlock(['authorization', 'Bearer a', 'chatgpt-account-id', 'b'])];
      await new Promise<void>((resolve, reject) => {
        const listener = { onHead: () => undefined, onBody: () => undefined, onEnd: resolve, onError: reject };
        pool().send({ path: '/', shared, headers: ['accept', 'c'], body: [] }, listener);
      });
      expect(received).toContain('\r\nauthorization: Bearer a\r\nchatgpt-account-id: b\r\naccept: c\r\n');
    });

    test('with an empty body has Content-Length 0', async () => {
      const { pool, connections } = await startProvider(
        ({ socket, received }) => received.endsWith('\r\n\r\n') && socket.write(OK),
      );
      expect(await send(pool(), []).ended).toMatchObject({ body: 'ok' });
      expect(connections[0]?.received).toContain('content-length: 0\r\n');
    });

    test('of several megabytes arrives unchanged while others are written', async () => {
      const sizes: number[] = [];
      const { pool } = await startProvider(({ socket, received }) => {
        const [head = '', rest = ''] = received.split('\r\n\r\n');
        const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
        if (rest.length !== length || new Set(rest).size !== 1) return;
        sizes.push(length);
        socket.write(OK);
      });
      const shared = pool();
      const lengths = [5_000_000, 100_000, 120_000, 130_000, 3_000_000, 7];
      const sent = lengths.map((length, index) => send(shared, [Buffer.alloc(length, 97 + index)]));
      await Promise.all(sent.map(({ ended }) => ended));
      expect(sizes.sort((a, b) => a - b)).toEqual(lengths.sort((a, b) => a - b));
    });

    test('that is forwarded while it arrives is sent in chunks', async () => {
      const { pool, connections } = await startProvider(
        ({ socket, received }) => received.endsWith('0\r\n\r\n') && socket.write(OK),
      );
      async function* body() {
        yield Buffer.from('hello');
        yield Buffer.alloc(0);
        yield Buffer.from(', world of chunks');
      }
      await send(pool(), body()).ended;
      expect(connections[0]?.received).toMatch(
        /transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n11\r\n, world of chunks\r\n0\r\n\r\n$/,
      );
    });

    test('forwards a body no faster than the provider reads it', async () => {
      const { pool } = await startProvider(({ socket }) => socket.pause());
      const piece = Buffer.alloc(1_048_576, 'x');
      let sent = 0;
      async function* body() {
        for (; sent < 256; sent++) yield piece;
      }
      const { control } = send(pool(), body());
      let before = -1;
      await vi.waitUntil(
        () => {
          const isStalled = before === sent && sent > 0;
          before = sent;
          return isStalled;
        },
        { timeout: 10_000, interval: 200 },
      );
      expect(sent).toBeLessThan(256);
      control.abort();
    });

    test('fails when its body breaks off, and the provider sees no end of it', async () => {
      const { pool, connections } = await startProvider(() => undefined);
      async function* body() {
        yield Buffer.from('hello');
        throw new Error('the client disconnected');
      }
      await expect(send(pool(), body()).ended).rejects.toThrow('the client disconnected');
      await vi.waitUntil(() => connections[0]?.isClosed, waitOptions);
      expect(connections[0]?.received).not.toContain('0\r\n\r\n');
    });

    test('that is aborted in the same turn is never written', async () => {
      let requests = 0;
      const { pool } = await startProvider(({ socket }) => {
        requests += 1;
        socket.write(OK);
      });
      const shared = pool();
      await send(shared).ended;
      await nextTurn();
      const { control, recorded } = send(shared);
      control.abort();
      await send(shared).ended;
      expect({ requests, outcome: recorded.outcome }).toEqual({ requests: 2, outcome: 'none' });
    });
  });

  describe('a connection', () => {
    test('serves one request after the other', async () => {
      const { pool, connections } = await startProvider(respondingWith(OK));
      const shared = pool();
      for (let turn = 0; turn < 5; turn++) {
        await send(shared).ended;
        await nextTurn();
      }
      expect(connections).toHaveLength(1);
    });

    test('serves one request at a time', async () => {
      const { pool, connections } = await startProvider(respondingWith(OK));
      const shared = pool();
      await Promise.all(Array.from({ length: 5 }, () => send(shared).ended));
      expect(connections).toHaveLength(5);
      await nextTurn();
      await Promise.all(Array.from({ length: 5 }, () => send(shared).ended));
      expect(connections).toHaveLength(5);
    });

    test.each([
      ['the provider sends Connection: close', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
      [
        'the provider keeps it open for only a second',
        'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok',
      ],
      ['bytes followed the response', `${OK}HTTP/1.1 200 OK\r\n`],
    ])('is not reused when %s', async (_when, response) => {
      const { pool, connections } = await startProvider(respondingWith(response));
      const shared = pool();
      for (let turn = 0; turn < 2; turn++) {
        expect(await send(shared).ended).toMatchObject({ body: 'ok' });
        await nextTurn();
      }
      expect(connections).toHaveLength(2);
    });

    test('that the provider closes while it is idle is not reused', async () => {
      const { pool, connections } = await startProvider(respondingWith(OK));
      const shared = pool();
      await send(shared).ended;
      connections[0]?.socket.end();
      await vi.waitUntil(() => connections[0]?.isClosed, waitOptions);
      expect(await send(shared).ended).toMatchObject({ body: 'ok' });
      expect(connections).toHaveLength(2);
    });

    test('is closed when unsolicited bytes arrive', async () => {
      const { pool, connections } = await startProvider(respondingWith(OK));
      const shared = pool();
      await send(shared).ended;
      await nextTurn();
      connections[0]?.socket.write(OK);
      await vi.waitUntil(() => connections[0]?.isClosed, waitOptions);
      expect(await send(shared).ended).toMatchObject({ body: 'ok' });
    });

    test('is closed after the idle time', async () => {
      const { pool, connections } = await startProvider(respondingWith(OK));
      await send(pool({ idleMs: 40 })).ended;
      await vi.waitUntil(() => connections[0]?.isClosed, waitOptions);
    });

    test('is not reused when the response came before all of the request was sent', async () => {
      const { pool, connections } = await startProvider(({ socket, received }) => {
        if (received.includes('first')) socket.write(OK);
      });
      const held = Promise.withResolvers<void>();
      async function* body() {
        yield Buffer.from('first');
        await held.promise;
        yield Buffer.from('second');
      }
      expect(await send(pool(), body()).ended).toMatchObject({ body: 'ok' });
      await vi.waitUntil(() => connections[0]?.isClosed, waitOptions);
      held.resolve();
      expect(connections[0]?.received).not.toContain('second');
    });
  });

  describe('a request fails', () => {
    const partial = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhell';
    test.each<[what: string, onBytes: (connection: ProviderConnection) => void, message: RegExp]>([
      ['resets the connection', ({ socket }) => socket.resetAndDestroy(), /ECONNRESET/],
      ['closes without a response', ({ socket }) => socket.end(), /the provider closed the connection/],
      ['closes in the middle of its response', ({ socket }) => socket.end(partial), /the provider closed|aborted/],
      ['speaks another protocol', ({ socket }) => socket.write('SSH-2.0-x\r\n\r\n'), /HTTP\/1\.1/],
    ])('when the provider %s, and the next one gets another connection', async (_what, onBytes, message) => {
      let isFirst = true;
      const { pool } = await startProvider((connection) => {
        if (!isFirst) return respondingWith(OK)(connection);
        isFirst = false;
        onBytes(connection);
      });
      const shared = pool();
      await expect(send(shared).ended).rejects.toThrow(message);
      expect(await send(shared).ended).toMatchObject({ body: 'ok' });
    });

    test.each([
      ['a TLS alert', '\x15\x03\x01\x00\x02\x02\x46'],
      ['a head that ends its lines with LF only', 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok'],
      ['status 000', 'HTTP/1.1 000 OK\r\ncontent-length: 2\r\n\r\nok'],
      ['status 099', 'HTTP/1.1 099 OK\r\ncontent-length: 2\r\n\r\nok'],
      ['binary', '\x00\xff\x01\x80'],
      ['a page without a head', '<html><body>502</body></html>\n'],
    ])('at once when the provider sends %s', async (_what, response) => {
      const { pool, connections } = await startProvider(({ socket }) => socket.write(response, 'latin1'));
      await expect(send(pool()).ended).rejects.toThrow();
      await vi.waitUntil(() => connections[0]?.isClosed, waitOptions);
    });

    test.each([
      ['a chunk extension', '2;a=\0b\r\nok\r\n0\r\n\r\n'],
      ['a trailer', '2\r\nok\r\n0\r\na: \0\r\n\r\n'],
    ])('when %s holds NUL', async (_what, chunks) => {
      const response = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`;
      const { pool } = await startProvider(({ socket }) => socket.write(response, 'latin1'));
      await expect(send(pool()).ended).rejects.toThrow();
    });

    test('when the provider does not listen', async () => {
      const { pool, server } = await startProvider(() => undefined);
      const shared = pool();
      server.close();
      await once(server, 'close');
      await expect(send(shared).ended).rejects.toThrow(/ECONNREFUSED/);
      server.listen(0);
    });

    test('when connecting takes too long', async () => {
      // The provider does not respond to a TLS handshake.
      const { pool, port } = await startProvider(() => undefined);
      const shared = pool({ origin: new URL(`https://127.0.0.1:${port}`), connectTimeoutMs: 30 });
      await expect(send(shared).ended).rejects.toThrow(/no connection to 127\.0\.0\.1:\d+ within 30 ms/);
    });

    test('when the pool is destroyed', async () => {
      const { pool, connections } = await startProvider(() => undefined);
      const shared = pool();
      const { ended } = send(shared);
      await vi.waitUntil(() => connections[0]?.received, waitOptions);
      shared.destroy();
      await expect(ended).rejects.toThrow('the connection was closed');
    });
  });

  describe('a response', () => {
    test('has its headers by lower-case name, repeated ones joined', async () => {
      const { pool } = await startProvider(
        respondingWith('HTTP/1.1 429 No\r\nRetry-After: 7\r\nX-One: a\r\nx-one: b\u00e9\r\ncontent-length: 0\r\n\r\n'),
      );
      const found = await new Promise((resolve, reject) => {
        const listener = { onBody: () => undefined, onEnd: () => undefined, onError: reject };
        const onHead = (status: number, headers: { get(name: string): string | undefined }) =>
          resolve([status, ...['retry-after', 'x-one', 'x-three'].map((name) => headers.get(name))]);
        pool().send({ path: '/', headers: [], body: [] }, { ...listener, onHead });
      });
      expect(found).toEqual([429, '7', 'a, b\u00e9', undefined]);
    });

    test('may follow early hints, which are skipped', async () => {
      const { pool } = await startProvider(respondingWith(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`));
      expect(await send(pool()).ended).toMatchObject({ status: 200, body: 'ok' });
    });

    test('in chunks is delivered without their framing', async () => {
      const { pool } = await startProvider(
        respondingWith('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n1;a=b\r\n!\r\n0\r\n\r\n'),
      );
      expect(await send(pool()).ended).toMatchObject({ body: 'hello!' });
    });

    test('without a length ends with its connection', async () => {
      const { pool } = await startProvider(({ socket }) => socket.end('HTTP/1.1 200 OK\r\n\r\nthe complete body'));
      expect(await send(pool()).ended).toMatchObject({ body: 'the complete body' });
    });
  });

  test('makes the provider wait during a pause and delivers the rest afterwards', async () => {
    const size = 64 * 1_048_576;
    let sent = 0;
    const { pool } = await startProvider(async ({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
      const piece = Buffer.alloc(65_536, 'x');
      while (sent < size) {
        sent += piece.length;
        if (!socket.write(piece)) await once(socket, 'drain');
      }
    });
    const { control, ended, recorded, firstPiece } = send(pool());
    await firstPiece();
    control.pause();
    expect(control.isPaused).toBe(true);
    // Bytes in flight fill the buffers of both ends; then nothing moves any more.
    let before = -1;
    await vi.waitUntil(
      () => {
        const isStalled = before === sent;
        before = sent;
        return isStalled;
      },
      { timeout: 10_000, interval: 100 },
    );
    expect(sent).toBeLessThan(size);
    const received = recorded.body.length;
    control.resume();
    expect((await ended).body).toHaveLength(size);
    expect(received).toBeLessThan(size);
  });

  test('lets a listener pause and resume from its own callbacks', async () => {
    const { pool } = await startProvider(
      respondingWith('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n2\r\nef\r\n0\r\n\r\n'),
    );
    let body = '';
    await new Promise<void>((resolve, reject) => {
      const control = pool().send(
        { path: '/', headers: [], body: [] },
        {
          onHead: () => undefined,
          onBody: (bytes) => {
            body += bytes.toString();
            control.pause();
            if (body.length === 2) control.resume();
            else setTimeout(() => control.resume(), 1);
          },
          onEnd: resolve,
          onError: reject,
        },
      );
    });
    expect(body).toBe('abcdef');
  });

  test('closes the connection of an aborted request and does not call its listener again', async () => {
    const { pool, connections } = await startProvider(({ socket }) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhell'),
    );
    const { control, recorded, firstPiece } = send(pool());
    await firstPiece();
    control.abort();
    await vi.waitUntil(() => connections[0]?.isClosed, waitOptions);
    expect(recorded).toEqual({ status: 200, body: 'hell', pieces: 1, outcome: 'none' });
  });

  test('keeps the connection for the next request when one is aborted after its end', async () => {
    const { pool, connections } = await startProvider(respondingWith(OK));
    const shared = pool();
    const first = send(shared);
    await first.ended;
    await nextTurn();
    const second = send(shared);
    first.control.abort();
    first.control.pause();
    first.control.resume();
    expect(await second.ended).toMatchObject({ body: 'ok' });
    expect(connections).toHaveLength(1);
  });

  describe('over TLS', () => {
    test('behaves the same, and HTTP/2 is not offered', async () => {
      const { pool, connections } = await startProvider(respondingWith(OK), { isSecure: true });
      const shared = pool({ ca: certificate.cert });
      for (let turn = 0; turn < 3; turn++) {
        expect(await send(shared).ended).toMatchObject({ body: 'ok' });
        await nextTurn();
      }
      expect(connections).toHaveLength(1);
      expect(connections[0]?.socket.alpnProtocol).toBe('http/1.1');
      await Promise.all(Array.from({ length: 20 }, () => send(shared, [Buffer.alloc(200_000, 'x')]).ended));
    });

    test('sends nothing to a provider with an untrusted certificate', async () => {
      const { pool, connections } = await startProvider(respondingWith(OK), { isSecure: true });
      await expect(send(pool()).ended).rejects.toThrow(/certificate/);
      expect(connections.every(({ received }) => received === '')).toBe(true);
    });
  });
});
