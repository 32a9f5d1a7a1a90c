import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { readByReference } from '../../../test/support/readByReference.ts';
import { runs } from '../../../test/support/runs.ts';
import { ProxyError } from '../proxyError.ts';
import type { RecallItem } from './forwardable.ts';
import { type ModelRequest, readResponsesRequest } from './modelRequest.ts';
import { readEnvelope } from './readEnvelope.ts';
import { RequestMemory } from './requestMemory.ts';
import type { Surface } from './schema.ts';

const recall: RecallItem = (id) => (id.startsWith('known') ? { type: 'message', id, text: 'recalled "é"' } : undefined);

interface Call {
  readonly surface: Surface;
  readonly headers: IncomingHttpHeaders;
}

const v1: Call = { surface: 'v1', headers: {} };
const svc: Call = { surface: 'svc', headers: { 'session-id': 'session-1' } };

function outcomeOf(read: () => ModelRequest): unknown {
  try {
    const { upstreamBody, ...request } = read();
    // The reference still turns numbers beyond all bounds into null.
    return { ...request, upstream: JSON.parse(JSON.stringify(JSON.parse(Buffer.concat(upstreamBody).toString()))) };
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    return { status: error.status, body: error.body };
  }
}

/** Twice, because the second reading knows the first; then with what other bodies have left behind. */
function readsAsBefore(raw: Buffer, memory: RequestMemory, { surface, headers }: Call): void {
  const expected = outcomeOf(() => readByReference(raw, surface, headers, recall));
  const own = new RequestMemory();
  for (const used of [own, own, memory]) {
    const outcome = outcomeOf(() => readResponsesRequest(raw, surface, headers, recall, used));
    // vitest's own comparison takes most of the time of these tests, and is needed only to explain.
    if (JSON.stringify(sorted(outcome)) !== JSON.stringify(sorted(expected))) {
      expect(outcome, raw.toString('latin1')).toEqual(expected);
    }
  }
}

/** Members that are put in place of others may change their order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value === undefined ? 'undefined' : value;
  return Object.entries(value)
    .map(([name, member]) => [name, sorted(member)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
}

const codex = {
  model: 'gpt-5.1',
  stream: true,
  input: [
    {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'Be “brief”. \\ "quoted" \u2028 😀' }],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi {[' }] },
    { type: 'reasoning', summary: [], content: null, encrypted_content: 'gAAAA'.repeat(20) },
    { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'call_1' },
    { type: 'function_call_output', call_id: 'call_1', output: 'a\nb\n' },
  ],
  tools: [
    { type: 'function', name: 'shell', parameters: { type: 'object', properties: { a: {} } } },
    { type: 'web_search' },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'high' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0193-abc',
  client_metadata: { turn_id: '1' },
};

const openCode = {
  ...codex,
  max_output_tokens: 32_000,
  input: [
    { role: 'system', content: 'You are “opencode”.' },
    { role: 'user', content: 'hi' },
    { type: 'item_reference', id: 'known_1' },
    { type: 'item_reference', id: 'forgotten' },
    { role: 'assistant', content: 'ok' },
    { role: 'system', content: 'last' },
  ],
};

const sdk = { model: 'gpt-5.1', input: 'Say "hi" – please', temperature: 0.5, instructions: 'Be brief. '.repeat(20) };

/** All but the input is accepted as it is, and much of it is too long to be compared with what stands around it. */
const desktop = {
  model: 'gpt-5.1',
  instructions: 'Be “brief”. '.repeat(15),
  client_metadata: { session: 's'.repeat(140) },
  input: 'Say "hi" – please',
  stream: true,
  tools: [{ type: 'function', name: 'shell', description: 'd'.repeat(90) }],
  store: false,
  reasoning: { effort: 'high' },
};

const json = (value: unknown, indent?: number): Buffer => Buffer.from(JSON.stringify(value, null, indent));

const samples = { codex, openCode, sdk, desktop };

test.each(Object.entries(samples))('a body of %s is followed without being parsed whole', (_, sample) => {
  const memory = new RequestMemory();
  for (const raw of [json(sample), json(sample), json(sample, 2)]) {
    expect(readEnvelope(raw, memory, 'hint')).toBeDefined();
    readsAsBefore(raw, memory, v1);
    readsAsBefore(raw, memory, svc);
  }
});

