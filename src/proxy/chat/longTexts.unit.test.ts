import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { ChatCache } from './chatCache.ts';
import { takeOutLongTexts as takeOut } from './longTexts.ts';
import { readChatRequest as readCached, readWhole } from './readChatRequest.ts';

/** One for all tests, so that what one body leaves in it meets the next one. */
const cache = new ChatCache(300_000);
const readChatRequest = (raw: Buffer, headers: Parameters<typeof readWhole>[1]) => readCached(raw, headers, cache);
const takeOutLongTexts = (raw: Buffer) => takeOut(raw, cache.texts);

const LONG = 600;
const pieces = ['a', 'b ', '"', '\\', '\n', '/', 'é', '😀', '\ud83d', '\ude00', '\u0001', '\x7f', '\u2028', '0', ','];
const piece = fc.constantFrom(...pieces);
const text = fc.oneof(
  fc.array(piece, { maxLength: 4 }).map((parts) => parts.join('')),
  fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), piece)
    .map(([parts, last]) => `${parts.join('').repeat(LONG)}${last}`),
);
const part = fc.oneof(
  text.map((content) => ({ type: 'text', text: content })),
  text.map((url) => ({ type: 'image_url', image_url: { url: `data:${url}` } })),
);
const content = fc.oneof(text, fc.array(part, { maxLength: 3 }), fc.constant(null));
const call = fc
  .tuple(text, fc.boolean())
  .map(([given, isCustom]) =>
    isCustom
      ? { id: 'call_1', type: 'custom', custom: { name: 'c', input: given } }
      : { id: 'call_2', type: 'function', function: { name: 'f', arguments: given } },
  );
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user', 'assistant'), content }),
  fc.record({ role: fc.constant('tool'), tool_call_id: fc.constantFrom('call_1', 'call_2'), content }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(call, { maxLength: 3 }),
  }),
);
const chat = fc.record(
  {
    model: fc.oneof({ weight: 9, arbitrary: fc.constant('gpt-5.1') }, text),
    messages: fc.array(message, { minLength: 1, maxLength: 5 }),
    response_format: fc.constant({ type: 'json_object' }),
    tools: fc.array(text.map((description) => ({ type: 'function', function: { name: 'f', description } }))),
    text: fc.oneof(text, fc.constant({ verbosity: 'low' })),
    prompt_cache_key: text,
    max_tokens: fc.constant(5),
    top_p: fc.constant(1.5),
    n: fc.constant(1),
  },
  { requiredKeys: ['model', 'messages'] },
);
/** Ways to write the same JSON. */
const spelling = fc.constantFrom<(value: unknown) => string>(
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => JSON.stringify(value).replaceAll('/', '\\/'),
  (value) =>
    JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
);

