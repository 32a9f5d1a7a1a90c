import { gzipSync, zstdCompressSync } from 'node:zlib';
import { agentBody, agentText } from '../support/agentBody.ts';
import { head, message, type Step } from '../support/wire.ts';
import { CODINGS } from './contentEncoding.ts';

/** Odd, and in order. */
export interface Harmless {
  readonly name: string;
  /** The JSON, whatever it travels as. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes of the body when they are not the text's. */
  readonly body?: Uint8Array;
  readonly query?: string;
  /** By a socket. */
  readonly steps?: (path: string) => Step[];
}

const odd = (name: string, change: Record<string, unknown>): Harmless => ({
  name,
  text: JSON.stringify({ ...agentBody, ...change }),
});
const spelled = (name: string, text: string): Harmless => ({ name, text });
const inside = (extra: string) => `${agentText.slice(0, -1)},${extra}}`;
const carried = (name: string, rest: Omit<Harmless, 'name' | 'text'>): Harmless => ({ name, text: agentText, ...rest });
const without = (...fields: string[]) =>
  JSON.stringify(Object.fromEntries(Object.entries(agentBody).filter(([name]) => !fields.includes(name))));

export const harmless = (): Harmless[] => [...fields(), ...spellings(), ...carriers()];

const fields = (): Harmless[] => [
  spelled('the body of an agent', agentText),
  spelled('as little as may be', JSON.stringify({ model: 'm', instructions: '', input: '' })),
  odd('unknown fields', { later: true, 'x-y.z': { a: [null, 1.5, ''] }, '': 'a name without letters', '\u0000': 0 }),
  odd('unknown items', {
    input: [{ type: 'developer_dream', depth: 7 }, {}, { role: 'user' }, { type: 5, content: false }],
  }),
  odd('an empty input', { input: [] }),
  odd('an input that is a string', { input: 'Say "hi",\n\\ and 🦊\u2028.' }),
  odd('unknown tools', {
    tools: [{ type: 'computer' }, { type: 'mcp', server_label: 'x' }, { type: 'local_shell' }, { type: '' }],
  }),
  odd('no tools, in so many words', { tools: null, tool_choice: null, include: null, parallel_tool_calls: null }),
  odd('empty lists and objects', { tools: [], include: [], reasoning: {}, text: {}, tool_choice: {} }),
  odd('everything that is optional is null', {
    reasoning: null,
    text: null,
    conversation: null,
    prompt_cache_key: null,
    stream: null,
    store: null,
  }),
  odd('a tool choice of a later time', {
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'shell' }] },
  }),
  odd('an effort of a later time', { reasoning: { effort: 'ultra', summary: null, context: 'all_turns', more: [1] } }),
  odd('an effort without a name', { reasoning: { effort: '' } }),
  odd('a text format of a later time', {
    text: { verbosity: 'chatty', format: { type: 'poem', meter: ['iambic', 5] } },
  }),
  odd('every include there is', {
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
  odd('parameters that the provider refuses', {
    temperature: 0.5,
    top_p: 1,
    max_output_tokens: 99,
    metadata: { a: 'b' },
    user: 'me',
    truncation: 'auto',
  }),
  odd('refused parameters with odd values', {
    temperature: 'hot',
    metadata: [[]],
    user: null,
    truncation: { a: {} },
    max_output_tokens: -1.5,
  }),
  odd('a system message', { input: [{ role: 'system', content: 'Be kind.' }, ...agentBody.input] }),
  odd('references to items that nobody knows', {
    input: [{ type: 'item_reference', id: 'msg_1' }, ...agentBody.input, { type: 'item_reference', id: 5 }],
  }),
  odd('a conversation', { conversation: 'conv_1', prompt_cache_key: '' }),
  odd('a blank cache key', { prompt_cache_key: ' ' }),
  odd('a long cache key', { prompt_cache_key: 'k'.repeat(100_000) }),
  odd('a model with a long name', { model: 'm'.repeat(10_000) }),
  odd('a model with odd letters', { model: 'gpt/5.1:"x"\t\u0000\u2028🦊' }),
  odd('lone surrogates in the input', {
    input: [{ role: 'user', content: 'a\ud800b\udfff' }],
    prompt_cache_key: '\udc00',
  }),
  odd('names of the prototype', {
    constructor: 1,
    toString: null,
    hasOwnProperty: false,
    valueOf: {},
    __defineGetter__: 'x',
  }),
  odd('a hundred levels', { later: levels(100) }),
  odd('ten thousand tools', { tools: Array.from({ length: 10_000 }, (_, n) => ({ type: 'function', name: `f${n}` })) }),
  odd('a megabyte in one string', { input: [{ role: 'user', content: 'é'.repeat(500_000) }] }),
  odd('ten thousand fields', Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field_${n}`, n]))),
  odd('names of fields in other places', {
    later: { store: true, previous_response_id: 'x', tools: [{ type: 'file_search' }] },
  }),
];

const spellings = (): Harmless[] => [
  spelled('white space of every kind', `\r\n\t ${JSON.stringify(agentBody, null, '\t').replaceAll('\n', '\r\n')}\n\n `),
  spelled(
    'names spelled with escapes',
    agentText
      .replace('"model"', '"\\u006dodel"')
      .replace('"input"', '"inpu\\u0074"')
      .replace('"store"', '"\\u0073tore"'),
  ),
  spelled(
    'values spelled with escapes',
    agentText.replace('"function"', '"\\u0066unction"').replace('🦊', '\\ud83e\\udd8a').replace('/', '\\/'),
  ),
  spelled('the same field twice', inside('"model":"the-last-one"')),
  spelled('the same input twice', `{"input":"first",${agentText.slice(1)}`),
  spelled(
    'a wrong value that a later one replaces',
    `{"store":true,"stream":"yes","model":7,"tools":[{"type":"file_search"}],${agentText.slice(1)}`,
  ),
  spelled('a field twice, once with escapes', inside('"\\u0069nput":[{"role":"user","content":"the last one"}]')),
  spelled('a __proto__ of its own', inside('"__proto__":{"store":true,"model":"evil"}')),
  spelled(
    'a __proto__ in an item',
    agentText.replace('{"role":"user"', '{"__proto__":{"type":"item_reference"},"role":"user"'),
  ),
  spelled(
    'numbers in odd spellings',
    inside('"n":[0,-0,1E5,1e-7,1.0,1.10,-12.5e+3,0.1e1,5e-324,1.7976931348623157e308]'),
  ),
  spelled(
    'numbers that no double holds',
    inside('"n":[9007199254740993,12345678901234567890,0.1234567890123456789012345]'),
  ),
  spelled('numbers that are too small', inside('"n":[1e-400,-1e-999]')),
  spelled('fields in another order', JSON.stringify(Object.fromEntries(Object.entries(agentBody).toReversed()))),
  spelled('no stream and no store', without('stream', 'store')),
  spelled('a developer message in place of instructions', without('instructions')),
  spelled('no stream, and white space', JSON.stringify(JSON.parse(without('stream')), null, 2)),
  spelled('brackets and quotes in strings', inside('"a":"]}[{\\"\\\\","b\\"}":"\\\\\\"","c":"\\\\"')),
];

const LATIN1 = Buffer.from('caf\xe9', 'latin1').toString('latin1');
const chunked = (path: string, pieces: readonly (string | Uint8Array)[], trailer = '') => [
  head({ path, headers: [['transfer-encoding', 'chunked']] }),
  ...pieces.flatMap((piece) => [`${Buffer.byteLength(piece).toString(16)};x=y\r\n`, piece, '\r\n']),
  `0\r\n${trailer}\r\n`,
];
const json = Buffer.from(agentText);

const carriers = (): Harmless[] => [
  ...Object.entries(CODINGS).flatMap(([coding, encode]) => [
    carried(`a body in ${coding}`, { headers: { 'content-encoding': coding }, body: encode(json) }),
    carried(`a body in ${coding.toUpperCase()}`, {
      headers: { 'content-encoding': ` ${coding.toUpperCase()} ` },
      body: encode(json),
    }),
  ]),
  carried('x-gzip', { headers: { 'content-encoding': 'x-gzip' }, body: gzipSync(json) }),
  carried('identity', { headers: { 'content-encoding': 'identity' } }),
  carried('an empty content-encoding', { headers: { 'content-encoding': '' } }),
  carried('gzip in zstd', { headers: { 'content-encoding': 'gzip, zstd' }, body: zstdCompressSync(gzipSync(json)) }),
  carried('gzip in several members', {
    headers: { 'content-encoding': 'gzip' },
    body: Buffer.concat([gzipSync(json.subarray(0, 100)), gzipSync(json.subarray(100))]),
  }),
  carried('another content type', { headers: { 'content-type': 'text/plain; charset=iso-8859-1' } }),
  carried('a content type that is none', { headers: { 'content-type': 'yes' } }),
  carried('a query', { query: '?stream=false&a=%ZZ&b=%00' }),
  carried('a slash at the end', { query: '/' }),
  carried('headers with odd letters', {
    headers: { 'x-note': LATIN1, authorization: 'Bearer of good news', accept: 'text/html' },
  }),
  carried('an X-Forwarded-For that is none', {
    headers: { 'x-forwarded-for': 'nobody, ::, 999.1.1.1', forwarded: 'for=x' },
  }),
  carried('HTTP/1.0', {
    steps: (path) => [message(json, { path, version: 'HTTP/1.0', host: null, headers: [['connection', 'close']] })],
  }),
  carried('an absolute target', { steps: (path) => [message(json, { path: `http://other.example:99${path}` })] }),
  carried('chunks of one byte, extensions and trailers', {
    steps: (path) =>
      chunked(
        path,
        [...json.subarray(0, 300)].map((byte) => Buffer.from([byte])).concat(json.subarray(300)),
        'x-sum: 1\r\n',
      ),
  }),
  carried('a body byte by byte', {
    steps: (path) => [
      message(json, { path }).subarray(0, -5),
      ...[...json.subarray(-5)].flatMap((byte) => [{ waitMs: 3 }, Buffer.from([byte])]),
    ],
  }),
  carried('a client that asks whether it may go on', {
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
  carried('empty lines in front', { steps: (path) => ['\r\n\r\n', message(json, { path })] }),
  carried('300 header lines', {
    steps: (path) => [message(json, { path, headers: Array.from({ length: 300 }, (_, n) => [`x${n}`, '1'] as const) })],
  }),
];

function levels(count: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < count; level++) value = level % 2 === 0 ? [value] : { level: value };
  return value;
}
