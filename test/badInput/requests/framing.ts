import { agentText } from '../support/agentBody.ts';
import type { BadRequest, Expected } from '../support/badRequest.ts';
import { type HeadOptions, head, message, type Step } from '../support/wire.ts';

const NOT_HTTP: Expected = { status: 400, code: 'invalid_request_error', param: null };
const json = Buffer.from(agentText);
const cut = json.subarray(0, json.length - 20);
const CHUNKED = ['transfer-encoding', 'chunked'] as const;

const notHttp = (name: string, ...steps: Step[]): BadRequest => ({ name, steps, expected: NOT_HTTP, isLogged: false });
/** It may be refused or not answered at all, because the client does not wait. */
const left = (name: string, ...steps: Step[]): BadRequest => ({ name, steps, expected: undefined, isLogged: false });
/** Good HTTP around a body that is not. */
const badBody = (name: string, ...steps: Step[]): BadRequest => ({ name, steps, expected: NOT_HTTP, isLogged: true });
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

export const framing = (): BadRequest[] => [...lengths(), ...chunks(), ...noHttp(), ...leavers(), ...pipelines()];

/** Lengths that are not what follows. */
const lengths = () => [
  badBody('a length too short', withLength(json.length - 1), json),
  badBody('a length of half the body', withLength(Math.floor(json.length / 2)), json),
  badBody('a length of nothing before a body', withLength(0), json),
  badBody('no length and no body', head()),
  badBody('no length before a body', head(), json),
  notHttp('a length too long, then the end', withLength(json.length + 1), json, 'end'),
  notHttp('a length far too long, then the end', withLength(10_000_000), json, 'end'),
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
  notHttp('a chunk size that is no number', chunkedHead(), 'xyz\r\n', json, '\r\n', LAST),
  notHttp('a negative chunk size', chunkedHead(), '-5\r\nhello\r\n', LAST),
  notHttp('a chunk size with 0x', chunkedHead(), '0x5\r\nhello\r\n', LAST),
  notHttp('a chunk size beyond all bounds', chunkedHead(), `${'f'.repeat(40)}\r\n`, json),
  notHttp('an empty chunk size', chunkedHead(), '\r\nhello\r\n', LAST),
  notHttp('a chunk longer than its size', chunkedHead(), '3\r\nhello\r\n', LAST),
  notHttp('a chunk without its line break', chunkedHead(), '5\r\nhello0\r\n\r\n'),
  notHttp('chunks that end in the middle', chunkedHead(), chunk(cut), 'end'),
  notHttp('a chunk that ends in the middle', chunkedHead(), '1000\r\n{"model"', 'end'),
  notHttp('a bare line feed in chunks', chunkedHead(), '5\nhello\n0\n\n'),
  notHttp('trailers that are no headers', chunkedHead(), chunk(json), '0\r\nno colon here\r\n\r\n'),
  badBody('chunks of cut JSON', chunkedHead(), chunk(cut), LAST),
  badBody('chunks of nothing', chunkedHead(), LAST),
  notHttp('an unknown transfer encoding', head({ headers: [['transfer-encoding', 'gzip']] }), json, 'end'),
  notHttp('chunked twice', head({ headers: [['transfer-encoding', 'chunked, chunked']] }), chunk(json), LAST),
  notHttp('chunked before another one', head({ headers: [['transfer-encoding', 'chunked, gzip']] }), chunk(json), LAST),
  notHttp(
    'an obscured transfer encoding',
    head({ headers: [['transfer-encoding', '\x0bchunked']] }),
    chunk(json),
    LAST,
  ),
];

const noHttp = () => [
  notHttp('a greeting', 'hello\r\n\r\n'),
  notHttp('only line feeds and noise', '\n\n\n\x01\x02\x03\x04'),
  notHttp('JSON and no HTTP', json),
  notHttp('a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex'), Buffer.alloc(200, 7)),
  notHttp('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  notHttp('an SSH client', 'SSH-2.0-OpenSSH_9.6\r\n'),
  notHttp('a SOCKS client', Buffer.from([5, 1, 0, 13, 10, 13, 10])),
  notHttp('a Redis client', '*1\r\n$4\r\nPING\r\n'),
  notHttp('an unknown method', message(json, { method: 'SHOUT' })),
  notHttp('a method in small letters', message(json, { method: 'post' })),
  notHttp('an empty method', message(json, { method: '' })),
  badBody('no version', 'POST /v1/responses\r\n\r\n'),
  notHttp('an unknown version', message(json, { version: 'HTTP/3.0' })),
  notHttp('a version that is none', message(json, { version: 'HTTP/one' })),
  notHttp('another protocol', message(json, { version: 'SIP/2.0' })),
  notHttp('a path with a space', message(json, { path: '/v1/resp onses' })),
  notHttp('a path with a NUL', message(json, { path: '/v1/responses\0' })),
  notHttp('a path with a line feed', message(json, { path: '/v1/\nresponses' })),
  notHttp('no path', message(json, { path: '' })),
  notHttp('no host', message(json, { host: null })),
  notHttp('a header without colon', `POST /v1/responses HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n`),
  notHttp('a header with a space in its name', message(json, { headers: [['x y', '1']] })),
  notHttp('a header without name', message(json, { headers: [['', '1']] })),
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
    ...notHttp('an expectation that nobody meets', message(json, { headers: [['expect', 'the-impossible']] })),
    expected: { ...NOT_HTTP, status: 417 },
  },
];

const leavers = () => [
  left('half a request line, then gone', 'POST /v1/resp', 'destroy'),
  left('half the headers, then gone', 'POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-le', 'destroy'),
  left('no body, then gone', withLength(json.length), 'destroy'),
  left('half the body, then gone', withLength(json.length), cut, { waitMs: 20 }, 'destroy'),
  left('half the body, then a reset', withLength(json.length), cut, { waitMs: 20 }, 'reset'),
  left('half the chunks, then a reset', chunkedHead(), chunk(cut), { waitMs: 20 }, 'reset'),
  left(
    'a body drop by drop, then gone',
    withLength(json.length),
    ...[...cut.subarray(0, 20)].flatMap((byte) => [Buffer.from([byte]), { waitMs: 2 }]),
    'destroy',
  ),
  left(
    'half of a gzip body, then gone',
    withLength(500, ['content-encoding', 'gzip']),
    Buffer.from('1f8b08', 'hex'),
    { waitMs: 20 },
    'destroy',
  ),
  left('a bad body, and gone before the answer', message(cut), 'destroy'),
  left('a bad body, and a reset before the answer', message(cut), 'reset'),
  left('a connection and nothing else', 'reset'),
];

const pipelines = () => [
  badBody('a bad body and noise behind it', message(cut), '\x01\x02 noise\r\n\r\n'),
  badBody('a bad body and half a request behind it', message(cut), 'POST /v1/respo', 'end'),
  badBody(
    'a bad body and a second head in its length',
    withLength(cut.length),
    cut,
    head({ method: 'GET', path: '/nothing' }),
  ),
  {
    ...badBody('noise on a connection that has been answered', message(cut), { waitMs: 50 }, '\x01\x02 noise\r\n\r\n'),
    answers: 2,
  },
  badBody('a bad body of HTTP/1.0', message(cut, { version: 'HTTP/1.0', host: null })),
];
