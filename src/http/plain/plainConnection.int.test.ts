import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { answer, answersIn, plain, plainStages, type Served } from '../../../test/support/plainStage.ts';

const stage = plainStages();

describe('a plain request', () => {
  test('is answered, and so is the next on its connection', async () => {
    const { call, served, connections } = await stage();
    const client = await call(plain('/plain/1', 'one'));
    await expect.poll(() => answersIn(client)).toEqual(['plain:/plain/1:one']);
    // Somebody may have limited how long the first answer may lie unread.
    served[0]?.request.socket.setTimeout(60_000);
    client.socket.write(plain('/plain/2', 'two'));
    await expect.poll(() => answersIn(client)).toEqual(['plain:/plain/1:one', 'plain:/plain/2:two']);
    expect(served[0]?.request.socket).toBe(served[1]?.request.socket);
    expect(served[1]?.request.socket.timeout).toBe(0);
    client.socket.destroy();
    await expect.poll(() => connections.size).toBe(0);
    expect(served.map(({ isClosed }) => isClosed)).toEqual([false, false]);
  });

  test('may send its body in pieces', async () => {
    const { call, served } = await stage();
    const text = plain('/plain', 'ab'.repeat(500));
    const client = await call(text.slice(0, text.indexOf('\r\n\r\n') + 4));
    for (let sent = 0; sent < 1_000; sent += 100) {
      client.socket.write('ab'.repeat(50));
      await expect.poll(() => served[0]?.body.length).toBe(sent + 100);
    }
    await expect.poll(() => answersIn(client)).toEqual([`plain:/plain:${'ab'.repeat(500)}`]);
  });

  test('that comes ahead of an answer waits for it', async () => {
    const { call, served } = await stage(() => undefined);
    const client = await call(plain('/plain/1') + plain('/plain/2') + plain('/plain/3'));
    for (const index of [0, 1, 2]) {
      await expect.poll(() => served.length).toBe(index + 1);
      answer(served[index] as Served);
    }
    await expect.poll(() => answersIn(client)).toEqual(['plain:/plain/1:{}', 'plain:/plain/2:{}', 'plain:/plain/3:{}']);
  });

  test('ahead of which too much comes makes the client wait', async () => {
    const { call, served } = await stage(() => undefined);
    const bodies = 40 * 1_048_576;
    const client = await call(plain('/plain/1'));
    await expect.poll(() => served.length).toBe(1);
    client.socket.write(plain('/plain/2', 'x'.repeat(bodies)));
    await expect.poll(() => served[0]?.request.socket.isPaused()).toBe(true);
    expect(client.socket.writableLength).toBeGreaterThan(0);
    answer(served[0] as Served);
    await expect.poll(() => served[1]?.hasEnded, { timeout: 10_000 }).toBe(true);
    expect(served[1]?.body.length).toBe(bodies);
  });

  test('is not served to a client that does not read its answers', async () => {
    const long = Buffer.alloc(32 * 1_048_576, 'x');
    const { call, served } = await stage(({ response }) => {
      response.writeHead(200, ['content-length', String(long.length)]).end(long);
    });
    const client = await call(plain('/plain/1') + plain('/plain/2'));
    client.socket.pause();
    await expect.poll(() => served[0]?.response.writableEnded).toBe(true);
    expect(served[0]?.response.writableFinished).toBe(false);
    client.socket.write(plain('/plain/3') + plain('/plain/4'));
    // What is read after the others has been read tells that these were, too.
    const other = await call(plain('/plain/other'));
    await expect.poll(() => served.some(({ url }) => url === '/plain/other')).toBe(true);
    expect(served.map(({ url }) => url)).toEqual(['/plain/1', '/plain/other']);
    other.socket.destroy();
    client.socket.resume();
    await expect.poll(() => served.map(({ url }) => url), { timeout: 10_000 }).toContain('/plain/4');
  });

  test('may be answered before its body has come: the rest is thrown away, and the next is served', async () => {
    const { call, served } = await stage();
    const body = 'x'.repeat(300_000);
    const client = await call(plain('/plain/1', body).slice(0, -200_000));
    await expect.poll(() => served.length).toBe(1);
    answer(served[0] as Served);
    await expect.poll(() => answersIn(client).length).toBe(1);
    const told = served[0]?.body.length;
    client.socket.write('x'.repeat(200_000) + plain('/plain/2', 'two'));
    await expect.poll(() => answersIn(client).at(-1)).toBe('plain:/plain/2:two');
    expect(served[0]?.hasEnded).toBe(false);
    expect(served[0]?.body.length).toBe(told);
  });

  test('that comes when its connection is being ended is not served', async () => {
    const { call, served } = await stage();
    const client = await call(plain('/plain/1'));
    await expect.poll(() => answersIn(client).length).toBe(1);
    served[0]?.request.socket.end();
    client.socket.write(plain('/plain/2'));
    await expect.poll(() => client.isClosed).toBe(true);
    expect(served.length).toBe(1);
  });

  test('learns that its client hung up in the middle of the body', async () => {
    const { call, served } = await stage();
    const client = await call(plain('/plain', 'x'.repeat(100)).slice(0, -1));
    await expect.poll(() => served[0]?.body.length).toBe(99);
    client.socket.destroy();
    await expect.poll(() => served[0]?.isGone).toBe(true);
    expect(served[0]?.isClosed).toBe(true);
  });

  test('learns that its client hung up in the middle of the answer, not after it', async () => {
    const { call, served, connections } = await stage(({ response }) => response.writeHead(200, []).write('a'));
    const client = await call(plain('/plain/1'));
    await expect.poll(() => client.received).toContain('1\r\na\r\n');
    served[0]?.response.end();
    client.socket.write(plain('/plain/2'));
    await expect.poll(() => served.length).toBe(2);
    client.socket.destroy();
    await expect.poll(() => served[1]?.isClosed).toBe(true);
    expect(served[0]?.isClosed).toBe(false);
    expect(connections.size).toBe(0);
  });

  test('learns as much of a client that only says that nothing more will come, as Node tells it', async () => {
    const { call, served } = await stage(() => undefined);
    const client = await call(plain('/plain'));
    await expect.poll(() => served.length).toBe(1);
    client.socket.end();
    await expect.poll(() => served[0]?.isClosed).toBe(true);
    served[0]?.response.writeHead(200, []).write('nobody reads this');
    served[0]?.response.end();
  });

  test('whose answer ends the connection is the last', async () => {
    const { call, served } = await stage(({ response }) => {
      response.writeHead(503, ['content-length', '4', 'connection', 'close']).end('away');
    });
    const client = await call(plain('/plain/1') + plain('/plain/2'));
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.received).toMatch(/away$/);
    expect(client.received).not.toContain('eep-');
    expect(served.length).toBe(1);
  });

  test('that ends in the middle of its body is told so', async () => {
    const { call } = await stage();
    const client = await call(plain('/plain').slice(0, -1));
    client.socket.end();
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.received).toMatch(/^HTTP\/1\.1 400 .*"This is not valid HTTP"/s);
  });
});