/** What a reader makes of a body, or the error that it throws. */
function outcomeOf(read: typeof readWhole, raw: Buffer) {
  try {
    const { upstreamBody, ...facts } = read(raw, {});
    return { ...facts, forwarded: JSON.parse(Buffer.concat(upstreamBody).toString()) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Also when the same body and others with the same shape came before: a text is known from its second time on. */
function expectSame(raw: Buffer): void {
  const other = Buffer.from(raw.toString('latin1').replaceAll('b ', 'c '), 'latin1');
  const expected = new Map([raw, other].map((body) => [body, outcomeOf(readWhole, body)]));
  for (const body of [raw, raw, other, raw]) {
    expect(outcomeOf(readChatRequest, Buffer.from(body))).toEqual(expected.get(body));
  }
}

describe('takeOutLongTexts', () => {
  test('reads arbitrary chats like a reader of the whole body', () => {
    fc.assert(
      fc.property(chat, spelling, (body, spell) => {
        expectSame(Buffer.from(spell(body)));
      }),
      runs(100),
    );
  });

  test('reads damaged chats like a reader of the whole body', () => {
    const damage = fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('\0"\\,:{}[]0u\x7f'), 0x80, 0xff));
    fc.assert(
      fc.property(chat, spelling, fc.array(damage, { minLength: 1, maxLength: 3 }), (body, spell, damages) => {
        const raw = Buffer.from(spell(body));
        for (const [at, byte] of damages) raw[at % raw.length] = byte;
        expectSame(raw);
        expectSame(raw.subarray(0, (damages[0]?.[0] ?? 0) % raw.length));
      }),
      runs(100),
    );
  });

  test('forwards a long text as the client has escaped it', () => {
    const escaped = '\\u0061\\/\\n😀'.repeat(LONG);
    const raw = Buffer.from(`{"model":"m","messages":[{"role":"user","content":"${escaped}"}]}`);
    const forwarded = Buffer.concat(readChatRequest(raw, {}).upstreamBody);
    expect(forwarded.includes(`"text":"${escaped}"`)).toBe(true);
  });

  test('keeps numbers exact beside long texts', () => {
    const schema = '{"maximum":18446744073709551615,"minimum":-0,"multipleOf":1.50}';
    const tool = `{"type":"function","function":{"name":"f","parameters":${schema}}}`;
    const message = `{"role":"user","content":"${'a'.repeat(LONG)}"}`;
    const raw = Buffer.from(`{"model":"m","messages":[${message}],"tools":[${tool}],"n":1.0}`);
    expect(Buffer.concat(readChatRequest(raw, {}).upstreamBody).includes(schema)).toBe(true);
  });

  test('takes a text out only where no byte of the body could be mistaken for its mark', () => {
    const withMark = (mark: string) =>
      takeOutLongTexts(Buffer.from(`{"user":"${mark}","content":"${'a'.repeat(LONG)}"}`));
    expect(withMark('')?.json).toBe('{"user":"","content":"\x7f0\x7f"}');
    expect(withMark('\x7f')).toBeUndefined();
    expect(withMark('\\u007F0\\u007f')).toBeUndefined();
  });

  test('takes out only values of the members whose strings are not examined', () => {
    const long = 'a'.repeat(LONG);
    for (const body of [{ model: long }, { content: [long] }, { [long]: 'content' }, { url: long }]) {
      expect(takeOutLongTexts(Buffer.from(JSON.stringify(body)))).toBeUndefined();
    }
  });

  test('knows a text from its second time on, and only its very bytes', () => {
    const { texts } = new ChatCache();
    const chat = (text: string) => Buffer.from(`{"model":"m","messages":[{"role":"user","content":"${text}"}]}`);
    const isKnown = (text: string) => takeOut(chat(text), texts)?.texts[0]?.known !== undefined;
    const [one, other] = ['a', 'b'].map((middle) => `${'a'.repeat(LONG)}${middle}${'a'.repeat(LONG)}`) as [
      string,
      string,
    ];
    expect([isKnown(one), isKnown(one), isKnown(one)]).toEqual([false, false, true]);
    expect([isKnown(other), isKnown(other), isKnown(other), isKnown(one)]).toEqual([false, false, true, true]);
  });

  test('gives no body that keeps the one of another request alive', () => {
    const raw = () => Buffer.from(`{"model":"m","messages":[{"role":"user","content":"${'x'.repeat(LONG)}"}]}`);
    const own = (bytes: Buffer) => Buffer.from(new Uint8Array(bytes).buffer);
    const [first, second] = [own(raw()), own(raw())];
    readChatRequest(first, {});
    for (const piece of readChatRequest(second, {}).upstreamBody) expect(piece.buffer).not.toBe(first.buffer);
  });

  test('leaves what follows many short strings in the body', () => {
    const long = 'a'.repeat(LONG);
    const body = JSON.stringify([{ content: long }, Array(300).fill(''), { content: long }]);
    expect(takeOutLongTexts(Buffer.from(body))?.json).toBe(body.replace(long, '\x7f0\x7f'));
  });
});
