import { gzipSync, zstdCompressSync } from 'node:zlib';
import { agentBody, agentText } from '../support/agentBody.ts';
import { head, message, type Step } from '../support/rawHttp.ts';
import { CODINGS } from './contentEncoding.ts';

/** An unusual but valid request. */
export interface UnusualRequest {
  readonly name: string;
  /** The JSON, before any encoding. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes on the wire if they differ from the text. */
  readonly body?: Uint8Array;
  readonly query?: string;
  /** Sent on a socket. */
  readonly steps?: (path: string) => Step[];
}

const withFields = (name: string, change: Record<string, unknown>): UnusualRequest => ({
  name,
  text: JSON.stringify({ ...agentBody, ...change }),
});
const withText = (name: string, text: string): UnusualRequest => ({ name, text });
const inside = (extra: string) => `${agentText.slice(0, -1)},${extra}}`;
const sentAs = (name: string, rest: Omit<UnusualRequest, 'name' | 'text'>): UnusualRequest => ({
  name,
  text: agentText,
  ...rest,
});
const without = (...fields: string[]) =>
  JSON.stringify(Object.fromEntries(Object.entries(agentBody).filter(([name]) => !fields.includes(name))));

export const unusualRequests = (): UnusualRequest[] => [...fields(), ...serializations(), ...transports()];

