import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ProxyError } from '../errors/proxyError.ts';
import type { JsonObject } from '../requestBody/parseJson.ts';
import { MAX_VALUES } from '../requestBody/valueLimit.ts';
import { ChatCache } from './chatCache.ts';
import { user } from './mapChat.support.ts';
import { readChatRequest as readCached, readWhole } from './readChatRequest.ts';

const cache = new ChatCache();
const readChatRequest = (raw: Buffer, headers: IncomingHttpHeaders) => readCached(raw, headers, cache);

const chat = { model: 'gpt-5.1', messages: [{ role: 'user', content: 'hi' }] };
const read = (fields: JsonObject = {}, headers: IncomingHttpHeaders = {}) =>
  readChatRequest(Buffer.from(JSON.stringify({ ...chat, ...fields })), headers);
const forwarded = (fields: JsonObject) => JSON.parse(Buffer.concat(read(fields).upstreamBody).toString());

describe('readChatRequest', () => {
  test('forwards a streamed request that is not stored, with instructions', () =>
    expect(forwarded({ stream: false, store: true })).toEqual({
      model: chat.model,
      instructions: '',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      stream: true,
      store: false,
    }));

  test('drops the parameters that the provider refuses, and no others', () => {
    const refused = {
      temperature: 0.5,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      max_tokens: 10,
      max_completion_tokens: 10,
      top_logprobs: 2,
      metadata: { a: 'b' },
      user: 'u',
      safety_identifier: 's',
      stream_options: { include_usage: true, include_obfuscation: false },
    };
    const kept = { service_tier: 'flex', prompt_cache_key: 'k', parallel_tool_calls: true, brand_new: 1 };
    const { input, instructions, ...rest } = forwarded({ ...refused, ...kept });
    expect(rest).toEqual({ model: chat.model, stream: true, store: false, ...kept });
  });

  test('keeps forwarded numbers as received', () => {
    const schema = '{"type":"object","properties":{"id":{"maximum":18446744073709551615,"default":1.0}}}';
    const raw = `{"model":"m","n":1.0,"max_tokens":1e2,"new":1e999,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]}`;
    const { upstreamBody, maxOutputTokens } = readChatRequest(Buffer.from(raw), {});
    expect(Buffer.concat(upstreamBody).toString()).toContain(schema);
    expect(Buffer.concat(upstreamBody).toString()).toContain('"new":1e999');
    expect(maxOutputTokens).toBe(100);
  });

  test.each<[what: string, fields: JsonObject, expected: object]>([
    [
      'does not stream by default',
      {},
      { wantsStream: false, includesUsage: false, effort: null, maxOutputTokens: null },
    ],
    ['streams when requested', { stream: true }, { wantsStream: true }],
    ['includes the usage when requested', { stream_options: { include_usage: true } }, { includesUsage: true }],
    ['excludes the usage when requested', { stream_options: { include_usage: false } }, { includesUsage: false }],
    ['accepts null stream options', { stream_options: null }, { includesUsage: false }],
    ['reads the effort', { reasoning_effort: 'high' }, { effort: 'high' }],
    ['limits the output by max_tokens', { max_tokens: 100 }, { maxOutputTokens: 100 }],
    ['prefers max_completion_tokens', { max_tokens: 100, max_completion_tokens: 50 }, { maxOutputTokens: 50 }],
    ['treats a negative limit as zero', { max_tokens: -5 }, { maxOutputTokens: 0 }],
    [
      'uses prompt_cache_key as the conversation key',
      { prompt_cache_key: 'thread' },
      { conversationKey: { value: 'thread', source: 'prompt_cache_key' } },
    ],
  ])('%s', (_what, fields, expected) => expect(read(fields)).toMatchObject(expected));

  test('uses the session header, else the first user message, as the conversation key', () => {
    expect(read({}, { 'x-session-id': 'ses_1' }).conversationKey).toEqual({ value: 'ses_1', source: 'x-session-id' });
    const first = read({ messages: [{ role: 'system', content: 'one' }, ...chat.messages] }).conversationKey;
    const later = { messages: [...chat.messages, { role: 'assistant', content: 'hello' }, ...chat.messages] };
    expect(first?.value).toContain('hi');
    expect(read(later).conversationKey).toEqual(first);
  });

  test('names a conversation by its first message also when its long texts are known', () => {
    const long = (text: string) => text.repeat(800);
    const [one, two] = [long('one '), long('two ')];
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const chats = [
      [user(one)],
      [user(two)],
      [user(one), { role: 'assistant', content: long('yes ') }, user(two)],
      [user([image, { type: 'text', text: one }])],
      [
        user([
          { type: 'text', text: long('a ') },
          { type: 'text', text: one },
        ]),
      ],
      [{ role: 'assistant', content: one }],
    ].map((messages) =>
      Buffer.from(JSON.stringify({ ...chat, messages: [{ role: 'system', content: long('be kind ') }, ...messages] })),
    );
    const names = chats.map((raw) => readWhole(raw, {}).conversationKey);
    expect(new Set(names.map((name) => name?.value)).size).toBe(5);
    for (let turn = 0; turn < 4; turn++) {
      expect(chats.map((raw) => readChatRequest(raw, {}).conversationKey)).toEqual(names);
    }
  });

  test.each<[param: string | undefined, fields: JsonObject]>([
    ['model', { model: '' }],
    ['model', { model: 5 }],
    ['messages', { messages: undefined }],
    ['stream', { stream: 'yes' }],
    ['stream_options', { stream_options: true }],
    ['stream_options.include_usage', { stream_options: { include_usage: 1 } }],
    ['max_tokens', { max_tokens: '100' }],
    ['max_completion_tokens', { max_completion_tokens: {} }],
    ['tools', { tools: {} }],
    ['tools.0', { tools: ['x'] }],
    ['tools.0.type', { tools: [{ name: 'x' }] }],
    ['tools.0.type', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    ['tools.1.type', { tools: [{ type: 'function', function: { name: 'x' } }, { type: 'image_generation' }] }],
    ['tool_choice', { tool_choice: 3 }],
    ['tool_choice.type', { tool_choice: { type: 'file_search' } }],
    ['parallel_tool_calls', { parallel_tool_calls: 'no' }],
    ['reasoning', { reasoning: 'high' }],
    ['prompt_cache_key', { prompt_cache_key: 5 }],
    [undefined, { brand_new: Array(MAX_VALUES + 1).fill(0) }],
  ])('rejects an invalid field with its path: %s', (param, fields) => {
    let rejection: unknown;
    try {
      read(fields);
    } catch (error) {
      rejection = error;
    }
    expect(rejection).toBeInstanceOf(ProxyError);
    const { error } = (rejection as ProxyError).body;
    expect([error.code, error.param]).toEqual(['invalid_request_error', param]);
  });
});