test('a body that the provider accepts as it is goes out as the same bytes', () => {
  const raw = json(codex, 1);
  expect(readResponsesRequest(raw, 'svc', {}, recall, new RequestMemory()).upstreamBody[0]).toBe(raw);
});

test('a text becomes a message where it stands, and what is around it goes out as the same bytes', () => {
  const memory = new RequestMemory();
  for (const input of ['x', 'x', 'another']) {
    const raw = Buffer.from(` { "stream": true,\n"input" : "${input}" , "model":"m","store":false} `);
    const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, memory);
    const message = `[{"type":"message","role":"user","content":[{"type":"input_text","text":"${input}"}]}]`;
    expect(Buffer.concat(upstreamBody).toString()).toBe(
      ` { "stream": true,\n"input" : ${message} , "model":"m","store":false} `,
    );
  }
});

test('what is left unchanged is not written again', () => {
  const raw = Buffer.from(
    '{ "temperature":1, "model" : "m", "input":[ {"n":1.50} , {"role":"system","n":1E2} ],"seed":12345678901234567890 }',
  );
  const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, new RequestMemory());
  expect(Buffer.concat(upstreamBody).toString()).toBe(
    '{"model" : "m","input":[{"n":1.50},{"role":"developer","n":1E2}],"seed":12345678901234567890,"stream":true,"store":false}',
  );
});

test('a body that is read whole and written again keeps its numbers as they came', () => {
  const raw = Buffer.from(
    '{"model":"m","input":[{"role":"user","n":1e999}],"tools":[{"type":"function","max":18446744073709551615}],"a\\u0062":1.50,"store":false}',
  );
  expect(readEnvelope(raw, new RequestMemory(), 'hint')).toBeUndefined();
  const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, new RequestMemory());
  expect(Buffer.concat(upstreamBody).toString()).toBe(
    '{"model":"m","input":[{"role":"user","n":1e999}],"tools":[{"type":"function","max":18446744073709551615}],"ab":1.50,"store":false,"stream":true}',
  );
});

test('when a name comes twice the last value counts, and only that one goes out', () => {
  const raw = Buffer.from(
    '{"model":"m","input":"x","tools":[{"type":"file_search"}],"tools":[],"stream":true,"store":false}',
  );
  const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, new RequestMemory());
  expect(Buffer.concat(upstreamBody).toString().match(/tools/g)).toHaveLength(1);
  expect(JSON.parse(Buffer.concat(upstreamBody).toString()).tools).toEqual([]);
});

test.each(Object.entries(samples))('a body of %s that is cut off anywhere is refused as before', (_, sample) => {
  const memory = new RequestMemory();
  const raw = json(sample);
  readsAsBefore(raw, memory, svc);
  for (let length = 0; length < raw.length; length++) readsAsBefore(raw.subarray(0, length), memory, svc);
});

const SUBSTITUTES = [0x00, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x5b, 0x5c, 0x5d, 0x61, 0x7b, 0x7d, 0x80, 0xc3, 0xff];

test.each(Object.entries(samples))(
  'a known body of %s is read anew when one byte differs, whichever',
  (_, sample) => {
    const memory = new RequestMemory();
    const raw = json(sample);
    readsAsBefore(raw, memory, svc);
    for (let at = 0; at < raw.length; at++) {
      // All substitutes at every position would take minutes.
      for (let step = 0; step < 4; step++) {
        const changed = Buffer.from(raw);
        changed[at] = SUBSTITUTES[(at + step * 4) % SUBSTITUTES.length] as number;
        readsAsBefore(changed, memory, svc);
      }
      const shorter = Buffer.concat([raw.subarray(0, at), raw.subarray(at + 1)]);
      readsAsBefore(shorter, memory, svc);
    }
  },
  120_000,
);

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const around = (members: string) => `{"model":"m","input":"x",${members}}`;