describe('time', () => {
  const minute = 60_000;

  test('is up for a request that does not arrive', async () => {
    const { call, served, connections } = await stage();
    const client = await call(plain('/plain').slice(0, -1));
    await expect.poll(() => served.length).toBe(1);
    for (const connection of connections.values()) connection.sweep(performance.now() + minute - 1_000);
    client.socket.write('}');
    await expect.poll(() => answersIn(client).length).toBe(1);
    client.socket.write(plain('/plain').slice(0, -1));
    await expect.poll(() => served.length).toBe(2);
    for (const connection of connections.values()) connection.sweep(performance.now() + minute + 1_000);
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.received).toMatch(/HTTP\/1\.1 408 .*did not arrive in time/s);
    expect(served[1]?.isGone).toBe(true);
  });

  test('is up for a connection on which nothing is asked, and never for an answer', async () => {
    const { call, served, connections } = await stage(() => undefined);
    const [idle, busy] = [await call(), await call(plain('/plain'))];
    await expect.poll(() => served.length).toBe(1);
    for (const connection of connections.values()) connection.sweep(performance.now() + 10 * minute);
    await expect.poll(() => idle.isClosed).toBe(true);
    answer(served[0] as Served);
    await expect.poll(() => answersIn(busy).length).toBe(1);
    for (const connection of connections.values()) connection.sweep(performance.now() + 74_000);
    busy.socket.write(plain('/plain/2'));
    await expect.poll(() => served.length).toBe(2);
  });

  test.each([
    ['keeps the connection', [], 2],
    ['ends it', ['connection', 'close'], 1],
  ])('is never up for a client that reads slowly, whether the answer %s', async (_, more, servedAtLast) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const long = Buffer.alloc(32 * 1_048_576, 'x');
    const { call, served, connections } = await stage(({ response }) => {
      response.writeHead(200, ['content-length', String(long.length), ...more]).end(long);
    });
    const client = await call(plain('/plain'));
    client.socket.pause();
    await expect.poll(() => served[0]?.response.writableEnded).toBe(true);
    for (const connection of connections.values()) connection.sweep(performance.now() + 10 * minute);
    // So long a client may take that has everything.
    vi.advanceTimersByTime(minute);
    client.socket.resume();
    await expect.poll(() => client.received.length, { timeout: 10_000 }).toBeGreaterThan(long.length);
    client.socket.write(plain('/plain/2'));
    await expect.poll(() => served.length === 2 || client.isClosed).toBe(true);
    expect(served.length).toBe(servedAtLast);
  });
});
