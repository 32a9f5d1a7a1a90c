import { describe, expect, test } from 'vitest';
import { readPlainHead } from './plainHead.ts';

const read = (text: string) => readPlainHead(Buffer.from(text, 'latin1'));

/** A plain request, with some lines replaced or added. */
const request = ({
  line = 'POST /v1/responses HTTP/1.1',
  host = 'Host: x',
  length = 'Content-Length: 2',
  more = '',
} = {}) => `${[line, host, length, ...(more ? [more] : [])].join('\r\n')}\r\n\r\n{}`;

test('reads the URL, the length and the offset of the body', () => {
  const text = request({ line: 'POST /v1/responses?a=b&c HTTP/1.1' });
  expect(read(text)).toMatchObject({ url: '/v1/responses?a=b&c', contentLength: 2, end: text.length - 2 });
});

test('reads headers as sent and by lower-case name, without surrounding blanks', () => {
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

test('recognises names and rejects repeated ones after many others', () => {
  for (let head = 0; head < 20; head += 1) {
    const lines = Array.from({ length: 100 }, (_, line) => `X-${head}-${line}: ${line}`).join('\r\n');
    expect(read(request({ more: `${lines}\r\nx-${head}-0: again` }))).toBeUndefined();
    expect(read(request({ more: lines }))?.rawHeaders).toHaveLength(204);
    expect(read(request({ more: lines }))?.headers).toMatchObject({ host: 'x', [`x-${head}-99`]: '99' });
  }
});

test('accepts Connection: keep-alive and Proxy-Connection: keep-alive', () => {
  expect(read(request({ more: 'Connection: Keep-Alive\r\nProxy-Connection: Keep-Alive' }))).toBeDefined();
});

/** Headers with names of two characters, so that many fit into a head. */
const shortHeaders = (count: number) =>
  Array.from({ length: count }, (_, index) => `${(index + 500).toString(36)}:`).join('\r\n');

test('accepts a thousand headers, like Node', () => {
  expect(read(request({ more: shortHeaders(998) }))?.rawHeaders).toHaveLength(2_000);
});

test('ignores bytes after the body', () => {
  expect(read(`${request()}POST /next`)?.contentLength).toBe(2);
});

describe('leaves to Node', () => {
  test.each<[string, string]>([
    ['no bytes', ''],
    ['an incomplete head', request().slice(0, -5)],
    ['a long head', request({ more: `x-long: ${'a'.repeat(9_000)}` })],
    ['another method', request({ line: 'PUT /v1/responses HTTP/1.1' })],
    ['a method in lower case', request({ line: 'post /v1/responses HTTP/1.1' })],
    ['another version', request({ line: 'POST /v1/responses HTTP/1.0' })],
    ['a target with a host', request({ line: 'POST http://x/v1/responses HTTP/1.1' })],
    ['a target with a fragment', request({ line: 'POST /v1/responses#a HTTP/1.1' })],
    ['a target with a blank', request({ line: 'POST /v1/ responses HTTP/1.1' })],
    ['a target with characters beyond ASCII', request({ line: 'POST /v1/responses\xe9 HTTP/1.1' })],
    ['two blanks in the first line', request({ line: 'POST  /v1/responses HTTP/1.1' })],
    ['Proxy-Connection: close', request({ more: 'Proxy-Connection: close' })],
    ['more than a thousand headers', request({ more: shortHeaders(999) })],
    ['no host', request({ host: 'x-host: x' })],
    ['two hosts', request({ more: 'host: y' })],
    ['no length', request({ length: 'x-length: 2' })],
    ['two equal lengths', request({ more: 'content-length: 2' })],
    ['a list of lengths', request({ length: 'Content-Length: 2, 2' })],
    ['no body', request({ length: 'Content-Length: 0' })],
    ['a length with a sign', request({ length: 'Content-Length: +2' })],
    ['a hexadecimal length', request({ length: 'Content-Length: 0x2' })],
    ['a length with a leading zero', request({ length: 'Content-Length: 02' })],
    ['a length of 16 digits', request({ length: `Content-Length: ${'9'.repeat(16)}` })],
    ['an empty length', request({ length: 'Content-Length:' })],
    ['a chunked body', request({ length: 'Transfer-Encoding: chunked' })],
    ['a chunked body with a length', request({ more: 'Transfer-Encoding: chunked' })],
    ['any other framing', request({ more: 'transfer-encoding: identity' })],
    ['Expect: 100-continue', request({ more: 'Expect: 100-continue' })],
    ['a protocol upgrade', request({ more: 'Upgrade: websocket' })],
    ['a header that Node parses to a list', request({ more: 'Set-Cookie: a' })],
    ['Connection: close', request({ more: 'Connection: close' })],
    ['other connection options', request({ more: 'Connection: keep-alive, x-one' })],
    ['a repeated name in another case', request({ more: 'X-One: 1\r\nx-one: 2' })],
    ['a repeated name', request({ more: 'X-One: 1\r\nX-One: 2' })],
    ['a property name of all objects', request({ more: 'constructor: 1' })],
    ['a very long name', request({ more: `${'x'.repeat(200)}: 1` })],
    ['a blank before a name', request({ more: ' x-one: 1' })],
    ['a blank after a name', request({ more: 'x-one : 1' })],
    ['an invalid name', request({ more: 'x(one): 1' })],
    ['an empty name', request({ more: ': 1' })],
    ['a line without a colon', request({ more: 'x-one' })],
    ['a folded line', request({ more: 'x-one: 1\r\n 2' })],
    ['a control character', request({ more: 'x-one: 1\x012' })],
    ['a NUL', request({ more: 'x-one: 1\x00' })],
    ['a bare line feed', request({ more: 'x-one: 1\nx-two: 2' })],
    ['a bare carriage return', request({ more: 'x-one: 1\rx-two: 2' })],
    ['an empty line before the request', `\r\n${request()}`],
  ])('%s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });
});
