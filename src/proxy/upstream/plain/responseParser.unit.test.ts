import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HeaderLookup } from '../../../http/wire/headers.ts';
import { MalformedResponse } from './responseHead.ts';
import { ResponseParser } from './responseParser.ts';

interface Recorded {
  heads: { status: number; headers: HeaderLookup }[];
  pieces: string[];
  ends: number;
}

/** Parses these pieces as the response to one request, each in memory that is overwritten afterwards. */
function read(pieces: readonly (string | Buffer)[]) {
  const recorded: Recorded = { heads: [], pieces: [], ends: 0 };
  const bodies: Buffer[] = [];
  const parser = new ResponseParser({
    onHead: (status, headers) => recorded.heads.push({ status, headers }),
    onBody: (bytes) => bodies.push(bytes),
    onEnd: () => {
      recorded.ends += 1;
    },
  });
  for (const piece of pieces) {
    const memory = Buffer.from(piece as string, 'latin1');
    parser.read(memory);
    memory.fill('#');
  }
  recorded.pieces = bodies.map((bytes) => bytes.toString('latin1'));
  return { parser, ...recorded, body: recorded.pieces.join('') };
}

const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
const CHUNKED = head('Transfer-Encoding: chunked');

describe('a response', () => {
  test('of a known length ends with its last byte', () => {
    const { parser, ...recorded } = read([`${head('Content-Length: 5', 'X-Two:  a b ')}hello`]);
    expect(recorded).toMatchObject({
      heads: [{ status: 200 }],
      pieces: ['hello'],
      ends: 1,
    });
    const [first] = recorded.heads;
    expect(['content-length', 'x-two', 'two', 'x-three'].map((name) => first?.headers.get(name))).toEqual([
      '5',
      'a b',
      undefined,
      undefined,
    ]);
    expect(parser.canReuseConnection).toBe(true);
  });

  test.each([
    ['status 204 and no length', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['304 despite its Content-Length', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 10\r\n\r\n'],
    ['length 0', head('content-length: 0')],
    ['an empty chunked body', `${CHUNKED}0\r\n\r\n`],
  ])('with %s ends with its head', (_what, text) => {
    const { parser, ends, body } = read([text]);
    expect({ ends, body, canReuseConnection: parser.canReuseConnection }).toEqual({
      ends: 1,
      body: '',
      canReuseConnection: true,
    });
  });

  test('in chunks is delivered without framing, as one piece if it arrived in one read', () => {
    const { pieces, ends } = read([
      `${CHUNKED}5\r\nhello\r\n1;name="a"\r\n,\r\n006 \r\n world\r\n0\r\nX-Sum: 1\r\n\r\n`,
    ]);
    expect({ pieces, ends }).toEqual({ pieces: ['hello, world'], ends: 1 });
  });

  test('without a length ends with the connection', () => {
    const { parser, body, ends } = read([head(), 'some', ' words']);
    expect({ body, ends, isComplete: parser.close() }).toEqual({ body: 'some words', ends: 0, isComplete: true });
    expect(parser.canReuseConnection).toBe(false);
  });

  test.each([
    ['with a length', `${head('content-length: 5')}hell`],
    ['in chunks', `${CHUNKED}5\r\nhello\r\n`],
    ['whose head is not complete', 'HTTP/1.1 200 OK\r\n'],
  ])('%s is incomplete when the connection ends first', (_what, text) => {
    expect(read([text]).parser.close()).toBe(false);
  });

  test('may follow interim responses', () => {
    const { heads, body } = read([
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${head('content-length: 2')}ok`,
    ]);
    expect({ statuses: heads.map(({ status }) => status), body }).toEqual({ statuses: [200], body: 'ok' });
  });

  test('joins the values of a repeated header', () => {
    const { heads } = read([head('a: 1', 'A: 2', 'set-cookie: x=1', 'b: a: 3', 'content-length: 0')]);
    expect(['a', 'set-cookie', 'content-length'].map((name) => heads[0]?.headers.get(name))).toEqual([
      '1, 2',
      'x=1',
      '0',
    ]);
  });

  test('parses the same however it is split, and keeps none of the memory it arrived in', () => {
    const text = `HTTP/1.1 100 Continue\r\n\r\n${head('Transfer-Encoding: Chunked', 'x: y')}c\r\nHello, w\u00f6rld\r\n3;x\r\n\r\n!\r\n0\r\nT: u\r\nV: w\r\n\r\n`;
    const expected = { heads: [{ status: 200 }], ends: 1 };
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const result = read(places.slice(1).map((place, index) => text.slice(places[index], place)));
        expect(result).toMatchObject({ ...expected, body: 'Hello, w\u00f6rld\r\n!' });
        expect(result.heads[0]?.headers.get('x')).toBe('y');
        expect(result.parser.canReuseConnection).toBe(true);
      }),
    );
    const bytewise = read([...text]);
    expect(bytewise).toMatchObject({ ...expected, body: 'Hello, w\u00f6rld\r\n!' });
  });
});

describe('the connection is not reused after a response', () => {
  test.each([
    ['with Connection: close', `${head('content-length: 2', 'Connection: Close')}ok`],
    ['with close among other connection options', `${head('content-length: 2', 'connection: foo, close')}ok`],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['followed by other bytes', `${head('content-length: 2')}okHTTP/1.1 200 OK\r\n\r\n`],
    ['with two framings', `${head('content-length: 9', 'transfer-encoding: chunked')}2\r\nok\r\n0\r\n\r\n`],
  ])('%s', (_what, text) => {
    const { parser, body, ends } = read([text]);
    expect({ body, ends, canReuseConnection: parser.canReuseConnection }).toEqual({
      body: 'ok',
      ends: 1,
      canReuseConnection: false,
    });
  });

  test('followed by other bytes in a later read', () => {
    const { parser, ends } = read([`${head('content-length: 2')}ok`, 'HTTP/1.1 200 OK\r\n\r\n']);
    expect(parser.canReuseConnection).toBe(false);
    expect(ends).toBe(1);
  });
});

describe('rejects', () => {
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
    ['an invalid length', head('content-length: 5x')],
    ['a negative length', head('content-length: -1')],
    ['two different lengths', head('content-length: 5', 'content-length: 6')],
    ['a transfer coding that was not requested', head('transfer-encoding: gzip, chunked')],
    ['a chunk without a size', `${CHUNKED}\r\n`],
    ['a size that is not a number', `${CHUNKED}xyz\r\n`],
    ['a size of more than 10 digits', `${CHUNKED}fffffffffffffffff\r\n`],
    ['a size that ends without a carriage return', `${CHUNKED}5\nhello`],
    ['a chunk longer than its size', `${CHUNKED}5\r\nhello!\r\n`],
    ['an invalid end of the chunks', `${CHUNKED}0\r\n\rx`],
    ['endless chunk extensions', `${CHUNKED}5;${'x'.repeat(70_000)}`],
    ['endless trailers', `${CHUNKED}0\r\n${'x: y\r\n'.repeat(20_000)}`],
    ['an endless head', head(`x: ${'y'.repeat(70_000)}`)],
  ])('%s', (_what, text) => {
    expect(() => read([text])).toThrow(MalformedResponse);
    expect(() => read([...text])).toThrow(MalformedResponse);
  });
});

test('calls nothing after it was stopped', () => {
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