test.each([
  ['nothing', ''],
  ['white space', ' \n'],
  ['a byte order mark', `\uFEFF${around('"a":1')}`],
  ['another value behind it', `${around('"a":1')} {}`],
  ['a comma too many', around('"a":1,')],
  ['no members', '{}'],
  ['an array', '[]'],
  ['a string', '"x"'],
  ['null', 'null'],
  ['a member without value', around('"a":')],
  ['a member without colon', around('"a" 1')],
  ['a literal with something behind it', around('"a":truex')],
  ['a literal in capitals', around('"a":NULL')],
  ['a number that JSON does not know', around('"a":01')],
  ['hexadecimal', around('"a":0x10')],
  ['NaN', around('"a":NaN')],
  ['a number beyond all bounds', around('"a":1e999')],
  ['max_output_tokens beyond all bounds', around('"max_output_tokens":1e999')],
  ['negative max_output_tokens', around('"max_output_tokens":-3.5')],
  ['many digits', around(`"a":${'1'.repeat(400)}`)],
  ['a lone surrogate', around('"a":"\\ud800","b":["\\udc00"]')],
  ['an escape in a name', around('"\\u0073tore":true')],
  ['an escape that hides a name', around('"temp\\u0065rature":1')],
  ['a name that comes twice', around('"store":true,"store":false')],
  ['__proto__', around('"__proto__":{"store":true},"constructor":1')],
  [
    '__proto__ in an item',
    '{"model":"m","input":[{"__proto__":{"role":"system"},"role":"user"},{"role":"system","__proto__":{"a":1}}]}',
  ],
  [
    'a role that comes twice',
    '{"model":"m","input":[{"role":"system","role":"user"},{"role":"user","role":"system"}]}',
  ],
  ['a role in escapes', '{"model":"m","input":[{"r\\u006fle":"syst\\u0065m"}]}'],
  ['a name of non-ASCII letters', around('"größe":1')],
  ['a name of many letters', around(`"${'a'.repeat(300)}":1`)],
  ['an empty name', around('"":1')],
  ['hundreds of members', around(Array.from({ length: 300 }, (_, index) => `"m${index}":${index}`).join())],
  ['a control character in a string', around('"a":"\u0001"')],
  ['a control character in a long string', around(`"instructions":"${'a'.repeat(200)}\u0001"`)],
  ['a string that ends in backslashes', around(`"instructions":"${'a'.repeat(200)}\\\\\\\\"`)],
  ['a string that ends in an escaped quote', around(`"instructions":"${'a'.repeat(200)}\\\\\\"`)],
  ['items that are not objects', '{"model":"m","input":[{"role":"user"},"x",null,1]}'],
  ['an array in input', '{"model":"m","input":[[]]}'],
  ['no items', '{"model":"m","input":[ ]}'],
  ['only a comma in input', '{"model":"m","input":[,]}'],
  ['a comma too many in input', '{"model":"m","input":[{"role":"user"},]}'],
  ['two items without comma', '{"model":"m","input":[{"role":"user"}{"role":"user"}]}'],
  ['brackets that do not match', '{"model":"m","input":[{"a":[}]]}'],
  [
    'only items that the provider refuses',
    '{"model":"m","input":[{"type":"item_reference"},{"type":"item_reference","id":"x"}]}',
  ],
  ['the deepest value', around(`"a":${nested(127)}`)],
  ['a value that is too deep', around(`"a":${nested(128)}`)],
  ['the deepest item', `{"model":"m","input":[{"a":${nested(125)}}]}`],
  ['an item that is too deep', `{"model":"m","input":[{"a":${nested(126)}}]}`],
  ['a depth without end', around(`"a":${'['.repeat(200_000)}`)],
  ['an input of null', '{"model":"m","input":null}'],
  ['no input', '{"model":"m"}'],
  ['no model', '{"input":"x"}'],
  ['an empty input', '{"model":"m","input":""}'],
  ['a blank prompt_cache_key', around('"prompt_cache_key":" ","conversation":"c"')],
  ['tools of no type', around('"tools":[{}]')],
  [
    'a forbidden choice and forbidden tools',
    around('"tool_choice":{"type":"file_search"},"tools":[{"type":"file_search"}]'),
  ],
  [
    'null for everything',
    around('"instructions":null,"stream":null,"store":null,"tools":null,"text":null,"reasoning":null,"user":null'),
  ],
])('%s is read as before', (_, text) => {
  const memory = new RequestMemory();
  for (const call of [v1, svc]) readsAsBefore(Buffer.from(text), memory, call);
});

