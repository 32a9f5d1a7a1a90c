import { describe, expect, test } from 'vitest';
import { plainRequest, plainServers, respond, responsesIn } from '../../../test/support/plainServer.ts';
import type { ClientResponse } from '../client/clientRequest.ts';
import { writeHead } from '../client/writeHead.ts';
import { HeaderBlock } from '../wire/headers.ts';

const startServer = plainServers();

describe('a response equals that of Node, byte by byte', () => {
  const long = Buffer.alloc(100_000, 'x');
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

  test.each<[string, (response: ClientResponse) => void]>([
    ['a text of known length', (r) => r.writeHead(200, ['content-length', '2', 'x-one', 'a']).end('ok')],
    ['bytes of known length', (r) => r.writeHead(200, ['content-length', '2']).end(Buffer.from('ok'))],
    ['many bytes of known length', (r) => r.writeHead(200, ['content-length', '100000']).end(long)],
    ['an empty body', (r) => r.writeHead(429, ['content-length', '0', 'retry-after', '2']).end()],
    ['every byte', (r) => r.writeHead(200, ['content-length', '256']).end(everyByte)],
    ['a text with multi-byte characters', (r) => r.writeHead(200, ['content-length', '3']).end('€')],
    ['a header with every byte', (r) => r.writeHead(200, ['x-one', 'caf\xe9\t\xff', 'content-length', '0']).end()],
    [
      'a response that closes the connection',
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
      'a stream that ends without data',
      (r) => {
        r.writeHead(200, []).write('data: one\n\n');
        r.end();
      },
    ],
    [
      'a head with shared headers',
      (r) => {
        writeHead(r, 200, [new HeaderBlock(['x-one', 'a', 'x-two', 'b']), new HeaderBlock(['x-three', 'caf\xe9'])], []);
        r.end('end');
      },
    ],
    ['a stream with a single write', (r) => r.writeHead(200, []).end(long)],
  ])('%s', async (_, write) => {
    const { connectClient } = await startServer(
      ({ response }) => write(response),
      (request, response) => request.resume().on('end', () => write(response)),
    );
    const [plain, node] = [await connectClient(plainRequest('/plain')), await connectClient(plainRequest('/other'))];
    const last = plainRequest('/other', 'x');
    for (const { socket } of [plain, node]) socket.end(last.slice(0, -1));
    await expect.poll(() => plain.isClosed && node.isClosed).toBe(true);
    expect(normal(plain.received)).toBe(normal(node.received));
    expect(plain.received.length).toBeGreaterThan(50);
  });

  test('rejects header values with line breaks or invalid characters', async () => {
    const thrown: unknown[] = [];
    const { connectClient } = await startServer(({ response }) => {
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
    const client = await connectClient(plainRequest('/plain'));
    await expect.poll(() => client.received).toContain('\r\n\r\n');
    expect(thrown).toEqual(Array.from({ length: 4 }, () => expect.any(TypeError)));
    expect(client.received).not.toContain('x-one');
  });

  /** Removes dates, and Node's error response at the end of both. */
  const normal = (text: string) => text.replace(/Date: [^\r]+/g, 'Date: now').split('HTTP/1.1 400')[0];
});

test('emits drain when the client has caught up', async () => {
  const long = Buffer.alloc(32 * 1_048_576, 'x');
  let drained = 0;
  const { connectClient, served } = await startServer(({ response }) => {
    response.on('drain', () => {
      drained += 1;
      response.end();
    });
    response.writeHead(200, []).write(long);
  });
  const client = await connectClient(plainRequest('/plain'));
  client.socket.pause();
  await expect.poll(() => served[0]?.response.writableNeedDrain).toBe(true);
  client.socket.resume();
  await expect.poll(() => client.received.endsWith('0\r\n\r\n'), { timeout: 10_000 }).toBe(true);
  expect(drained).toBe(1);
});

test('does not overwrite bytes that a slow client has not received yet', async () => {
  const long = Buffer.alloc(32 * 1_048_576, 'x');
  const { connectClient, served } = await startServer((one) => {
    if (one.url !== '/plain/slow') return respond(one);
    one.response.writeHead(200, []).write(long);
    one.response.end(Buffer.from('the end of the slow response'));
  });
  const slow = await connectClient(plainRequest('/plain/slow'));
  slow.socket.pause();
  await expect.poll(() => served[0]?.response.writableEnded).toBe(true);
  const others = await Promise.all(
    Array.from({ length: 10 }, () => connectClient(plainRequest('/plain/other', 'o'.repeat(100)))),
  );
  await expect.poll(() => others.every((other) => responsesIn(other).length === 1)).toBe(true);
  slow.socket.resume();
  await expect.poll(() => slow.received.endsWith('0\r\n\r\n'), { timeout: 10_000 }).toBe(true);
  expect(slow.received.slice(-100)).toContain('\r\nthe end of the slow response\r\n');
});

test('queues many small writes without much overhead', async () => {
  const long = Buffer.alloc(32 * 1_048_576, 'x');
  let grown = 0;
  const { connectClient } = await startServer(({ response }) => {
    response.writeHead(200, []).write(long);
    const before = process.memoryUsage().arrayBuffers;
    for (let piece = 0; piece < 1_000; piece++) response.write('data: {}\n\n');
    grown = process.memoryUsage().arrayBuffers - before;
    response.destroy();
  });
  const client = await connectClient(plainRequest('/plain'));
  await expect.poll(() => client.isClosed).toBe(true);
  expect(grown).toBeLessThan(4 * 1_048_576);
});
