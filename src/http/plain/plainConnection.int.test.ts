import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  plainRequest,
  plainServers,
  respond,
  responsesIn,
  type ServedRequest,
} from '../../../test/support/plainServer.ts';

const startServer = plainServers();

describe('a plain request', () => {
  test('is served, and so is the next on its connection', async () => {
    const { connectClient, served, connections } = await startServer();
    const client = await connectClient(plainRequest('/plain/1', 'one'));
    await expect.poll(() => responsesIn(client)).toEqual(['plain:/plain/1:one']);
    // As `limitUnreadResponses` does while a response is unread.
    served[0]?.request.socket.setTimeout(60_000);
    client.socket.write(plainRequest('/plain/2', 'two'));
    await expect.poll(() => responsesIn(client)).toEqual(['plain:/plain/1:one', 'plain:/plain/2:two']);
    expect(served[0]?.request.socket).toBe(served[1]?.request.socket);
    expect(served[1]?.request.socket.timeout).toBe(0);
    client.socket.destroy();
    await expect.poll(() => connections.size).toBe(0);
    expect(served.map(({ isClosed }) => isClosed)).toEqual([false, false]);
  });

  test('may send its body in pieces', async () => {
    const { connectClient, served } = await startServer();
    const text = plainRequest('/plain', 'ab'.repeat(500));
    const client = await connectClient(text.slice(0, text.indexOf('\r\n\r\n') + 4));
    for (let sent = 0; sent < 1_000; sent += 100) {
      client.socket.write('ab'.repeat(50));
      await expect.poll(() => served[0]?.body.length).toBe(sent + 100);
    }
    await expect.poll(() => responsesIn(client)).toEqual([`plain:/plain:${'ab'.repeat(500)}`]);
  });

  test('waits for the response to the previous one', async () => {
    const { connectClient, served } = await startServer(() => undefined);
    const client = await connectClient(plainRequest('/plain/1') + plainRequest('/plain/2') + plainRequest('/plain/3'));
    for (const index of [0, 1, 2]) {
      await expect.poll(() => served.length).toBe(index + 1);
      respond(served[index] as ServedRequest);
    }
    await expect
      .poll(() => responsesIn(client))
      .toEqual(['plain:/plain/1:{}', 'plain:/plain/2:{}', 'plain:/plain/3:{}']);
  });

  test('applies back-pressure to a client that pipelines too much', async () => {
    const { connectClient, served } = await startServer(() => undefined);
    const bodies = 40 * 1_048_576;
    const client = await connectClient(plainRequest('/plain/1'));
    await expect.poll(() => served.length).toBe(1);
    client.socket.write(plainRequest('/plain/2', 'x'.repeat(bodies)));
    await expect.poll(() => served[0]?.request.socket.isPaused()).toBe(true);
    expect(client.socket.writableLength).toBeGreaterThan(0);
    respond(served[0] as ServedRequest);
    await expect.poll(() => served[1]?.hasEnded, { timeout: 10_000 }).toBe(true);
    expect(served[1]?.body.length).toBe(bodies);
  });

  test('is not served while the client does not read its responses', async () => {
    const long = Buffer.alloc(32 * 1_048_576, 'x');
    const { connectClient, served } = await startServer(({ response }) => {
      response.writeHead(200, ['content-length', String(long.length)]).end(long);
    });
    const client = await connectClient(plainRequest('/plain/1') + plainRequest('/plain/2'));
    client.socket.pause();
    await expect.poll(() => served[0]?.response.writableEnded).toBe(true);
    expect(served[0]?.response.writableFinished).toBe(false);
    client.socket.write(plainRequest('/plain/3') + plainRequest('/plain/4'));
    // Once a later request has been served, those bytes have been read, too.
    const other = await connectClient(plainRequest('/plain/other'));
    await expect.poll(() => served.some(({ url }) => url === '/plain/other')).toBe(true);
    expect(served.map(({ url }) => url)).toEqual(['/plain/1', '/plain/other']);
    other.socket.destroy();
    client.socket.resume();
    await expect.poll(() => served.map(({ url }) => url), { timeout: 10_000 }).toContain('/plain/4');
  });

  test('discards the rest of its body after an early response', async () => {
    const { connectClient, served } = await startServer();
    const body = 'x'.repeat(300_000);
    const client = await connectClient(plainRequest('/plain/1', body).slice(0, -200_000));
    await expect.poll(() => served.length).toBe(1);
    respond(served[0] as ServedRequest);
    await expect.poll(() => responsesIn(client).length).toBe(1);
    const received = served[0]?.body.length;
    client.socket.write('x'.repeat(200_000) + plainRequest('/plain/2', 'two'));
    await expect.poll(() => responsesIn(client).at(-1)).toBe('plain:/plain/2:two');
    expect(served[0]?.hasEnded).toBe(false);
    expect(served[0]?.body.length).toBe(received);
  });

  test('is not served on a connection that is closing', async () => {
    const { connectClient, served } = await startServer();
    const client = await connectClient(plainRequest('/plain/1'));
    await expect.poll(() => responsesIn(client).length).toBe(1);
    served[0]?.request.socket.end();
    client.socket.write(plainRequest('/plain/2'));
    await expect.poll(() => client.isClosed).toBe(true);
    expect(served.length).toBe(1);
  });

  test('is notified when the client disconnects during the body', async () => {
    const { connectClient, served } = await startServer();
    const client = await connectClient(plainRequest('/plain', 'x'.repeat(100)).slice(0, -1));
    await expect.poll(() => served[0]?.body.length).toBe(99);
    client.socket.destroy();
    await expect.poll(() => served[0]?.isDisconnected).toBe(true);
    expect(served[0]?.isClosed).toBe(true);
  });

  test('is notified when the client disconnects during the response, but not after it', async () => {
    const { connectClient, served, connections } = await startServer(({ response }) =>
      response.writeHead(200, []).write('a'),
    );
    const client = await connectClient(plainRequest('/plain/1'));
    await expect.poll(() => client.received).toContain('1\r\na\r\n');
    served[0]?.response.end();
    client.socket.write(plainRequest('/plain/2'));
    await expect.poll(() => served.length).toBe(2);
    client.socket.destroy();
    await expect.poll(() => served[1]?.isClosed).toBe(true);
    expect(served[0]?.isClosed).toBe(false);
    expect(connections.size).toBe(0);
  });

  test('is notified of a half-closed connection, as by Node', async () => {
    const { connectClient, served } = await startServer(() => undefined);
    const client = await connectClient(plainRequest('/plain'));
    await expect.poll(() => served.length).toBe(1);
    client.socket.end();
    await expect.poll(() => served[0]?.isClosed).toBe(true);
    served[0]?.response.writeHead(200, []).write('unread');
    served[0]?.response.end();
  });

  test.each([
    ['a plain request', plainRequest('/plain/2')],
    ['a request for Node', 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('is the last on a half-closed connection, although %s follows', async (_, following) => {
    const handedOver: (string | undefined)[] = [];
    const { connectClient, served } = await startServer(
      () => undefined,
      ({ url }) => handedOver.push(url),
    );
    const client = await connectClient(plainRequest('/plain/1') + following);
    await expect.poll(() => served.length).toBe(1);
    // While the socket is ending; once it is destroyed nothing is served in any case.
    served[0]?.request.socket.once('end', () => respond(served[0] as ServedRequest));
    client.socket.end();
    await expect.poll(() => client.isClosed).toBe(true);
    expect([served.map(({ url }) => url), handedOver]).toEqual([['/plain/1'], []]);
  });

  test('is not served, and nothing handed over, once the server has ended the connection', async () => {
    const handedOver: (string | undefined)[] = [];
    const { connectClient, served } = await startServer(
      () => undefined,
      ({ url }) => handedOver.push(url),
    );
    const client = await connectClient(`${plainRequest('/plain/1')}GET /other HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => served.length).toBe(1);
    served[0]?.request.socket.end();
    respond(served[0] as ServedRequest);
    await expect.poll(() => client.isClosed).toBe(true);
    expect([served.length, handedOver]).toEqual([1, []]);
  });

  test('is the last on a connection whose response closes it', async () => {
    const { connectClient, served } = await startServer(({ response }) => {
      response.writeHead(503, ['content-length', '4', 'connection', 'close']).end('away');
    });
    const client = await connectClient(plainRequest('/plain/1') + plainRequest('/plain/2'));
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.received).toMatch(/away$/);
    expect(client.received).not.toContain('eep-');
    expect(served.length).toBe(1);
  });

  test('gets an error when the connection ends during the body', async () => {
    const { connectClient } = await startServer();
    const client = await connectClient(plainRequest('/plain').slice(0, -1));
    client.socket.end();
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.received).toMatch(/^HTTP\/1\.1 400 .*"The request is not valid HTTP"/s);
  });
});

describe('a timeout', () => {
  const minute = 60_000;

  test('ends a request that does not arrive', async () => {
    const { connectClient, served, connections } = await startServer();
    const client = await connectClient(plainRequest('/plain').slice(0, -1));
    await expect.poll(() => served.length).toBe(1);
    for (const connection of connections.values()) connection.sweep(performance.now() + minute - 1_000);
    client.socket.write('}');
    await expect.poll(() => responsesIn(client).length).toBe(1);
    client.socket.write(plainRequest('/plain').slice(0, -1));
    await expect.poll(() => served.length).toBe(2);
    for (const connection of connections.values()) connection.sweep(performance.now() + minute + 1_000);
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.received).toMatch(/HTTP\/1\.1 408 .*did not arrive in time/s);
    expect(served[1]?.isDisconnected).toBe(true);
  });

  test('ends an idle connection, but not one with an open request', async () => {
    const { connectClient, served, connections } = await startServer(() => undefined);
    const [idle, busy] = [await connectClient(), await connectClient(plainRequest('/plain'))];
    await expect.poll(() => served.length).toBe(1);
    for (const connection of connections.values()) connection.sweep(performance.now() + 10 * minute);
    await expect.poll(() => idle.isClosed).toBe(true);
    respond(served[0] as ServedRequest);
    await expect.poll(() => responsesIn(busy).length).toBe(1);
    for (const connection of connections.values()) connection.sweep(performance.now() + 74_000);
    busy.socket.write(plainRequest('/plain/2'));
    await expect.poll(() => served.length).toBe(2);
  });

  test.each([
    ['keeps the connection open', [], 2],
    ['closes the connection', ['connection', 'close'], 1],
  ])('does not apply to a client that reads slowly when the response %s', async (_, more, servedInTotal) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const long = Buffer.alloc(32 * 1_048_576, 'x');
    const { connectClient, served, connections } = await startServer(({ response }) => {
      response.writeHead(200, ['content-length', String(long.length), ...more]).end(long);
    });
    const client = await connectClient(plainRequest('/plain'));
    client.socket.pause();
    await expect.poll(() => served[0]?.response.writableEnded).toBe(true);
    for (const connection of connections.values()) connection.sweep(performance.now() + 10 * minute);
    // Longer than the linger time.
    vi.advanceTimersByTime(minute);
    client.socket.resume();
    await expect.poll(() => client.received.length, { timeout: 10_000 }).toBeGreaterThan(long.length);
    client.socket.write(plainRequest('/plain/2'));
    await expect.poll(() => served.length === 2 || client.isClosed).toBe(true);
    expect(served.length).toBe(servedInTotal);
  });
});