test.each([
  ['in a value', around('"a":"?"')],
  ['in a long value', around(`"instructions":"${'a'.repeat(200)}?"`)],
  ['in an item', '{"model":"m","input":[{"role":"user","content":"?"}]}'],
  ['in a name', around('"?":1')],
  ['between members', around('? "a":1')],
])('bytes that are not UTF-8 %s are refused as before', (_, text) => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf]]) {
    const [before, after] = text.split('?') as [string, string];
    const raw = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    readsAsBefore(raw, new RequestMemory(), v1);
  }
});

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
  fc.constantFrom<unknown>(true, false, null, 'auto', 'x'.repeat(120), 'é'.repeat(60), {}, [], 12),
);
const item = fc.oneof(
  { weight: 6, arbitrary: fc.record({ role: fc.constantFrom('user', 'assistant', 'developer'), content: value }) },
  { weight: 2, arbitrary: fc.record({ role: fc.constant('system'), content: value }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('item_reference'), id: fc.constantFrom('known_1', 'lost', 3) }),
  },
  { weight: 1, arbitrary: fc.dictionary(fc.string(), value) },
);
const items = fc.array(item, { maxLength: 6 });
const member = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...Object.keys({ ...codex, ...sdk }), 'user', 'text', 'conversation'), value),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant('reasoning'), fc.record({ effort: fc.string(), summary: fc.string() })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('tools'),
      fc.array(fc.record({ type: fc.constantFrom('function', 'file_search', 'custom') })),
    ),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('stream', 'store', 'temperature'), fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.string(), value) },
);
const body = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: items }, fc.string(), value), fc.array(member, { maxLength: 7 }), fc.nat())
  .map(([input, members, position]) => {
    const all: [string, unknown][] = [['model', 'gpt-5.1'], ...members];
    all.splice(position % (all.length + 1), 0, ['input', input]);
    return all;
  });
const space = fc.constantFrom('', '', ' ', '\n\t');

/** Written by hand, so that names may come twice and white space stands anywhere. */
const text = fc.tuple(body, space, space, fc.constantFrom(0, 1)).map(([members, before, after, indent]) => {
  const written = members.map(
    ([name, value]) =>
      `${before}${JSON.stringify(name)}${after}:${before}${JSON.stringify(value, null, indent)}${after}`,
  );
  return `${before}{${written.join(',')}}${after}`;
});
const call = fc.record({
  surface: fc.constantFrom<Surface>('v1', 'svc'),
  headers: fc.constantFrom<IncomingHttpHeaders>({}, { 'session-id': 'a' }, { 'x-session-id': 'b'.repeat(200) }),
});

test('bodies of every kind are read as before, whatever else was read', () => {
  const memory = new RequestMemory(200_000);
  fc.assert(
    fc.property(text, call, (text, call) => readsAsBefore(Buffer.from(text), memory, call)),
    runs(1_000),
  );
});

test('bodies with any damage are read as before, whatever else was read', () => {
  const memory = new RequestMemory(200_000);
  const damage = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), fc.uint8Array({ maxLength: 3 }));
  fc.assert(
    fc.property(text, call, fc.array(damage, { minLength: 1, maxLength: 2 }), (text, call, damages) => {
      let raw = Buffer.from(text);
      readsAsBefore(raw, memory, call);
      for (const [position, removed, added] of damages) {
        const at = Math.floor(position * raw.length);
        raw = Buffer.concat([raw.subarray(0, at), added, raw.subarray(at + removed)]);
      }
      readsAsBefore(raw, memory, call);
    }),
    runs(500),
  );
});

test('conversations that grow, shrink, branch and take turns are read as before', () => {
  const memory = new RequestMemory(100_000);
  const turn = fc.record({ conversation: fc.nat(2), keeps: fc.nat(8), adds: items });
  fc.assert(
    fc.property(fc.array(turn, { minLength: 2, maxLength: 10 }), (turns) => {
      const histories: unknown[][] = [[], [], []];
      for (const { conversation, keeps, adds } of turns) {
        const history = [...(histories[conversation] as unknown[]).slice(0, keeps), ...adds];
        histories[conversation] = history;
        const headers = { 'session-id': `c${conversation % 2}` };
        readsAsBefore(json({ model: 'm', input: history, stream: true, store: false }), memory, {
          surface: 'v1',
          headers,
        });
      }
    }),
    runs(150),
  );
});

const surrounded = fc.record({
  input: fc.oneof(items, fc.string(), value),
  instructions: fc.constantFrom<unknown>(undefined, null, 'short', 'a'.repeat(140), 'b'.repeat(140)),
  tools: fc.constantFrom<unknown>(undefined, [], codex.tools, [{ type: 'function', name: 'n'.repeat(140) }]),
  metadata: fc.constantFrom<unknown>(undefined, { turn: 1 }, { turn: 'é'.repeat(80) }, { turn: 'e'.repeat(140) }),
  key: fc.constantFrom<unknown>(undefined, 'short', 'k'.repeat(140)),
  order: fc.nat(5),
  indent: fc.nat(1),
});

