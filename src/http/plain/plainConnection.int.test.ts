import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { CallerResponse } from '../caller.ts';
import { HeaderBlock } from '../headerBlock.ts';
import { writeHead } from '../writeHead.ts';
import type { PlainRequest } from './plainRequest.ts';
import type { PlainResponse } from './plainResponse.ts';
import { readPlainRequests } from './readPlainRequests.ts';

/** A request as it was served here, with what came of its body. */
interface Served {
  readonly url: string;
  readonly request: PlainRequest;
  readonly response: PlainResponse;
  body: string;
  hasEnded: boolean;
  isGone: boolean;
  isClosed: boolean;
}

/** The caller's side of a connection. */
interface Caller {
  readonly socket: Socket;
  received: string;
  isClosed: boolean;
}

const open: { server: Server; callers: Caller[] }[] = [];
afterEach(async () => {
  for (const { server, callers } of open.splice(0)) {
    for (const { socket } of callers) socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** A server that reads plain requests to `/plain` here and leaves all others to Node. */
async function stage(
  serve: (served: Served) => void = answer,
  node = (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    request.on('end', () => response.end(`node:${request.url}`));
  },
) {
  const served: Served[] = [];
  const server = createServer({ keepAliveTimeout: 75_000 }, node);
  const connections = readPlainRequests(server, {
    isPlainUrl: (url) => url.startsWith('/plain'),
    serve(request, response) {
      const one = { url: request.url, request, response, body: '', hasEnded: false, isGone: false, isClosed: false };
      served.push(one);
      response.once('close', () => {
        one.isClosed = true;
      });
      request.receive({
        onData: (piece) => {
          one.body += piece;
        },
        onEnd: () => {
          one.hasEnded = true;
          serve(one);
        },
        onGone: () => {
          one.isGone = true;
        },
      });
    },
    requestMs: 60_000,
    lingerMs: 10,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const callers: Caller[] = [];
  open.push({ server, callers });
  const call = async (text = ''): Promise<Caller> => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true });
    const caller: Caller = { socket, received: '', isClosed: false };
    callers.push(caller);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      caller.received += bytes.toString('latin1');
    });
    socket.on('close', () => {
      caller.isClosed = true;
    });
    await once(socket, 'connect');
    socket.write(text, 'latin1');
    return caller;
  };
  return { served, connections, server, call };
}

