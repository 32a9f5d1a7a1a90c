import { agentText } from '../support/agentBody.ts';
import type { BadRequest, Expected } from '../support/badRequest.ts';
import { type HeadOptions, head, message, type Step } from '../support/rawHttp.ts';

const NOT_HTTP: Expected = { status: 400, code: 'invalid_request_error', param: null };
const json = Buffer.from(agentText);
const truncated = json.subarray(0, json.length - 20);
const CHUNKED = ['transfer-encoding', 'chunked'] as const;

const notHttp = (name: string, ...steps: Step[]): BadRequest => ({ name, steps, expected: NOT_HTTP, isLogged: false });
/** May get a 4xx or no response, because the client does not wait. */
const abandoned = (name: string, ...steps: Step[]): BadRequest => ({
  name,
  steps,
  expected: undefined,
  isLogged: false,
});
/** Valid HTTP with an invalid body. */
const invalidBody = (name: string, ...steps: Step[]): BadRequest => ({
  name,
  steps,
  expected: NOT_HTTP,
  isLogged: true,
});
const withLength = (length: string | number, ...more: (readonly [string, string | number])[]) =>
  head({ headers: [['content-length', length], ...more] });
const chunkedHead = (options: HeadOptions = {}) => head({ ...options, headers: [CHUNKED, ...(options.headers ?? [])] });
const chunk = (body: Uint8Array | string) =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(body).toString(16)}\r\n`),
    Buffer.from(body as string),
    Buffer.from('\r\n'),
  ]);
const LAST = '0\r\n\r\n';

export const framing = (): BadRequest[] => [
  ...lengths(),
  ...chunks(),
  ...otherProtocols(),
  ...abandonedRequests(),
  ...pipelines(),
];

/** Content-Lengths that do not match the body. */
const lengths = () => [
  invalidBody('a length that is too small', withLength(json.length - 1), json),
  invalidBody('a length of half the body', withLength(Math.floor(json.length / 2)), json),
  invalidBody('a length of zero before a body', withLength(0), json),
  invalidBody('no length and no body', head()),
  invalidBody('no length before a body', head(), json),
  notHttp('a length that is too large, then the end', withLength(json.length + 1), json, 'end'),
  notHttp('a length that is far too large, then the end', withLength(10_000_000), json, 'end'),
  ...[
    '-1',
    '-0',
    '+5',
    '1e3',
    '0x10',
    'five',
    '',
    ' ',
    '5 5',
    '5,6',
    '1.5',
    '99999999999999999999999',
    '\u0661',
    'NaN',
    'null',
  ].map((length) => notHttp(`the length ${JSON.stringify(length)}`, withLength(length), json)),
  notHttp('two lengths that differ', withLength(json.length, ['content-length', json.length + 1]), json),
  notHttp('two lengths that agree', withLength(json.length, ['content-length', json.length]), json),
  notHttp('a length and chunks', withLength(json.length, CHUNKED), json),
  notHttp('chunks and a length', chunkedHead({ headers: [['content-length', 5]] }), chunk(json), LAST),
  notHttp(
    'a space before the colon of the length',
    `POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length : ${json.length}\r\n\r\n`,
    json,
  ),
];

const chunks = () => [
  notHttp('a chunk size that is not a number', chunkedHead(), 'xyz\r\n', json, '\r\n', LAST),
  notHttp('a negative chunk size', chunkedHead(), '-5\r\nhello\r\n', LAST),
  notHttp('a chunk size with 0x', chunkedHead(), '0x5\r\nhello\r\n', LAST),
  notHttp('a huge chunk size', chunkedHead(), `${'f'.repeat(40)}\r\n`, json),
  notHttp('an empty chunk size', chunkedHead(), '\r\nhello\r\n', LAST),
  notHttp('a chunk longer than its size', chunkedHead(), '3\r\nhello\r\n', LAST),
  notHttp('a chunk without its line break', chunkedHead(), '5\r\nhello0\r\n\r\n'),
  notHttp('truncated chunks', chunkedHead(), chunk(truncated), 'end'),
  notHttp('a truncated chunk', chunkedHead(), '1000\r\n{"model"', 'end'),
  notHttp('a bare line feed in chunks', chunkedHead(), '5\nhello\n0\n\n'),
  notHttp('invalid trailers', chunkedHead(), chunk(json), '0\r\nno colon here\r\n\r\n'),
  invalidBody('chunks of truncated JSON', chunkedHead(), chunk(truncated), LAST),
  invalidBody('no chunks', chunkedHead(), LAST),
  notHttp('an unknown transfer encoding', head({ headers: [['transfer-encoding', 'gzip']] }), json, 'end'),
  notHttp('chunked twice', head({ headers: [['transfer-encoding', 'chunked, chunked']] }), chunk(json), LAST),
  notHttp(
    'chunked before another encoding',
    head({ headers: [['transfer-encoding', 'chunked, gzip']] }),
    chunk(json),
    LAST,
  ),
  notHttp(
    'an obscured transfer encoding',
    head({ headers: [['transfer-encoding', '\x0bchunked']] }),
    chunk(json),
    LAST,
  ),
];

const otherProtocols = () => [
  notHttp('a greeting', 'hello\r\n\r\n'),
  notHttp('line feeds and other bytes', '\n\n\n\x01\x02\x03\x04'),
  notHttp('JSON without HTTP', json),
  notHttp('a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex'), Buffer.alloc(200, 7)),
  notHttp('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  notHttp('an SSH client', 'SSH-2.0-OpenSSH_9.6\r\n'),
  notHttp('a SOCKS client', Buffer.from([5, 1, 0, 13, 10, 13, 10])),
  notHttp('a Redis client', '*1\r\n$4\r\nPING\r\n'),
  notHttp('an unknown method', message(json, { method: 'SHOUT' })),
  notHttp('a method in lower case', message(json, { method: 'post' })),
  notHttp('an empty method', message(json, { method: '' })),
  invalidBody('no version', 'POST /v1/responses\r\n\r\n'),
  notHttp('an unknown version', message(json, { version: 'HTTP/3.0' })),
  notHttp('an invalid version', message(json, { version: 'HTTP/one' })),
  notHttp('another protocol', message(json, { version: 'SIP/2.0' })),
  notHttp('a path with a space', message(json, { path: '/v1/resp onses' })),
  notHttp('a path with a NUL', message(json, { path: '/v1/responses\0' })),
  notHttp('a path with a line feed', message(json, { path: '/v1/\nresponses' })),
  notHttp('no path', message(json, { path: '' })),
  notHttp('no host', message(json, { host: null })),
  notHttp('a header without a colon', `POST /v1/responses HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n`),
  notHttp('a header with a space in its name', message(json, { headers: [['x y', '1']] })),
  notHttp('a header without a name', message(json, { headers: [['', '1']] })),
  notHttp('a NUL in a header', message(json, { headers: [['x-note', 'a\0b']] })),
  notHttp('a lone carriage return in a header', message(json, { headers: [['x-note', 'a\rb']] })),
  notHttp('a folded header', message(json, { headers: [['x-note', 'a\r\n b']] })),
  notHttp('a control character in the authorization', message(json, { headers: [['authorization', 'Bearer \x01']] })),
  {
    ...notHttp('headers of 20 kB', message(json, { headers: [['x-note', 'a'.repeat(20_000)]] })),
    expected: { ...NOT_HTTP, status: 431 },
  },
  {
    ...notHttp(
      '5,000 header lines',
      message(json, { headers: Array.from({ length: 5_000 }, (_, n) => [`x-${n}`, n] as const) }),
    ),
    expected: { ...NOT_HTTP, status: 431 },
  },
  {
    ...notHttp('a path of 20 kB', message(json, { path: `/v1/${'a'.repeat(20_000)}` })),
    expected: { ...NOT_HTTP, status: 431 },
  },
  {
    ...notHttp('an unsupported expectation', message(json, { headers: [['expect', 'the-impossible']] })),
    expected: { ...NOT_HTTP, status: 417 },
  },
];

const abandonedRequests = () => [
  abandoned('half a request line, then a disconnect', 'POST /v1/resp', 'destroy'),
  abandoned('half the headers, then a disconnect', 'POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-le', 'destroy'),
  abandoned('no body, then a disconnect', withLength(json.length), 'destroy'),
  abandoned('half the body, then a disconnect', withLength(json.length), truncated, { waitMs: 20 }, 'destroy'),
  abandoned('half the body, then a reset', withLength(json.length), truncated, { waitMs: 20 }, 'reset'),
  abandoned('half the chunks, then a reset', chunkedHead(), chunk(truncated), { waitMs: 20 }, 'reset'),
  abandoned(
    'a body byte by byte, then a disconnect',
    withLength(json.length),
    ...[...truncated.subarray(0, 20)].flatMap((byte) => [Buffer.from([byte]), { waitMs: 2 }]),
    'destroy',
  ),
  abandoned(
    'half of a gzip body, then a disconnect',
    withLength(500, ['content-encoding', 'gzip']),
    Buffer.from('1f8b08', 'hex'),
    { waitMs: 20 },
    'destroy',
  ),
  abandoned('an invalid body, and a disconnect before the response', message(truncated), 'destroy'),
  abandoned('an invalid body, and a reset before the response', message(truncated), 'reset'),
  abandoned('only a connection', 'reset'),
];

const pipelines = () => [
  invalidBody('an invalid body, then other bytes', message(truncated), '\x01\x02 noise\r\n\r\n'),
  invalidBody('an invalid body, then half a request', message(truncated), 'POST /v1/respo', 'end'),
  invalidBody(
    'an invalid body that contains a second head',
    withLength(truncated.length),
    truncated,
    head({ method: 'GET', path: '/nothing' }),
  ),
  {
    ...invalidBody(
      'other bytes on a connection after a response',
      message(truncated),
      { waitMs: 50 },
      '\x01\x02 noise\r\n\r\n',
    ),
    responses: 2,
  },
  invalidBody('an invalid body with HTTP/1.0', message(truncated, { version: 'HTTP/1.0', host: null })),
];