test('what stands around an input is read as before, whatever of it is known', () => {
  const memory = new RequestMemory(400_000);
  const body = surrounded.map(({ input, instructions, tools, metadata, key, order, indent }) => {
    const members = Object.entries({ input, instructions, tools, unknown: metadata, prompt_cache_key: key });
    const [moved] = members.splice(order % members.length, 1) as [[string, unknown]];
    const all = [['model', 'm'], ...members, ['stream', true], moved, ['store', false]];
    return json(Object.fromEntries(all), indent);
  });
  fc.assert(
    fc.property(body, call, (raw, call) => readsAsBefore(raw, memory, call)),
    runs(1_000),
  );
});

test('of a conversation that goes on only the new items are parsed', () => {
  const memory = new RequestMemory();
  const input: unknown[] = [...codex.input];
  const parsed = vi.spyOn(JSON, 'parse');
  try {
    for (let turn = 0; turn < 20; turn++) {
      const added = { role: 'user', content: `Turn ${turn}` };
      input.push(added);
      parsed.mockClear();
      readResponsesRequest(json({ ...codex, input }), 'svc', svc.headers, recall, memory);
      if (turn === 0) continue;
      expect(parsed.mock.calls.map(([text]) => text)).toEqual([`[${JSON.stringify(added)}]`]);
    }
  } finally {
    parsed.mockRestore();
  }
});

test('an input longer than what is parsed at once is read as before', () => {
  const memory = new RequestMemory();
  const input: unknown[] = [];
  for (let index = 0; index < 400; index++) {
    input.push({ role: index % 50 ? 'assistant' : 'system', content: `${index} `.repeat(150) });
    if (index % 40 === 39) readsAsBefore(json({ model: 'm', input }, index % 3), memory, svc);
  }
  const raw = json({ model: 'm', input });
  for (const at of [70_000, 140_000, raw.length - 3]) readsAsBefore(raw.subarray(0, at), memory, svc);
});

test('a request that was read before is not parsed at all', () => {
  const memory = new RequestMemory();
  const headers = { 'session-id': 's' };
  for (const sample of Object.values(samples)) {
    readResponsesRequest(json(sample), 'v1', headers, recall, memory);
    const parsed = vi.spyOn(JSON, 'parse');
    readResponsesRequest(json(sample), 'v1', headers, recall, memory);
    // The number of max_output_tokens or temperature is read each time.
    expect(parsed.mock.calls.filter(([text]) => text.length > 8)).toEqual([]);
    parsed.mockRestore();
  }
});

test('a reference means what is known when it is sent, not when it was first read', () => {
  const memory = new RequestMemory();
  const raw = json({
    model: 'm',
    input: [
      { role: 'user', content: 'x' },
      { type: 'item_reference', id: 'rs_1' },
    ],
  });
  const sent = (recall: RecallItem) =>
    JSON.parse(Buffer.concat(readResponsesRequest(raw, 'v1', {}, recall, memory).upstreamBody).toString()).input.length;
  expect(sent(() => undefined)).toBe(1);
  expect(sent(() => ({ type: 'reasoning' }))).toBe(2);
  expect(sent(() => undefined)).toBe(1);
});

test('memory stays within its bounds however many prompts come', () => {
  const memory = new RequestMemory(400_000);
  for (let index = 0; index < 500; index++) {
    const text = `${index} `.repeat(1_000);
    const input = index % 2 ? text : [{ role: 'system', content: text }];
    const tools = [{ type: 'function', description: text }];
    readResponsesRequest(
      json({
        model: 'm',
        input,
        tools,
        instructions: text,
        client_metadata: { text },
        stream: true,
        store: false,
        index,
      }),
      'v1',
      { 'session-id': `s${index % 40}` },
      recall,
      memory,
    );
    expect(memory.size).toBeLessThanOrEqual(400_000);
  }
  expect(memory.size).toBeGreaterThan(50_000);
});

test('a request may be changed after it was read without changing what is remembered', () => {
  const memory = new RequestMemory();
  const raw = json(codex);
  readResponsesRequest(raw, 'v1', svc.headers, recall, memory);
  raw.fill(0x20, 10, 200);
  readsAsBefore(raw, memory, svc);
  readsAsBefore(json(codex), memory, svc);
});
