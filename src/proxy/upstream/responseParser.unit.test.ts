import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MalformedResponse } from './responseHead.ts';
import type { HeaderLookup } from './responseHeaders.ts';
import { ResponseParser } from './responseParser.ts';

interface Told {
  heads: { status: number; headers: HeaderLookup }[];
  pieces: string[];
  ends: number;
}

/** Reads these pieces as the answer to one request, each in memory that is overwritten afterwards. */
function read(pieces: readonly (string | Buffer)[]) {
  const told: Told = { heads: [], pieces: [], ends: 0 };
  const bodies: Buffer[] = [];
  const parser = new ResponseParser({
    onHead: (status, headers) => told.heads.push({ status, headers }),
    onBody: (bytes) => bodies.push(bytes),
    onEnd: () => {
      told.ends += 1;
    },
  });
  for (const piece of pieces) {
    const memory = Buffer.from(piece as string, 'latin1');
    parser.read(memory);
    memory.fill('#');
  }
  told.pieces = bodies.map((bytes) => bytes.toString('latin1'));
  return { parser, ...told, body: told.pieces.join('') };
}

const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
const CHUNKED = head('Transfer-Encoding: chunked');

describe('a response', () => {
  test('of a known length ends with its last byte', () => {
    const { parser, ...told } = read([`${head('Content-Length: 5', 'X-Two:  a b ')}hello`]);
    expect(told).toMatchObject({
      heads: [{ status: 200 }],
      pieces: ['hello'],
      ends: 1,
    });
    const [first] = told.heads;
    expect(['content-length', 'x-two', 'two', 'x-three'].map((name) => first?.headers.get(name))).toEqual([
      '5',
      'a b',
      undefined,
      undefined,
    ]);
    expect(parser.mayBeFollowed).toBe(true);
  });

  test.each([
    ['no length at all', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['304, whatever it says of a length', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 10\r\n\r\n'],
    ['length 0', head('content-length: 0')],
    ['an empty chunked body', `${CHUNKED}0\r\n\r\n`],
  ])('without a body, %s, ends with its head', (_what, text) => {
    const { parser, ends, body } = read([text]);
    expect({ ends, body, mayBeFollowed: parser.mayBeFollowed }).toEqual({ ends: 1, body: '', mayBeFollowed: true });
  });

  test('in chunks is told without their marks, and in one piece when it came in one', () => {
    const { pieces, ends } = read([
      `${CHUNKED}5\r\nhello\r\n1;name="a"\r\n,\r\n006 \r\n world\r\n0\r\nX-Sum: 1\r\n\r\n`,
    ]);
    expect({ pieces, ends }).toEqual({ pieces: ['hello, world'], ends: 1 });
  });

  test('without a length ends when the connection does, and is the last one on it', () => {
    const { parser, body, ends } = read([head(), 'some', ' words']);
    expect({ body, ends, isWhole: parser.close() }).toEqual({ body: 'some words', ends: 0, isWhole: true });
    expect(parser.mayBeFollowed).toBe(false);
  });

  test.each([
    ['of a length', `${head('content-length: 5')}hell`],
    ['in chunks', `${CHUNKED}5\r\nhello\r\n`],
    ['whose head is not complete', 'HTTP/1.1 200 OK\r\n'],
  ])('%s is not whole when the connection ends before', (_what, text) => {
    expect(read([text]).parser.close()).toBe(false);
  });

  test('may be announced by others before it', () => {
    const { heads, body } = read([
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${head('content-length: 2')}ok`,
    ]);
    expect({ statuses: heads.map(({ status }) => status), body }).toEqual({ statuses: [200], body: 'ok' });
  });

  test('keeps what a header says several times', () => {
    const { heads } = read([head('a: 1', 'A: 2', 'set-cookie: x=1', 'b: a: 3', 'content-length: 0')]);
    expect(['a', 'set-cookie', 'content-length'].map((name) => heads[0]?.headers.get(name))).toEqual([
      '1, 2',
      'x=1',
      '0',
    ]);
  });

  test('reads the same however it is cut, and nothing of the memory that it came in is kept', () => {
    const text = `HTTP/1.1 100 Continue\r\n\r\n${head('Transfer-Encoding: Chunked', 'x: y')}c\r\nHello, w\u00f6rld\r\n3;x\r\n\r\n!\r\n0\r\nT: u\r\nV: w\r\n\r\n`;
    const expected = { heads: [{ status: 200 }], ends: 1 };
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const result = read(places.slice(1).map((place, index) => text.slice(places[index], place)));
        expect(result).toMatchObject({ ...expected, body: 'Hello, w\u00f6rld\r\n!' });
        expect(result.heads[0]?.headers.get('x')).toBe('y');
        expect(result.parser.mayBeFollowed).toBe(true);
      }),
    );
    const bytewise = read([...text]);
    expect(bytewise).toMatchObject({ ...expected, body: 'Hello, w\u00f6rld\r\n!' });
  });
});

describe('the connection serves no further request after a response', () => {
  test.each([
    ['that says so', `${head('content-length: 2', 'Connection: Close')}ok`],
    ['that says so among other things', `${head('content-length: 2', 'connection: foo, close')}ok`],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['with something behind it', `${head('content-length: 2')}okHTTP/1.1 200 OK\r\n\r\n`],
    [
      'that tells its end in two ways',
      `${head('content-length: 9', 'transfer-encoding: chunked')}2\r\nok\r\n0\r\n\r\n`,
    ],
  ])('%s', (_what, text) => {
    const { parser, body, ends } = read([text]);
    expect({ body, ends, mayBeFollowed: parser.mayBeFollowed }).toEqual({ body: 'ok', ends: 1, mayBeFollowed: false });
  });

  test('with something that comes later', () => {
    const { parser, ends } = read([`${head('content-length: 2')}ok`, 'HTTP/1.1 200 OK\r\n\r\n']);
    expect(parser.mayBeFollowed).toBe(false);
    expect(ends).toBe(1);
  });
});

describe('no response', () => {
  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a header without a name', head(': value')],
    ['a header without a colon', head('value')],
    ['a space before the colon', head('name : value')],
    ['a folded header', head('name: value', ' folded')],
    ['a control character', head('name: val\x00ue')],
    ['a bare line feed', head('name: value\nother: value')],
    ['a bare carriage return', head('name: value\rother: value')],
    ['a length that is none', head('content-length: 5x')],
    ['a length below zero', head('content-length: -1')],
    ['two lengths', head('content-length: 5', 'content-length: 6')],
    ['a coding that nobody asked for', head('transfer-encoding: gzip, chunked')],
    ['a chunk without a size', `${CHUNKED}\r\n`],
    ['a size that is no number', `${CHUNKED}xyz\r\n`],
    ['a size beyond all bounds', `${CHUNKED}fffffffffffffffff\r\n`],
    ['a size that ends without a carriage return', `${CHUNKED}5\nhello`],
    ['a chunk that is longer than it says', `${CHUNKED}5\r\nhello!\r\n`],
    ['an end of chunks that is none', `${CHUNKED}0\r\n\rx`],
    ['extensions without end', `${CHUNKED}5;${'x'.repeat(70_000)}`],
    ['trailers without end', `${CHUNKED}0\r\n${'x: y\r\n'.repeat(20_000)}`],
    ['a head without end', head(`x: ${'y'.repeat(70_000)}`)],
  ])('is %s', (_what, text) => {
    expect(() => read([text])).toThrow(MalformedResponse);
    expect(() => read([...text])).toThrow(MalformedResponse);
  });
});

test('after it was stopped nothing more is told', () => {
  let ends = 0;
  const pieces: string[] = [];
  const parser = new ResponseParser({
    onHead: () => undefined,
    onBody: (bytes) => {
      pieces.push(bytes.toString());
      parser.stop();
    },
    onEnd: () => {
      ends += 1;
    },
  });
  parser.read(Buffer.from(`${head('content-length: 10')}hello`));
  parser.read(Buffer.from('world'));
  expect({ pieces, ends }).toEqual({ pieces: ['hello'], ends: 0 });
});
