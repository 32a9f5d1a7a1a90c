import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import type { HeaderLookup } from '../../../http/wire/headers.ts';
import { MalformedResponse } from './malformedResponse.ts';
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
    ['304 and Content-Length 0', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 0\r\n\r\n'],
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

  test.each([
    ['304 with a length', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 10\r\n\r\n'],
    ['204 in chunks', 'HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n'],
  ])('without a body, %s', (_what, text) => {
    const { parser, body, ends } = read([text]);
    expect({ body, ends, canReuseConnection: parser.canReuseConnection }).toEqual({
      body: '',
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

describe('refuses as soon as it arrives, not when the head would be complete:', () => {
  test.each([
    ['a TLS alert', '\x15'],
    ['another protocol', 'S'],
    ['text before the response', '\r'],
    ['HTTP/0.9', '<'],
    ['another version of HTTP', 'HTTP/2'],
    ['a status below 100', 'HTTP/1.1 0'],
    ['a status of two digits', 'HTTP/1.1 20 '],
    ['a status of four digits', 'HTTP/1.1 2000'],
    ['a status line that ends with LF only', 'HTTP/1.1 200 OK\n'],
    ['a header line that ends with LF only', 'HTTP/1.1 200 OK\r\na: b\n'],
    ['a control character in the reason', 'HTTP/1.1 200 O\0'],
    ['a folded status line', 'HTTP/1.1 200 OK\r\n '],
    ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n\t'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n:'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nabc\r'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nabc '],
    ['NBSP before the colon', 'HTTP/1.1 200 OK\r\nabc\xa0'],
    ['a control character in a value', 'HTTP/1.1 200 OK\r\na: \x7f'],
    ['a bare carriage return', 'HTTP/1.1 200 OK\r\na: b\rc'],
    ['the same after an interim response', 'HTTP/1.1 103 Early Hints\r\n\r\n\x15'],
  ])('%s', (_what, text) => {
    expect(() => read([text])).toThrow(MalformedResponse);
    expect(() => read([...text])).toThrow(MalformedResponse);
    expect(() => read([text.slice(0, -1)])).not.toThrow();
  });

  test('every head that cannot be completed, and no other', () => {
    const aPart = fc.constantFrom(
      ...'HTP/1.0 29:ab\r\n\t\0\x7f\xa0\xff',
      '\r\n',
      'HTTP/1.1 200',
      ' OK\r\n',
      'x: y\r\n',
    );
    // A line is completed by what a valid head has next at this place.
    const rest = ['HTTP/1.1 200', ':\r\n\r\n', '\r\n\r\n', '\n\r\n', 'a:\r\n\r\n', '\n'];
    const completions = [...rest, ...Array.from(rest[0] as string, (_, at) => rest[0]?.slice(at)), '00', '0'].flatMap(
      (text) => [text, `${text}\r\n\r\n`],
    );
    const isValid = (text: string) => {
      try {
        return read([text]).heads.length > 0;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(
        fc.constantFrom('', 'HTTP/1.1 200 ', 'HTTP/1.1 200 OK\r\n'),
        fc.array(aPart, { maxLength: 6 }),
        (start, parts) => {
          const text = start + parts.join('');
          if (text.includes('\r\n\r\n')) return;
          let isRefused = false;
          try {
            read([...text]);
          } catch {
            isRefused = true;
          }
          expect(isRefused).toBe(!completions.some((rest) => isValid(`${text}${rest}`)));
        },
      ),
      runs(2_000),
    );
  });
});

test('counts interim responses in no recursion', () => {
  const { heads } = read([`${'HTTP/1.1 100\r\n\r\n'.repeat(30_000)}${head('content-length: 0')}`]);
  expect(heads.map(({ status }) => status)).toEqual([200]);
});

describe('chunk extensions', () => {
  const chunk = (extension: string) => `${CHUNKED}2;${extension}\r\nok\r\n0\r\n\r\n`;

  test('are counted for each chunk, not over the whole response', () => {
    const { body, ends } = read([CHUNKED, ...Array(200).fill(`1;a=${'b'.repeat(1_000)}\r\nx\r\n`), '0;c\r\n\r\n']);
    expect({ length: body.length, ends }).toEqual({ length: 200, ends: 1 });
  });

  test('are bounded: 16,384 bytes for each chunk', () => {
    const accepted = `1;${'a'.repeat(16_383)}\r\nx\r\n`;
    expect(read([CHUNKED, accepted, accepted, '0\r\n\r\n']).ends).toBe(1);
    expect(() => read([CHUNKED, accepted, `1;${'a'.repeat(16_384)}`])).toThrow('chunk extensions exceed 16384 bytes');
    expect(() => read([CHUNKED, `1${' '.repeat(16_385)}`])).toThrow('chunk extensions exceed 16384 bytes');
  });

  test('may hold any text', () => {
    expect(read([chunk('a="x;\\"y\t"; b=\xe9')]).body).toBe('ok');
  });

  test.each([
    ['NUL', 'a\0'],
    ['LF', 'a\n'],
    ['CR', 'a\rb'],
    ['DEL', 'a\x7f'],
    ['an escape character', '\x1b[2J'],
  ])('may not hold %s', (_what, extension) => {
    expect(() => read([chunk(extension)])).toThrow(MalformedResponse);
    expect(() => read([...chunk(extension)])).toThrow(MalformedResponse);
  });

  test('begin with a semicolon', () => {
    expect(read([`${CHUNKED}2 ;a\r\nok\r\n0 \t\r\n\r\n`]).body).toBe('ok');
    expect(() => read([`${CHUNKED}2 a\r\n`])).toThrow(MalformedResponse);
  });
});

describe('trailers', () => {
  const END = `${CHUNKED}2\r\nok\r\n0;x\r\n`;

  test('are skipped, and counted apart from the extensions', () => {
    expect(read([`${CHUNKED}2;${'a'.repeat(16_000)}\r\nok\r\n0\r\n${'x: y\r\n'.repeat(10_000)}\r\n`]).ends).toBe(1);
    expect(() => read([END, 'x: y\r\n'.repeat(11_000)])).toThrow('trailers exceed 65536 bytes');
  });

  test.each([
    ['NUL', 'a: b\0'],
    ['LF', 'a: b\n'],
    ['CR', 'a: b\rc'],
    ['DEL', 'a: \x7f'],
    ['a line without a colon', 'a\r'],
    ['a folded line', 'a: b\r\n c'],
    ['a space in a name', 'a b: c'],
    ['no name', ':'],
    ['a bare LF at the end', '\n'],
  ])('may not hold %s', (_what, lines) => {
    expect(() => read([END, lines])).toThrow(MalformedResponse);
    expect(() => read([END, ...lines])).toThrow(MalformedResponse);
  });
});

describe('blanks around a value are SP and HTAB, not NBSP', () => {
  test('of any header', () => {
    const { heads } = read([head('a: \t x\xa0 ', 'b:\xa0', 'c:\t', 'content-length: 0')]);
    expect(['a', 'b', 'c'].map((name) => heads[0]?.headers.get(name))).toEqual(['x\xa0', '\xa0', '']);
  });

  test.each(['content-length: 5\xa0', 'content-length: 5,\xa05', 'transfer-encoding: chunked\xa0'])('in %j', (line) => {
    expect(() => read([head(line)])).toThrow(MalformedResponse);
  });

  test('of Connection', () => {
    expect(read([`${head('content-length: 2', 'connection: \xa0close')}ok`]).parser.canReuseConnection).toBe(true);
  });
});

test('repeats nothing in an error that could move the cursor of a terminal', () => {
  expect(() => read([head('transfer-encoding: \x9b2J')])).toThrow(/^[\x20-\x7e]+$/);
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
