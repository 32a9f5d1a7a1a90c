/** Bytes that a client sends on a connection of its own, and how a server has to understand them. */
export interface RequestFixture {
  readonly title: string;
  readonly bytes: Buffer;
  /** The requests, as method, target and body; the last one may be incomplete. */
  readonly requests: readonly string[];
  /** How many of them are served; an invalid body ends a request before that. */
  readonly served: number;
  /**
   * What becomes of the connection: it takes another request; the server closes it after the last response; or it refuses with
   * this status and closes it. `incomplete`: the server waits for more, and refuses with 400 when the client ends it instead.
   */
  readonly then: 'reusable' | 'closed' | 'incomplete' | 400 | 405 | 417 | 431;
}

const lines = (...parts: readonly string[]) => parts.join('\r\n');
const post = (body: string, ...headers: readonly string[]) =>
  lines('POST /a HTTP/1.1', 'Host: x', ...headers, '', body);
const withoutHost = lines('POST /a HTTP/1.1', 'Content-Length: 2', '', '{}');
/** A plain request with some more headers. */
const plain = (...headers: readonly string[]) => post('{}', ...headers, 'Content-Length: 2');
const chunked = (...parts: readonly string[]) => post(lines(...parts), 'Transfer-Encoding: chunked');
const get = (target: string, ...headers: readonly string[]) =>
  lines(`GET ${target} HTTP/1.1`, 'Host: x', ...headers, '', '');

/** A request like that of `plain` is expected, unless others are named. */
const served = (title: string, text: string, ...requests: readonly string[]) =>
  fixture(title, text, 'reusable', requests.length > 0 ? requests : ['POST /a {}']);
const closed = (title: string, text: string, ...requests: readonly string[]) =>
  fixture(title, text, 'closed', requests.length > 0 ? requests : ['POST /a {}']);
const refused = (title: string, text: string, ...requests: readonly string[]) => fixture(title, text, 400, requests, 0);
const refusedBehind = (title: string, text: string, ...requests: readonly string[]) =>
  fixture(title, text, 400, requests);
const incomplete = (title: string, text: string, ...requests: readonly string[]) =>
  fixture(title, text, 'incomplete', requests, 0);

function fixture(
  title: string,
  text: string,
  then: RequestFixture['then'],
  requests: readonly string[],
  count = requests.length,
): RequestFixture {
  return { title, bytes: Buffer.from(text, 'latin1'), then, requests, served: count };
}

/**
 * What llhttp, the parser of Node, documents and tests of requests, by the headings of its own fixtures
 * (https://github.com/nodejs/llhttp/tree/main/test/request): the strict reading, all lenient flags off. Most are POSTs with a
 * `Host`, so that as many as possible could be mistaken for plain requests.
 */
