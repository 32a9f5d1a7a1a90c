import { describe, expect, test } from 'vitest';
import { answer, answersIn, plain, plainStages } from '../../../test/support/plainStage.ts';
import type { ClientResponse } from '../client/client.ts';
import { writeHead } from '../client/writeHead.ts';
import { HeaderBlock } from '../wire/headerBlock.ts';

const stage = plainStages();

describe('an answer is the same, byte for byte, as Node writes it', () => {
  const long = Buffer.alloc(100_000, 'x');
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

  test.each<[string, (response: ClientResponse) => void]>([
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
    const client = await call(plain('/plain'));
    await expect.poll(() => client.received).toContain('\r\n\r\n');
    expect(thrown).toEqual(Array.from({ length: 4 }, () => expect.any(TypeError)));
    expect(client.received).not.toContain('x-one');
  });

  /** Heads carry the second in which they were made; what follows the answer is Node's for both. */
  const normal = (text: string) => text.replace(/Date: [^\r]+/g, 'Date: now').split('HTTP/1.1 400')[0];
});

test('a client that has caught up is told to the answer that waits for it', async () => {
  const long = Buffer.alloc(32 * 1_048_576, 'x');
  let drained = 0;
  const { call, served } = await stage(({ response }) => {
    response.on('drain', () => {
      drained += 1;
      response.end();
    });
    response.writeHead(200, []).write(long);
  });
  const client = await call(plain('/plain'));
  client.socket.pause();
  await expect.poll(() => served[0]?.response.writableNeedDrain).toBe(true);
  client.socket.resume();
  await expect.poll(() => client.received.endsWith('0\r\n\r\n'), { timeout: 10_000 }).toBe(true);
  expect(drained).toBe(1);
});

test('what a slow client has not taken yet is not overwritten by the answers of others', async () => {
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

test('many small pieces for a client that does not read take no more memory than they are long', async () => {
  const long = Buffer.alloc(32 * 1_048_576, 'x');
  let grown = 0;
  const { call } = await stage(({ response }) => {
    response.writeHead(200, []).write(long);
    const before = process.memoryUsage().arrayBuffers;
    for (let piece = 0; piece < 1_000; piece++) response.write('data: {}\n\n');
    grown = process.memoryUsage().arrayBuffers - before;
    response.destroy();
  });
  const client = await call(plain('/plain'));
  await expect.poll(() => client.isClosed).toBe(true);
  expect(grown).toBeLessThan(4 * 1_048_576);
});