const plain = (path: string, body = '{}', more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Says which request this is the answer to. */
function answer({ url, body, response }: Served): void {
  const text = `plain:${url}:${body}`;
  response.writeHead(200, ['content-length', String(text.length)]).end(text);
}

const answersIn = ({ received }: Caller): string[] => received.match(/(?:plain|node):[^\r\n]*?(?=HTTP\/1|\r|$)/g) ?? [];

describe('a plain request', () => {
  test('is answered, and so is the next on its connection', async () => {
    const { call, served, connections } = await stage();
    const caller = await call(plain('/plain/1', 'one'));
    await expect.poll(() => answersIn(caller)).toEqual(['plain:/plain/1:one']);
    // Somebody may have limited how long the first answer may lie unread.
    served[0]?.request.socket.setTimeout(60_000);
    caller.socket.write(plain('/plain/2', 'two'));
    await expect.poll(() => answersIn(caller)).toEqual(['plain:/plain/1:one', 'plain:/plain/2:two']);
    expect(served[0]?.request.socket).toBe(served[1]?.request.socket);
    expect(served[1]?.request.socket.timeout).toBe(0);
    caller.socket.destroy();
    await expect.poll(() => connections.size).toBe(0);
    expect(served.map(({ isClosed }) => isClosed)).toEqual([false, false]);
  });

  test('may send its body in pieces', async () => {
    const { call, served } = await stage();
    const text = plain('/plain', 'ab'.repeat(500));
    const caller = await call(text.slice(0, text.indexOf('\r\n\r\n') + 4));
    for (let sent = 0; sent < 1_000; sent += 100) {
      caller.socket.write('ab'.repeat(50));
      await expect.poll(() => served[0]?.body.length).toBe(sent + 100);
    }
    await expect.poll(() => answersIn(caller)).toEqual([`plain:/plain:${'ab'.repeat(500)}`]);
  });

  test('that comes ahead of an answer waits for it', async () => {
    const { call, served } = await stage(() => undefined);
    const caller = await call(plain('/plain/1') + plain('/plain/2') + plain('/plain/3'));
    for (const index of [0, 1, 2]) {
      await expect.poll(() => served.length).toBe(index + 1);
      answer(served[index] as Served);
    }
    await expect.poll(() => answersIn(caller)).toEqual(['plain:/plain/1:{}', 'plain:/plain/2:{}', 'plain:/plain/3:{}']);
  });

  test('ahead of which too much comes makes the caller wait', async () => {
    const { call, served } = await stage(() => undefined);
    const bodies = 40 * 1_048_576;
    const caller = await call(plain('/plain/1'));
    await expect.poll(() => served.length).toBe(1);
    caller.socket.write(plain('/plain/2', 'x'.repeat(bodies)));
    await expect.poll(() => served[0]?.request.socket.isPaused()).toBe(true);
    expect(caller.socket.writableLength).toBeGreaterThan(0);
    answer(served[0] as Served);
    await expect.poll(() => served[1]?.hasEnded, { timeout: 10_000 }).toBe(true);
    expect(served[1]?.body.length).toBe(bodies);
  });

  test('is not served to a caller that does not read its answers', async () => {
    const long = Buffer.alloc(32 * 1_048_576, 'x');
    const { call, served } = await stage(({ response }) => {
      response.writeHead(200, ['content-length', String(long.length)]).end(long);
    });
    const caller = await call(plain('/plain/1') + plain('/plain/2'));
    caller.socket.pause();
    await expect.poll(() => served[0]?.response.writableEnded).toBe(true);
    expect(served[0]?.response.writableFinished).toBe(false);
    caller.socket.write(plain('/plain/3') + plain('/plain/4'));
    // What is read after the others has been read tells that these were, too.
    const other = await call(plain('/plain/other'));
    await expect.poll(() => served.some(({ url }) => url === '/plain/other')).toBe(true);
    expect(served.map(({ url }) => url)).toEqual(['/plain/1', '/plain/other']);
    other.socket.destroy();
    caller.socket.resume();
    await expect.poll(() => served.map(({ url }) => url), { timeout: 10_000 }).toContain('/plain/4');
  });

  test('may be answered before its body has come: the rest is thrown away, and the next is served', async () => {
    const { call, served } = await stage();
    const body = 'x'.repeat(300_000);
    const caller = await call(plain('/plain/1', body).slice(0, -200_000));
    await expect.poll(() => served.length).toBe(1);
    answer(served[0] as Served);
    await expect.poll(() => answersIn(caller).length).toBe(1);
    const told = served[0]?.body.length;
    caller.socket.write('x'.repeat(200_000) + plain('/plain/2', 'two'));
    await expect.poll(() => answersIn(caller).at(-1)).toBe('plain:/plain/2:two');
    expect(served[0]?.hasEnded).toBe(false);
    expect(served[0]?.body.length).toBe(told);
  });

  test('that comes when its connection is being ended is not served', async () => {
    const { call, served } = await stage();
    const caller = await call(plain('/plain/1'));
    await expect.poll(() => answersIn(caller).length).toBe(1);
    served[0]?.request.socket.end();
    caller.socket.write(plain('/plain/2'));
    await expect.poll(() => caller.isClosed).toBe(true);
    expect(served.length).toBe(1);
  });

  test('learns that its caller hung up in the middle of the body', async () => {
    const { call, served } = await stage();
    const caller = await call(plain('/plain', 'x'.repeat(100)).slice(0, -1));
    await expect.poll(() => served[0]?.body.length).toBe(99);
    caller.socket.destroy();
    await expect.poll(() => served[0]?.isGone).toBe(true);
    expect(served[0]?.isClosed).toBe(true);
  });

  test('learns that its caller hung up in the middle of the answer, not after it', async () => {
    const { call, served, connections } = await stage(({ response }) => response.writeHead(200, []).write('a'));
    const caller = await call(plain('/plain/1'));
    await expect.poll(() => caller.received).toContain('1\r\na\r\n');
    served[0]?.response.end();
    caller.socket.write(plain('/plain/2'));
    await expect.poll(() => served.length).toBe(2);
    caller.socket.destroy();
    await expect.poll(() => served[1]?.isClosed).toBe(true);
    expect(served[0]?.isClosed).toBe(false);
    expect(connections.size).toBe(0);
  });

  test('learns as much of a caller that only says that nothing more will come, as Node tells it', async () => {
    const { call, served } = await stage(() => undefined);
    const caller = await call(plain('/plain'));
    await expect.poll(() => served.length).toBe(1);
    caller.socket.end();
    await expect.poll(() => served[0]?.isClosed).toBe(true);
    served[0]?.response.writeHead(200, []).write('nobody reads this');
    served[0]?.response.end();
  });

  test('whose answer ends the connection is the last', async () => {
    const { call, served } = await stage(({ response }) => {
      response.writeHead(503, ['content-length', '4', 'connection', 'close']).end('away');
    });
    const caller = await call(plain('/plain/1') + plain('/plain/2'));
    await expect.poll(() => caller.isClosed).toBe(true);
    expect(caller.received).toMatch(/away$/);
    expect(caller.received).not.toContain('eep-');
    expect(served.length).toBe(1);
  });

  test('that ends in the middle of its body is told so', async () => {
    const { call } = await stage();
    const caller = await call(plain('/plain').slice(0, -1));
    caller.socket.end();
    await expect.poll(() => caller.isClosed).toBe(true);
    expect(caller.received).toMatch(/^HTTP\/1\.1 400 .*"This is not valid HTTP"/s);
  });
});

describe('time', () => {
  const minute = 60_000;

  test('is up for a request that does not arrive', async () => {
    const { call, served, connections } = await stage();
    const caller = await call(plain('/plain').slice(0, -1));
    await expect.poll(() => served.length).toBe(1);
    for (const connection of connections.values()) connection.sweep(performance.now() + minute - 1_000);
    caller.socket.write('}');
    await expect.poll(() => answersIn(caller).length).toBe(1);
    caller.socket.write(plain('/plain').slice(0, -1));
    await expect.poll(() => served.length).toBe(2);
    for (const connection of connections.values()) connection.sweep(performance.now() + minute + 1_000);
    await expect.poll(() => caller.isClosed).toBe(true);
    expect(caller.received).toMatch(/HTTP\/1\.1 408 .*did not arrive in time/s);
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
  ])('is never up for a caller that reads slowly, whether the answer %s', async (_, more, servedAtLast) => {
    const long = Buffer.alloc(32 * 1_048_576, 'x');
    const { call, served, connections } = await stage(({ response }) => {
      response.writeHead(200, ['content-length', String(long.length), ...more]).end(long);
    });
    const caller = await call(plain('/plain'));
    caller.socket.pause();
    await expect.poll(() => served[0]?.response.writableEnded).toBe(true);
    for (const connection of connections.values()) connection.sweep(performance.now() + 10 * minute);
    // So long a caller may take that has everything.
    await new Promise((resolve) => setTimeout(resolve, 50));
    caller.socket.resume();
    await expect.poll(() => caller.received.length, { timeout: 10_000 }).toBeGreaterThan(long.length);
    caller.socket.write(plain('/plain/2'));
    await expect.poll(() => served.length === 2 || caller.isClosed).toBe(true);
    expect(served.length).toBe(servedAtLast);
  });
});

describe('Node answers', () => {
  test.each<[string, string]>([
    ['another method', 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another path', plain('/other')],
    ['chunks', 'POST /plain HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['a connection that ends', plain('/plain', '{}', 'Connection: close\r\n')],
    ['a name twice', plain('/plain', '{}', 'x-one: 1\r\nx-one: 2\r\n')],
    ['an empty line before the request', `\r\n${plain('/plain')}`],
  ])('%s, first on a connection or after plain requests', async (_, text) => {
    const { call, served } = await stage();
    const [first, later] = [await call(text), await call(plain('/plain/1') + text)];
    await expect.poll(() => answersIn(first)).toEqual([expect.stringMatching(/^node:/)]);
    await expect.poll(() => answersIn(later)).toEqual(['plain:/plain/1:{}', expect.stringMatching(/^node:/)]);
    expect(served.length).toBe(1);
  });

  test('a request whose head comes in pieces', async () => {
    const { call, served, connections } = await stage();
    const caller = await call(plain('/plain').slice(0, 20));
    await expect.poll(() => connections.size).toBe(0);
    caller.socket.write(plain('/plain').slice(20));
    await expect.poll(() => answersIn(caller)).toEqual(['node:/plain']);
    expect(served.length).toBe(0);
  });

  test('all that follows on the connection, with bodies of any size', async () => {
    const { call, served, connections } = await stage();
    const caller = await call(plain('/other', 'x'.repeat(200_000)) + plain('/plain'));
    await expect.poll(() => answersIn(caller)).toEqual(['node:/other', 'node:/plain']);
    expect([served.length, connections.size]).toEqual([0, 0]);
  });

  test('what is no HTTP, with its refusal', async () => {
    const { call } = await stage();
    const caller = await call(`${plain('/plain/1')}POST /plain HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`);
    await expect.poll(() => caller.isClosed).toBe(true);
    expect(caller.received).toContain('plain:/plain/1');
    expect(caller.received).toContain('HTTP/1.1 400 Bad Request');
  });
});

describe('an answer is the same, byte for byte, as Node writes it', () => {
  const long = Buffer.alloc(100_000, 'x');
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

  test.each<[string, (response: CallerResponse) => void]>([
    ['a text of known length', (r) => r.writeHead(200, ['content-length', '2', 'x-one', 'a']).end('ok')],
    ['bytes of known length', (r) => r.writeHead(200, ['content-length', '2']).end(Buffer.from('ok'))],
    ['many bytes of known length', (r) => r.writeHead(200, ['content-length', '100000']).end(long)],
    ['nothing', (r) => r.writeHead(429, ['content-length', '0', 'retry-after', '2']).end()],
    ['every byte', (r) => r.writeHead(200, ['content-length', '256']).end(everyByte)],
    ['a text of more bytes than letters', (r) => r.writeHead(200, ['content-length', '3']).end('€')],
    ['a header with every byte', (r) => r.writeHead(200, ['x-one', 'caf\xe9\t\xff', 'content-length', '0']).end()],
    [
      'an answer that ends the connection',
      (r) => r.writeHead(503, ['connection', 'close', 'content-length', '0']).end(),
    ],
    [
      'a stream',
      (r) => {
        r.writeHead(200, ['content-type', 'text/event-stream']);
        r.write(Buffer.from('data: one\n\n'));
        r.write('data: zwölf\n\n');
        r.write(long);
        r.write('');
        r.end(Buffer.from('data: end\n\n'));
      },
    ],
    [
      'a stream that ends without a last word',
      (r) => {
        r.writeHead(200, []).write('data: one\n\n');
        r.end();
      },
    ],
    [
      'a head that begins as those of others do',
      (r) => {
        writeHead(r, 200, [new HeaderBlock(['x-one', 'a', 'x-two', 'b']), new HeaderBlock(['x-three', 'caf\xe9'])], []);
        r.end('end');
      },
    ],
    ['a stream that is all of a piece', (r) => r.writeHead(200, []).end(long)],
  ])('%s', async (_, write) => {
    const { call } = await stage(
      ({ response }) => write(response),
      (request, response) => request.resume().on('end', () => write(response)),
    );
    const [here, nodes] = [await call(plain('/plain')), await call(plain('/other'))];
    const last = plain('/other', 'x');
    for (const { socket } of [here, nodes]) socket.end(last.slice(0, -1));
    await expect.poll(() => here.isClosed && nodes.isClosed).toBe(true);
    expect(normal(here.received)).toBe(normal(nodes.received));
    expect(here.received.length).toBeGreaterThan(50);
  });

  test('and a value that could begin a header of its own is never written', async () => {
    const thrown: unknown[] = [];
    const { call } = await stage(({ response }) => {
      for (const value of ['a\r\nx-two: 1', 'a\nb', '\x00', '\u0100']) {
        try {
          response.writeHead(200, ['x-one', value]);
        } catch (error) {
          thrown.push(error);
        }
      }
      expect(() => new HeaderBlock(['x-one', 'a\r\nx-two: 1'])).toThrow(TypeError);
      response.writeHead(200, ['content-length', '0']).end();
    });
    const caller = await call(plain('/plain'));
    await expect.poll(() => caller.received).toContain('\r\n\r\n');
    expect(thrown).toEqual(Array.from({ length: 4 }, () => expect.any(TypeError)));
    expect(caller.received).not.toContain('x-one');
  });

  /** Heads carry the second in which they were made; what follows the answer is Node's for both. */
  const normal = (text: string) => text.replace(/Date: [^\r]+/g, 'Date: now').split('HTTP/1.1 400')[0];
});

test('a caller that has caught up is told to the answer that waits for it', async () => {
  const long = Buffer.alloc(32 * 1_048_576, 'x');
  let drained = 0;
  const { call, served } = await stage(({ response }) => {
    response.on('drain', () => {
      drained += 1;
      response.end();
    });
    response.writeHead(200, []).write(long);
  });
  const caller = await call(plain('/plain'));
  caller.socket.pause();
  await expect.poll(() => served[0]?.response.writableNeedDrain).toBe(true);
  caller.socket.resume();
  await expect.poll(() => caller.received.endsWith('0\r\n\r\n'), { timeout: 10_000 }).toBe(true);
  expect(drained).toBe(1);
});

test('what a slow caller has not taken yet is not overwritten by the answers of others', async () => {
  const long = Buffer.alloc(32 * 1_048_576, 'x');
  const { call, served } = await stage((one) => {
    if (one.url !== '/plain/slow') return answer(one);
    one.response.writeHead(200, []).write(long);
    one.response.end(Buffer.from('the end of the slow answer'));
  });
  const slow = await call(plain('/plain/slow'));
  slow.socket.pause();
  await expect.poll(() => served[0]?.response.writableEnded).toBe(true);
  const others = await Promise.all(Array.from({ length: 10 }, () => call(plain('/plain/other', 'o'.repeat(100)))));
  await expect.poll(() => others.every((other) => answersIn(other).length === 1)).toBe(true);
  slow.socket.resume();
  await expect.poll(() => slow.received.endsWith('0\r\n\r\n'), { timeout: 10_000 }).toBe(true);
  expect(slow.received.slice(-100)).toContain('\r\nthe end of the slow answer\r\n');
});

test('many small pieces for a caller that does not read take no more memory than they are long', async () => {
  const long = Buffer.alloc(32 * 1_048_576, 'x');
  let grown = 0;
  const { call } = await stage(({ response }) => {
    response.writeHead(200, []).write(long);
    const before = process.memoryUsage().arrayBuffers;
    for (let piece = 0; piece < 1_000; piece++) response.write('data: {}\n\n');
    grown = process.memoryUsage().arrayBuffers - before;
    response.destroy();
  });
  const caller = await call(plain('/plain'));
  await expect.poll(() => caller.isClosed).toBe(true);
  expect(grown).toBeLessThan(4 * 1_048_576);
});