export const requestFixtures: Readonly<Record<string, readonly RequestFixture[]>> = {
  'sample requests': [
    served('a plain request', plain()),
    served(
      'a request of curl',
      get('/test', 'User-Agent: curl/7.18.0 (i486-pc-linux-gnu)', 'Accept: */*'),
      'GET /test ',
    ),
    served('a method that begins like a response', lines('HEAD /url HTTP/1.1', 'Host: x', '', ''), 'HEAD /url '),
    served('a header without blanks', plain('aaaaaaaaaaaaa:++++++++++')),
    served('an empty line before a request', `\r\n${plain()}`),
    served('three empty lines before a request', `\r\n\r\n\r\n${plain()}`),
    served('a value in another alphabet', plain('Test: D\xc3\xbcsseldorf')),
    served('the byte 255 in a value', plain('Test: \xffValue')),
    served('a no-break space at both ends of a value', plain('Test: \xa0a\xa0')),
    served('blanks and tabs around a value', plain('Test:\t  a b\t \t')),
    served('an empty value', plain('Test:')),
    served('a value of blanks only', plain('Test: \t ')),
    served('every character of a token in a name', plain("a!#$%&'*+-.^_`|~9: b")),
    served(
      'version 1.0 with a kept connection',
      post('{}', 'Connection: keep-alive', 'Content-Length: 2').replace('1.1', '1.0'),
    ),
    closed('version 1.0', plain().replace('1.1', '1.0')),
    closed('no version, as in version 0.9', lines('POST /a', '', ''), 'POST /a '),
    refused('a folded value', plain('Test: a', ' b')),
    refused('a folded value with a tab', plain('Test: a', '\tb')),
    refused('a value that begins on the next line', plain('Test:', ' a')),
    refused('no host in version 1.1', withoutHost),
    refused('a request behind one without a host', withoutHost + plain()),
  ],
  methods: [
    ...['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'REPORT', 'PURGE', 'M-SEARCH', 'LINK', 'UNLINK', 'SEARCH', 'QUERY'].map(
      (method) => served(`the method ${method}`, plain().replace('POST', method), `${method} /a {}`),
    ),
    fixture('the method CONNECT', lines('CONNECT x:443 HTTP/1.1', 'Host: x', '', ''), 405, []),
    refused('a method of RTSP', plain().replace('POST', 'ANNOUNCE')),
    served('the method SOURCE, as Icecast has it', plain().replace('POST', 'SOURCE'), 'SOURCE /a {}'),
    refused('an unknown method', plain().replace('POST', 'POSTA')),
    refused('a method in lower case', plain().replace('POST', 'post')),
    refused('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    refused('a response in place of a request', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    refused('a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  ],
  targets: [
    served('quotes', plain().replace('/a', '/with_"quotes"?a="b"'), 'POST /with_"quotes"?a="b" {}'),
    served('a second question mark', plain().replace('/a', '/a?b=c?d'), 'POST /a?b=c?d {}'),
    served('a vertical bar', plain().replace('/a', '/a?b=|'), 'POST /a?b=| {}'),
    served('brackets, backslashes and braces', plain().replace('/a', '/a[1]\\{b}^`'), 'POST /a[1]\\{b}^` {}'),
    served('percent signs that encode nothing', plain().replace('/a', '/%zz%'), 'POST /%zz% {}'),
    served('a target with a host', get('http://hypnotoad.org:1234/a?hail=all'), 'GET /a?hail=all '),
    served('a target with a host that ends at its query', get('http://hypnotoad.org?hail=all'), 'GET /?hail=all '),
    served('an asterisk', lines('OPTIONS * HTTP/1.1', 'Host: x', '', ''), 'OPTIONS * '),
    refused('a fragment', plain().replace('/a', '/a?b=1#c')),
    refused('another alphabet', plain().replace('/a', '/\xce\xb4')),
    refused('a blank', plain().replace('/a', '/a b')),
    refused('a tab', plain().replace('/a', '/a\tb')),
    refused('a form feed', plain().replace('/a', '/a\fb')),
    refused('DEL', plain().replace('/a', '/a\x7f')),
    refused('NUL', plain().replace('/a', '/a\0')),
    refused('no slash', plain().replace('/a', 'a')),
    served('two blanks before the version', plain().replace('/a ', '/a  ')),
    refused('a blank after the version', plain().replace('1.1', '1.1 ')),
  ],
  versions: [
    ...['0.9', '2.0'].map((version) => closed(`version ${version}`, plain().replace('1.1', version))),
    ...['1.2', '3.0', '5.6', '11.1', '1.', '1', '01.1', '1.1.1'].map((version) =>
      refused(`version ${version}`, plain().replace('1.1', version)),
    ),
    refused('another protocol', plain().replace('HTTP/1.1', 'ICE/1.0')),
    refused('a protocol that ends like HTTP', plain().replace('HTTP/1.1', 'IHTTP/1.1')),
    refused('the protocol in lower case', plain().replace('HTTP/1.1', 'http/1.1')),
  ],
  'the end of a line': [
    refused('LF only after the first line', plain().replace('1.1\r\n', '1.1\n')),
    refused('LF only after a header', plain().replace('x\r\n', 'x\n')),
    refused('LF only at the end of the head', plain().replace('\r\n\r\n', '\r\n\n')),
    refused('LF only, everywhere', plain().replaceAll('\r\n', '\n')),
    refused('CR only after a header', plain().replace('x\r\n', 'x\r')),
    refused('CR within a value', plain('Test: a\rb')),
    refused('CR and another character in place of the empty line', plain().replace('\r\n\r\n', '\r\n\rZ')),
    refused('two CR before LF', plain().replace('x\r\n', 'x\r\r\n')),
    refused('a framing header behind LF only', plain('Test: x\nTransfer-Encoding: chunked')),
    refused('a framing header behind CR only', plain('Test: x\rTransfer-Encoding: chunked')),
    refused('a framing header behind an empty value and LF', plain('Test:\nTransfer-Encoding: chunked')),
    refused('a framing header behind an empty value and CR', plain('Test:\rTransfer-Encoding: chunked')),
  ],
  'header lines': [
    refused('a blank before the first name', plain().replace('Host', ' Host')),
    refused('a blank before a name', plain(' Test: a')),
    refused('a blank before the colon', plain('Test : a')),
    refused('a tab before the colon', plain('Test\t: a')),
    refused('a blank before the colon of a length', plain().replace('Length:', 'Length :')),
    refused('no name', plain(': a')),
    refused('no colon', plain('Test')),
    refused('a line of blanks', plain('  ')),
    refused('an at sign in a name', plain('Fo@: a')),
    refused('a control character in a name', plain('Foo\x01\test: a')),
    refused('a name in another alphabet', plain('T\xe9st: a')),
    refused('a name continued on the next line', plain('Test', ' : a')),
    refused('CR in place of a hyphen in a length', plain().replace('Content-', 'Content\r')),
    refused('CR in the name of a header about the connection', plain('Connection\r\x1b5\xd5eep-Alive')),
    refused('a form feed in a value', plain('Test: \f')),
    refused('NUL in a value', plain('Test: a\0b')),
    refused('DEL in a value', plain('Test: a\x7fb')),
    refused('a bell in a value', plain('Test: a\x07b')),
    served('names that differ in nothing but case', plain('Test: a', 'TEST: b')),
    served('a second cookie', plain('Cookie: a', 'Cookie: b')),
    served('names of properties that all objects have', plain('__proto__: a', 'constructor: b', 'toString: c')),
    served('a head of a thousand headers', plain(...shortHeaders(998))),
    fixture('a head of more than a thousand headers', plain(...shortHeaders(999)), 431, []),
    served('a head of 16,000 bytes', plain(`Test: ${'a'.repeat(15_900)}`)),
    fixture('a head of 17,000 bytes', plain(`Test: ${'a'.repeat(16_900)}`), 431, []),
  ],
  'the length of a body': [
    served('a length with zeros before it', post('abc', 'Content-Length: 003'), 'POST /a abc'),
    served('a length with headers after it', post('abc', 'Content-Length: 3', 'Test: a'), 'POST /a abc'),
    served('a length in odd case', post('abc', 'conTENT-Length: 3'), 'POST /a abc'),
    served('blanks around a length', post('abc', 'Content-Length:   3  '), 'POST /a abc'),
    served('a tab after a length', post('abc', 'Content-Length: 3\t'), 'POST /a abc'),
    served('a length of zero', post('', 'Content-Length: 0'), 'POST /a '),
    served('no length', post(''), 'POST /a '),
    served('a body with a GET', lines('GET /a HTTP/1.1', 'Host: x', 'Content-Length: 5', '', 'HELLO'), 'GET /a HELLO'),
    refused('a length of 21 digits', post('', 'Content-Length: 1000000000000000000000')),
    refused('a length that just exceeds 64 bits', post('', 'Content-Length: 18446744073709551616')),
    refused('two lengths', post('a', 'Content-Length: 1', 'Content-Length: 2')),
    refused('two equal lengths', post('a', 'Content-Length: 1', 'Content-Length: 1')),
    refused('a list of lengths', post('a', 'Content-Length: 1, 1')),
    refused('a blank within a length', post('a', 'Content-Length: 4 2')),
    refused('no digits', post('', 'Content-Length:')),
    refused('a length of blanks', post('', 'Content-Length:  ')),
    refused('a negative length', post('', 'Content-Length: -1')),
    refused('a plus sign', post('', 'Content-Length: +1')),
    refused('a hexadecimal length', post('', 'Content-Length: 0x1')),
    refused('a fraction', post('', 'Content-Length: 1.0')),
    refused('a no-break space after a length', post('a', 'Content-Length: 1\xa0')),
    incomplete('less than its length', post('abcd', 'Content-Length: 5'), 'POST /a abcd'),
    served('more than its length', `${post('abc', 'Content-Length: 3')}${plain()}`, 'POST /a abc', 'POST /a {}'),
    refusedBehind('garbage behind its length', `${post('abc', 'Content-Length: 3')}defg`, 'POST /a abc'),
  ],
  'transfer codings': [
    served('chunks', chunked('5', 'hello', '6', ' world', '0', '', ''), 'POST /a hello world'),
    served(
      'sizes in lower and upper case',
      chunked('a', '0123456789', 'A', '0123456789', '0', '', ''),
      `POST /a ${'0123456789'.repeat(2)}`,
    ),
    served('zeros before sizes', chunked('005', 'hello', '000', '', ''), 'POST /a hello'),
    served('no data', chunked('0', '', ''), 'POST /a '),
    served('the coding in upper case', post('0\r\n\r\n', 'Transfer-Encoding: CHUNKED'), 'POST /a '),
    served('chunked after other codings', post('0\r\n\r\n', 'Transfer-Encoding: gzip, deflate, chunked'), 'POST /a '),
    served(
      'chunked in a second header',
      post('0\r\n\r\n', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'),
      'POST /a ',
    ),
    refused('chunked before another coding', post('0\r\n\r\n', 'Transfer-Encoding: chunked, deflate')),
    refused(
      'chunked before another header',
      post('0\r\n\r\n', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'),
    ),
    refused('an unknown coding', post('', 'Transfer-Encoding: pigeons'), 'POST /a '),
    refused('a coding that begins like chunked', post('', 'Transfer-Encoding: chunkedchunked'), 'POST /a '),
    refused('a coding that ends like chunked', post('', 'Transfer-Encoding: xchunked'), 'POST /a '),
    refused('a no-break space before the coding', post('0\r\n\r\n', 'Transfer-Encoding: \xa0chunked'), 'POST /a '),
    refused('a vertical tab before the coding', post('0\r\n\r\n', 'Transfer-Encoding: \x0bchunked')),
    refused('no coding', post('', 'Transfer-Encoding:')),
    refused('an empty coding and a length', plain('Transfer-Encoding:')),
    refused('chunked and a length', plain('Transfer-Encoding: chunked')),
    refused('a length and then chunked', post('{}', 'Content-Length: 2', 'Transfer-Encoding: chunked')),
    refused('identity and a length', plain('Transfer-Encoding: identity')),
    refused('a size with 0x', chunked('0x5', 'hello', '0', '', ''), 'POST /a '),
    refused('a size with a sign', chunked('+5', 'hello', '0', '', ''), 'POST /a '),
    refused('a negative size', chunked('-5', 'hello', '0', '', ''), 'POST /a '),
    refused('no size', chunked('', 'hello', '0', '', ''), 'POST /a '),
    refused('a size that is no number', chunked('g', 'hello', '0', '', ''), 'POST /a '),
    refused('a size of more than 64 bits', chunked('10000000000000005', 'hello', '0', '', ''), 'POST /a '),
    refused('a blank before a size', chunked(' 5', 'hello', '0', '', ''), 'POST /a '),
    refused('a blank after a size', chunked('5 ', 'hello', '0', '', ''), 'POST /a '),
    refused('a tab after a size', chunked('5\t', 'hello', '0', '', ''), 'POST /a '),
    refused('LF only after a size', chunked('5\nhello', '0', '', ''), 'POST /a '),
    refused('LF only after data', chunked('5', 'hello\n0', '', ''), 'POST /a hello'),
    refused('data longer than its size', chunked('5', 'hello!', '0', '', ''), 'POST /a hello'),
    refused('data shorter than its size', chunked('6', 'hello', '0', '', ''), 'POST /a hello\r'),
    refused('LF only at the end', chunked('5', 'hello', '0\n\n'), 'POST /a hello'),
    incomplete('no last chunk', chunked('5', 'hello', ''), 'POST /a hello'),
    incomplete('no empty line at the end', chunked('5', 'hello', '0', ''), 'POST /a hello'),
  ],
  'chunk extensions': [
    served('names and values', chunked('5;a;b=c;d=e', 'hello', '0', '', ''), 'POST /a hello'),
    served('a quoted value', chunked('5;a="b; \\"c\\" \\\\d";e=f', 'hello', '0', '', ''), 'POST /a hello'),
    served('an extension of the last chunk', chunked('5', 'hello', '0;a=b', '', ''), 'POST /a hello'),
    served('a no-break space in a quoted value', chunked('5;a="\xa0"', 'hello', '0', '', ''), 'POST /a hello'),
    refused('no semicolon', chunked('5 a', 'hello', '0', '', ''), 'POST /a '),
    refused('no extension after a semicolon', chunked('5;', 'hello', '0', '', ''), 'POST /a '),
    refused('a blank after a semicolon', chunked('5; a', 'hello', '0', '', ''), 'POST /a '),
    refused('a quoted value without an end', chunked('5;a="b', 'hello', '0', '', ''), 'POST /a '),
    refused('LF only after an extension', chunked('5;a=b\nhello', '0', '', ''), 'POST /a '),
    ...controls().flatMap(([name, character]) => [
      refused(`${name} in a name`, chunked(`5;a${character}b`, 'hello', '0', '', ''), 'POST /a '),
      refused(`${name} in a value`, chunked(`5;a=b${character}c`, 'hello', '0', '', ''), 'POST /a '),
      refused(`${name} in a quoted value`, chunked(`5;a="b${character}c"`, 'hello', '0', '', ''), 'POST /a '),
    ]),
  ],
  trailers: [
    served('two trailers', chunked('5', 'hello', '0', 'Vary: *', 'Content-Type: text/plain', '', ''), 'POST /a hello'),
    refused('a trailer with a length', chunked('5', 'hello', '0', 'Content-Length: 9', '', ''), 'POST /a hello'),
    refused('a trailer without a colon', chunked('5', 'hello', '0', 'Vary', '', ''), 'POST /a hello'),
    refused('a blank before a trailer', chunked('5', 'hello', '0', ' Vary: *', '', ''), 'POST /a hello'),
    refused('LF only after a trailer', chunked('5', 'hello', '0', 'Vary: *\n', ''), 'POST /a hello'),
    ...controls().flatMap(([name, character]) => [
      refused(`${name} in a name`, chunked('5', 'hello', '0', `Va${character}ry: *`, '', ''), 'POST /a hello'),
      refused(`${name} in a value`, chunked('5', 'hello', '0', `Vary: a${character}b`, '', ''), 'POST /a hello'),
    ]),
  ],
  'the connection': [
    served('keep-alive', plain('Connection: keep-alive')),
    served('keep-alive in odd case, with blanks', plain('connection:  Keep-Alive ')),
    served('an unknown token', plain('Connection: something')),
    closed('close', plain('Connection: close')),
    closed('close in upper case', plain('Connection: CLOSE')),
    closed('close among others', plain('Connection: close, token, keep-alive')),
    closed('close behind others', plain('Connection: token,close')),
    served('a token that begins like close', plain('Connection: closed')),
    closed('close in a header for proxies', plain('Proxy-Connection: close')),
    closed('close in a header for proxies, in odd case', plain('proxy-connection:Close')),
    closed('close for proxies beside keep-alive', plain('Connection: keep-alive', 'Proxy-Connection: close')),
    served('keep-alive in a header for proxies', plain('Proxy-Connection: keep-alive')),
    served('close with a no-break space behind it, which is no close', plain('Connection: close\xa0')),
    served('an upgrade, which is not done', plain('Connection: upgrade', 'Upgrade: ws')),
    served('an upgrade of a GET', get('/demo', 'Connection: Upgrade', 'Upgrade: websocket'), 'GET /demo '),
    served('an upgrade without saying so of the connection', plain('Upgrade: ws')),
    closed('a request behind close', `${plain('Connection: close')}${plain()}`),
    closed('a request behind version 1.0', `${plain().replace('1.1', '1.0')}${plain()}`),
    fixture('an unknown expectation', plain('Expect: more'), 417, []),
    fixture('a request behind an unknown expectation', plain('Expect: more') + plain(), 417, []),
    served('an expected interim response', plain('Expect: 100-continue')),
  ],
  pipelining: [
    served(
      'three requests',
      plain() + post('BBBB', 'Content-Length: 4').replace('POST /a', 'PUT /b') + chunked('0', '', ''),
      'POST /a {}',
      'PUT /b BBBB',
      'POST /a ',
    ),
    served('empty lines between requests', `${plain()}\r\n\r\n${plain()}`, 'POST /a {}', 'POST /a {}'),
    refusedBehind('LF and garbage between requests', `${plain()}\nx${plain()}`, 'POST /a {}'),
    refusedBehind(
      'a request that lacks its host behind another',
      `${plain()}POST /b HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`,
      'POST /a {}',
    ),
  ],
  'the end of the connection': [
    served('after a request', plain()),
    incomplete('within the first line', 'POST /a HT'),
    incomplete('within a header', 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Leng'),
    incomplete('before the empty line', 'POST /a HTTP/1.1\r\nHost: x\r\n'),
    incomplete('before the body', post('', 'Content-Length: 100'), 'POST /a '),
  ],
};

/** Header names of two characters, so that a thousand fit into a head. */
function shortHeaders(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${(index + 500).toString(36)}:`);
}

function controls(): [string, string][] {
  return [
    ['NUL', '\0'],
    ['CR', '\r'],
    ['LF', '\n'],
    ['a bell', '\x07'],
    ['DEL', '\x7f'],
  ];
}
