import { Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { certificate } from '../../../test/support/certificate.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
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

// The contract of `UpstreamPool` about kept connections, which the provider may close at any time, for both implementations.

afterEach(() => {
  vi.restoreAllMocks();
});

/** Calls `then` as soon as a connection to the port has read its end, before any other event. */
function onceEndIsRead(port: number, then: () => void): void {
  const emit = Socket.prototype.emit;
  const spy = vi.spyOn(Socket.prototype, 'emit').mockImplementation(function (this: Socket, ...args) {
    const isEnd = (args[0] as string) === 'end' && this.remotePort === port;
    const result = emit.apply(this, args);
    if (isEnd) {
      spy.mockRestore();
      then();
    }
    return result;
  });
}

/** Counts the complete requests of each connection, and responds as `respond` says. */
function counting(respond: (connection: ProviderConnection, count: number) => void) {
  const counts = new Map<ProviderConnection, number>();
  const onBytes = (connection: ProviderConnection) => {
    if (!connection.received.endsWith('\r\n\r\n{}')) return;
    connection.received = '';
    const count = (counts.get(connection) ?? 0) + 1;
    counts.set(connection, count);
    respond(connection, count);
  };
  return { onBytes, requestsOfEach: () => [...counts.values()] };
}

const ok = ({ socket }: ProviderConnection) => socket.write(OK);

describe.each([
  ['plain', createPlainUpstreamPool],
  ['undici', createUndiciUpstreamPool],
])('%s: a kept connection', (_name, createPool) => {
  const startProvider = upstreamFixture(createPool);

  describe.each([
    ['TCP', false, 50],
    ['TLS', true, 15],
  ])('over %s', (_what, isSecure, rounds) => {
    const options = isSecure ? { ca: certificate.cert } : {};

    test('gets no request in the turn in which its end was read', async () => {
      const { onBytes, requestsOfEach } = counting(ok);
      const { pool, port, connections } = await startProvider(onBytes, { isSecure });
      const shared = pool(options);
      for (let round = 0; round < rounds; round++) {
        await send(shared).ended;
        await nextTurn();
        const next = Promise.withResolvers<object>();
        onceEndIsRead(port, () => next.resolve(send(shared).ended));
        connections.at(-1)?.socket.end();
        expect(await next.promise).toMatchObject({ body: 'ok' });
        connections.at(-1)?.socket.destroy();
        await nextTurn();
      }
      expect(requestsOfEach()).toEqual(Array(2 * rounds).fill(1));
    });

    test('gets no request before a turn has shown that the provider keeps it', async () => {
      const { onBytes, requestsOfEach } = counting(({ socket }) => socket.end(OK));
      const { pool } = await startProvider(onBytes, { isSecure });
      const shared = pool(options);
      for (let round = 0; round < rounds; round++) expect(await send(shared).ended).toMatchObject({ body: 'ok' });
      expect(requestsOfEach()).toEqual(Array(rounds).fill(1));
    });

    test('that dies at any moment costs no request', async () => {
      const { onBytes } = counting(ok);
      const { pool, connections } = await startProvider(onBytes, { isSecure });
      const shared = pool(options);
      for (let round = 0; round < rounds; round++) {
        await send(shared).ended;
        await nextTurn();
        const { socket } = connections.at(-1) as ProviderConnection;
        if (round % 2 === 0) socket.end();
        else if (isSecure) socket.destroy();
        else socket.resetAndDestroy();
        for (let turns = round % 8; turns > 0; turns--) await new Promise(setImmediate);
        expect(await send(shared).ended).toMatchObject({ body: 'ok' });
      }
    });
  });

  test.each<[what: string, close: (connection: ProviderConnection) => void]>([
    ['is closed', ({ socket }) => socket.end()],
    ['is reset', ({ socket }) => socket.resetAndDestroy()],
  ])('that %s before the first byte of a response hands its request to a new one', async (_what, close) => {
    const { onBytes, requestsOfEach } = counting((connection, count) => (count === 2 ? close : ok)(connection));
    const { pool } = await startProvider(onBytes);
    const shared = pool();
    await send(shared).ended;
    await nextTurn();
    expect(await send(shared).ended).toMatchObject({ status: 200, body: 'ok' });
    expect(requestsOfEach()).toEqual([2, 1]);
  });

  test('hands its request over once, and to no other kept one', async () => {
    let isClosing = false;
    const { onBytes, requestsOfEach } = counting((connection) => {
      if (isClosing) connection.socket.end();
      else connection.socket.write(OK);
    });
    const { pool } = await startProvider(onBytes);
    const shared = pool();
    await Promise.all([send(shared).ended, send(shared).ended]);
    await nextTurn();
    isClosing = true;
    await expect(send(shared).ended).rejects.toThrow(/the provider closed the connection/);
    expect(requestsOfEach().sort()).toEqual([1, 1, 2]);
  });

  test('hands its request over no more once a byte of the response has come', async () => {
    const { onBytes, requestsOfEach } = counting(({ socket }, count) =>
      count === 2 ? socket.end('HTTP/1.1 2') : socket.write(OK),
    );
    const { pool } = await startProvider(onBytes);
    const shared = pool();
    await send(shared).ended;
    await nextTurn();
    await expect(send(shared).ended).rejects.toThrow();
    expect(requestsOfEach()).toEqual([2]);
  });

  test('hands over no request that was aborted', async () => {
    const { onBytes, requestsOfEach } = counting((connection, count) => count === 1 && ok(connection));
    const { pool, connections } = await startProvider(onBytes);
    const shared = pool();
    await send(shared).ended;
    await nextTurn();
    const { control, recorded } = send(shared);
    await vi.waitUntil(() => requestsOfEach()[0] === 2, waitOptions);
    control.abort();
    await vi.waitUntil(() => connections[0]?.isClosed, waitOptions);
    await nextTurn();
    expect({ outcome: recorded.outcome, requests: requestsOfEach() }).toEqual({ outcome: 'none', requests: [2] });
  });

  test('hands over no request when the pool is destroyed', async () => {
    const { onBytes, requestsOfEach } = counting((connection, count) => count === 1 && ok(connection));
    const { pool, connections } = await startProvider(onBytes);
    const shared = pool();
    await send(shared).ended;
    await nextTurn();
    const { ended } = send(shared);
    await vi.waitUntil(() => requestsOfEach()[0] === 2, waitOptions);
    shared.destroy();
    await expect(ended).rejects.toThrow('the connection was closed');
    await vi.waitUntil(() => connections[0]?.isClosed, waitOptions);
    expect(requestsOfEach()).toEqual([2]);
  });

  test('is not used for a body that cannot be sent twice', async () => {
    const { pool, connections } = await startProvider(({ socket, received }) => {
      if (/\r\n\r\n(\{\}|.*0\r\n\r\n)$/s.test(received)) socket.write(OK);
    });
    const shared = pool();
    await send(shared).ended;
    await nextTurn();
    async function* body() {
      yield Buffer.from('hello');
    }
    expect(await send(shared, body()).ended).toMatchObject({ body: 'ok' });
    expect(connections).toHaveLength(2);
  });

  test('is not used beyond its maximum age, so that changes of DNS arrive', async () => {
    const { pool, connections } = await startProvider(respondingWith(OK));
    const shared = pool({ maxAgeMs: 1 });
    for (let round = 0; round < 3; round++) {
      expect(await send(shared).ended).toMatchObject({ body: 'ok' });
      await nextTurn();
    }
    expect(connections).toHaveLength(3);
    await vi.waitUntil(() => connections.slice(0, 2).every(({ isClosed }) => isClosed), waitOptions);
  });

  test('completes the response in progress at its maximum age', async () => {
    const { pool, connections } = await startProvider(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no');
    });
    const { ended, firstPiece } = send(pool({ maxAgeMs: 1 }));
    await firstPiece();
    await nextTurn();
    connections[0]?.socket.write('k');
    expect(await ended).toMatchObject({ body: 'ok' });
  });
});