const fields = (): UnusualRequest[] => [
  withText('the body of a coding agent', agentText),
  withText('the smallest valid body', JSON.stringify({ model: 'm', instructions: '', input: '' })),
  withFields('unknown fields', { later: true, 'x-y.z': { a: [null, 1.5, ''] }, '': 'an empty name', '\u0000': 0 }),
  withFields('unknown items', {
    input: [{ type: 'developer_dream', depth: 7 }, {}, { role: 'user' }, { type: 5, content: false }],
  }),
  withFields('an empty input', { input: [] }),
  withFields('a string input', { input: 'Say "hi",\n\\ and 🦊\u2028.' }),
  withFields('unknown tools', {
    tools: [{ type: 'computer' }, { type: 'mcp', server_label: 'x' }, { type: 'local_shell' }, { type: '' }],
  }),
  withFields('null instead of tools', { tools: null, tool_choice: null, include: null, parallel_tool_calls: null }),
  withFields('empty lists and objects', { tools: [], include: [], reasoning: {}, text: {}, tool_choice: {} }),
  withFields('null for all optional fields', {
    reasoning: null,
    text: null,
    conversation: null,
    prompt_cache_key: null,
    stream: null,
    store: null,
  }),
  withFields('an unknown tool choice', {
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'shell' }] },
  }),
  withFields('an unknown effort', { reasoning: { effort: 'ultra', summary: null, context: 'all_turns', more: [1] } }),
  withFields('an empty effort', { reasoning: { effort: '' } }),
  withFields('an unknown text format', {
    text: { verbosity: 'chatty', format: { type: 'poem', meter: ['iambic', 5] } },
  }),
  withFields('all supported includes', {
    include: [
      'code_interpreter_call.outputs',
      'computer_call_output.output.image_url',
      'file_search_call.results',
      'message.input_image.image_url',
      'message.output_text.logprobs',
      'reasoning.encrypted_content',
      'web_search_call.action.sources',
    ],
  }),
  withFields('parameters that the provider refuses', {
    temperature: 0.5,
    top_p: 1,
    max_output_tokens: 99,
    metadata: { a: 'b' },
    user: 'me',
    truncation: 'auto',
  }),
  withFields('refused parameters with invalid values', {
    temperature: 'hot',
    metadata: [[]],
    user: null,
    truncation: { a: {} },
    max_output_tokens: -1.5,
  }),
  withFields('a system message', { input: [{ role: 'system', content: 'Be kind.' }, ...agentBody.input] }),
  withFields('references to unknown items', {
    input: [{ type: 'item_reference', id: 'msg_1' }, ...agentBody.input, { type: 'item_reference', id: 5 }],
  }),
  withFields('a conversation', { conversation: 'conv_1', prompt_cache_key: '' }),
  withFields('a blank cache key', { prompt_cache_key: ' ' }),
  withFields('a long cache key', { prompt_cache_key: 'k'.repeat(100_000) }),
  withFields('a model with a long name', { model: 'm'.repeat(200) }),
  withFields('a model with special characters', { model: 'gpt/5.1:"x"\t\u0000\u2028🦊' }),
  withFields('lone surrogates in the input', {
    input: [{ role: 'user', content: 'a\ud800b\udfff' }],
    prompt_cache_key: '\udc00',
  }),
  withFields('names of Object.prototype', {
    constructor: 1,
    toString: null,
    hasOwnProperty: false,
    valueOf: {},
    __defineGetter__: 'x',
  }),
  withFields('a hundred levels', { later: levels(100) }),
  withFields('ten thousand tools', {
    tools: Array.from({ length: 10_000 }, (_, n) => ({ type: 'function', name: `f${n}` })),
  }),
  withFields('a megabyte in one string', { input: [{ role: 'user', content: 'é'.repeat(500_000) }] }),
  withFields('ten thousand fields', Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field_${n}`, n]))),
  withFields('known field names in other places', {
    later: { store: true, previous_response_id: 'x', tools: [{ type: 'file_search' }] },
  }),
];

const serializations = (): UnusualRequest[] => [
  withText(
    'white space of every kind',
    `\r\n\t ${JSON.stringify(agentBody, null, '\t').replaceAll('\n', '\r\n')}\n\n `,
  ),
  withText(
    'names with escapes',
    agentText
      .replace('"model"', '"\\u006dodel"')
      .replace('"input"', '"inpu\\u0074"')
      .replace('"store"', '"\\u0073tore"'),
  ),
  withText(
    'values with escapes',
    agentText.replace('"function"', '"\\u0066unction"').replace('🦊', '\\ud83e\\udd8a').replace('/', '\\/'),
  ),
  withText('the same field twice', inside('"model":"the-last-one"')),
  withText('the same input twice', `{"input":"first",${agentText.slice(1)}`),
  withText(
    'an invalid value that a later one replaces',
    `{"store":true,"stream":"yes","model":7,"tools":[{"type":"file_search"}],${agentText.slice(1)}`,
  ),
  withText('a field twice, once with escapes', inside('"\\u0069nput":[{"role":"user","content":"the last one"}]')),
  withText('an own __proto__', inside('"__proto__":{"store":true,"model":"evil"}')),
  withText(
    'a __proto__ in an item',
    agentText.replace('{"role":"user"', '{"__proto__":{"type":"item_reference"},"role":"user"'),
  ),
  withText(
    'numbers in unusual notations',
    inside('"n":[0,-0,1E5,1e-7,1.0,1.10,-12.5e+3,0.1e1,5e-324,1.7976931348623157e308]'),
  ),
  withText(
    'numbers beyond the precision of a double',
    inside('"n":[9007199254740993,12345678901234567890,0.1234567890123456789012345]'),
  ),
  withText('numbers that underflow', inside('"n":[1e-400,-1e-999]')),
  withText('fields in another order', JSON.stringify(Object.fromEntries(Object.entries(agentBody).toReversed()))),
  withText('no stream and no store', without('stream', 'store')),
  withText('a developer message instead of instructions', without('instructions')),
  withText('no stream, and white space', JSON.stringify(JSON.parse(without('stream')), null, 2)),
  withText('brackets and quotes in strings', inside('"a":"]}[{\\"\\\\","b\\"}":"\\\\\\"","c":"\\\\"')),
];

const LATIN1 = Buffer.from('caf\xe9', 'latin1').toString('latin1');
const chunked = (path: string, pieces: readonly (string | Uint8Array)[], trailer = '') => [
  head({ path, headers: [['transfer-encoding', 'chunked']] }),
  ...pieces.flatMap((piece) => [`${Buffer.byteLength(piece).toString(16)};x=y\r\n`, piece, '\r\n']),
  `0\r\n${trailer}\r\n`,
];
const json = Buffer.from(agentText);

const transports = (): UnusualRequest[] => [
  ...Object.entries(CODINGS).flatMap(([coding, encode]) => [
    sentAs(`a body in ${coding}`, { headers: { 'content-encoding': coding }, body: encode(json) }),
    sentAs(`a body in ${coding.toUpperCase()}`, {
      headers: { 'content-encoding': ` ${coding.toUpperCase()} ` },
      body: encode(json),
    }),
  ]),
  sentAs('x-gzip', { headers: { 'content-encoding': 'x-gzip' }, body: gzipSync(json) }),
  sentAs('identity', { headers: { 'content-encoding': 'identity' } }),
  sentAs('an empty content-encoding', { headers: { 'content-encoding': '' } }),
  sentAs('gzip in zstd', { headers: { 'content-encoding': 'gzip, zstd' }, body: zstdCompressSync(gzipSync(json)) }),
  sentAs('gzip in several members', {
    headers: { 'content-encoding': 'gzip' },
    body: Buffer.concat([gzipSync(json.subarray(0, 100)), gzipSync(json.subarray(100))]),
  }),
  sentAs('another content type', { headers: { 'content-type': 'text/plain; charset=iso-8859-1' } }),
  sentAs('an invalid content type', { headers: { 'content-type': 'yes' } }),
  sentAs('a query', { query: '?stream=false&a=%ZZ&b=%00' }),
  sentAs('a trailing slash', { query: '/' }),
  sentAs('headers with Latin-1 characters', {
    headers: { 'x-note': LATIN1, authorization: 'Bearer not-a-key', accept: 'text/html' },
  }),
  sentAs('an invalid X-Forwarded-For', {
    headers: { 'x-forwarded-for': 'unknown, ::, 999.1.1.1', forwarded: 'for=x' },
  }),
  sentAs('HTTP/1.0', {
    steps: (path) => [message(json, { path, version: 'HTTP/1.0', host: null, headers: [['connection', 'close']] })],
  }),
  sentAs('an absolute target', { steps: (path) => [message(json, { path: `http://other.example:99${path}` })] }),
  sentAs('chunks of one byte, extensions and trailers', {
    steps: (path) =>
      chunked(
        path,
        [...json.subarray(0, 300)].map((byte) => Buffer.from([byte])).concat(json.subarray(300)),
        'x-sum: 1\r\n',
      ),
  }),
  sentAs('a body byte by byte', {
    steps: (path) => [
      message(json, { path }).subarray(0, -5),
      ...[...json.subarray(-5)].flatMap((byte) => [{ waitMs: 3 }, Buffer.from([byte])]),
    ],
  }),
  sentAs('a client that expects 100 Continue', {
    steps: (path) => [
      head({
        path,
        headers: [
          ['content-length', json.length],
          ['expect', '100-continue'],
        ],
      }),
      { waitMs: 5 },
      json,
    ],
  }),
  sentAs('empty lines before the request', { steps: (path) => ['\r\n\r\n', message(json, { path })] }),
  sentAs('300 header lines', {
    steps: (path) => [message(json, { path, headers: Array.from({ length: 300 }, (_, n) => [`x${n}`, '1'] as const) })],
  }),
];

function levels(count: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < count; level++) value = level % 2 === 0 ? [value] : { level: value };
  return value;
}
