import { describe, expect, test } from 'vitest';
import { readPlainHead } from './plainHead.ts';

const read = (text: string) => readPlainHead(Buffer.from(text, 'latin1'));

/** A plain request, with other lines in place of some, or more of them. */
const request = ({
  line = 'POST /v1/responses HTTP/1.1',
  host = 'Host: x',
  length = 'Content-Length: 2',
  more = '',
} = {}) => `${[line, host, length, ...(more ? [more] : [])].join('\r\n')}\r\n\r\n{}`;

test('a head tells where the request goes, how long its body is and where that begins', () => {
  const text = request({ line: 'POST /v1/responses?a=b&c HTTP/1.1' });
  expect(read(text)).toMatchObject({ url: '/v1/responses?a=b&c', contentLength: 2, end: text.length - 2 });
});

test('headers are told as they were sent, and by their names in lower case, without the blanks around them', () => {
  const head = read(request({ more: 'X-One:\t one two \t\r\nx-NONE:\r\nx-latin: caf\xe9\xa0' }));
  expect(head?.rawHeaders).toEqual([
    ...['Host', 'x', 'Content-Length', '2'],
    ...['X-One', 'one two', 'x-NONE', '', 'x-latin', 'caf\xe9\xa0'],
  ]);
  expect(head?.headers).toEqual({
    host: 'x',
    'content-length': '2',
    'x-one': 'one two',
    'x-none': '',
    'x-latin': 'caf\xe9\xa0',
  });
});

test('however many names have been seen, each is found again and none may come twice', () => {
  for (let head = 0; head < 20; head += 1) {
    const lines = Array.from({ length: 100 }, (_, line) => `X-${head}-${line}: ${line}`).join('\r\n');
    expect(read(request({ more: `${lines}\r\nx-${head}-0: again` }))).toBeUndefined();
    expect(read(request({ more: lines }))?.rawHeaders).toHaveLength(204);
    expect(read(request({ more: lines }))?.headers).toMatchObject({ host: 'x', [`x-${head}-99`]: '99' });
  }
});

test('a connection that says that it stays is still plain', () => {
  expect(read(request({ more: 'Connection: Keep-Alive' }))).toBeDefined();
});

test('what follows the body is nobody’s business here', () => {
  expect(read(`${request()}POST /next`)?.contentLength).toBe(2);
});

describe('left to Node is', () => {
  test.each<[string, string]>([
    ['nothing at all', ''],
    ['a head that has not come as a whole', request().slice(0, -5)],
    ['a head as long as others’ bodies', request({ more: `x-long: ${'a'.repeat(9_000)}` })],
    ['another method', request({ line: 'PUT /v1/responses HTTP/1.1' })],
    ['a method in lower case', request({ line: 'post /v1/responses HTTP/1.1' })],
    ['another version', request({ line: 'POST /v1/responses HTTP/1.0' })],
    ['a target with a host', request({ line: 'POST http://x/v1/responses HTTP/1.1' })],
    ['a target with a fragment', request({ line: 'POST /v1/responses#a HTTP/1.1' })],
    ['a target with a blank', request({ line: 'POST /v1/ responses HTTP/1.1' })],
    ['a target that is no ASCII', request({ line: 'POST /v1/responses\xe9 HTTP/1.1' })],
    ['two blanks in the first line', request({ line: 'POST  /v1/responses HTTP/1.1' })],
    ['no host', request({ host: 'x-host: x' })],
    ['two hosts', request({ more: 'host: y' })],
    ['no length', request({ length: 'x-length: 2' })],
    ['two lengths, even the same', request({ more: 'content-length: 2' })],
    ['a list of lengths', request({ length: 'Content-Length: 2, 2' })],
    ['no body', request({ length: 'Content-Length: 0' })],
    ['a length with a sign', request({ length: 'Content-Length: +2' })],
    ['a length in another notation', request({ length: 'Content-Length: 0x2' })],
    ['a length with a zero before it', request({ length: 'Content-Length: 02' })],
    ['a length that no number can hold', request({ length: `Content-Length: ${'9'.repeat(16)}` })],
    ['an empty length', request({ length: 'Content-Length:' })],
    ['chunks', request({ length: 'Transfer-Encoding: chunked' })],
    ['chunks beside a length', request({ more: 'Transfer-Encoding: chunked' })],
    ['any other framing', request({ more: 'transfer-encoding: identity' })],
    ['a dialogue before the body', request({ more: 'Expect: 100-continue' })],
    ['another protocol', request({ more: 'Upgrade: websocket' })],
    ['what Node tells as a list', request({ more: 'Set-Cookie: a' })],
    ['a connection that ends', request({ more: 'Connection: close' })],
    ['a connection with options', request({ more: 'Connection: keep-alive, x-one' })],
    ['a name twice', request({ more: 'X-One: 1\r\nx-one: 2' })],
    ['a name twice in the same case', request({ more: 'X-One: 1\r\nX-One: 2' })],
    ['a name that objects know', request({ more: 'constructor: 1' })],
    ['a name that is hard to remember', request({ more: `${'x'.repeat(200)}: 1` })],
    ['a name before which there is a blank', request({ more: ' x-one: 1' })],
    ['a name behind which there is a blank', request({ more: 'x-one : 1' })],
    ['a name that is none', request({ more: 'x(one): 1' })],
    ['an empty name', request({ more: ': 1' })],
    ['a line without a colon', request({ more: 'x-one' })],
    ['a folded line', request({ more: 'x-one: 1\r\n 2' })],
    ['a control character', request({ more: 'x-one: 1\x012' })],
    ['a NUL', request({ more: 'x-one: 1\x00' })],
    ['a line that ends with a line feed alone', request({ more: 'x-one: 1\nx-two: 2' })],
    ['a line that ends with a carriage return alone', request({ more: 'x-one: 1\rx-two: 2' })],
    ['an empty line before the first', `\r\n${request()}`],
  ])('%s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });
});
