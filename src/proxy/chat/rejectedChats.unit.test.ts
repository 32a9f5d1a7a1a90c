import { describe, expect, test } from 'vitest';
import { ProxyError } from '../errors/proxyError.ts';
import type { JsonObject } from '../requestBody/parseJson.ts';
import { MAX_IMAGE_BYTES } from './contentParts.ts';
import { hi, mapChat, user } from './mapChat.support.ts';

describe('rejects a chat with the path of the first invalid field:', () => {
  const assistant = (fields: JsonObject) => ({ messages: [{ role: 'assistant', ...fields }] });
  const calling = (call: unknown) => assistant({ tool_calls: [call] });
  const part = (content: unknown) => ({ messages: [hi, user([content])] });
  const tool = (fn: unknown) => ({ tools: [{ type: 'function', function: fn }] });
  const format = (schema: unknown) => ({ response_format: { type: 'json_schema', json_schema: schema } });
  const tooLarge = `data:image/png;base64,${'A'.repeat(Math.ceil((MAX_IMAGE_BYTES * 4) / 3) + 8)}`;

  test.each<[param: string, fields: JsonObject]>([
    ['messages', { messages: undefined }],
    ['messages', { messages: 'hi' }],
    ['messages', { messages: [] }],
    ['messages.0', { messages: ['hi'] }],
    ['messages.1.role', { messages: [hi, { content: 'hi' }] }],
    ['messages.0.role', { messages: [{ role: 'function', name: 'f', content: 'x' }] }],
    ['messages.0.content', { messages: [user(null)] }],
    ['messages.0.content', { messages: [user({ type: 'text' })] }],
    ['messages.0.content.0', { messages: [user(['hi'])] }],
    ['messages.1.content.0.text', part({ type: 'text' })],
    ['messages.1.content.0.type', part({ type: 'input_audio', input_audio: { data: '', format: 'wav' } })],
    ['messages.1.content.0.type', part({ type: 'video_url' })],
    ['messages.1.content.0.image_url.url', part({ type: 'image_url', image_url: {} })],
    ['messages.1.content.0.image_url.url', part({ type: 'image_url', image_url: { url: tooLarge } })],
    ['messages.1.content.0.file', part({ type: 'file' })],
    ['messages.1.content.0.file.file_id', part({ type: 'file', file: { file_id: 'file_1' } })],
    ['messages.1.content.0.file.file_data', part({ type: 'file', file: { filename: 'a' } })],
    ['messages.0.content', { messages: [{ role: 'system', content: null }] }],
    ['messages.0.content.0.type', { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: 'x' }] }] }],
    ['messages.0.content.0.type', assistant({ content: [{ type: 'image_url' }] })],
    ['messages.0.content.0.refusal', assistant({ content: [{ type: 'refusal' }] })],
    ['messages.0.audio', assistant({ content: null, audio: { id: 'audio_1' } })],
    ['messages.0.function_call', assistant({ content: null, function_call: { name: 'f', arguments: '' } })],
    ['messages.0.tool_calls', assistant({ tool_calls: {} })],
    ['messages.0.tool_calls.0', calling('x')],
    ['messages.0.tool_calls.0.id', calling({ type: 'function', function: { name: 'f', arguments: '' } })],
    ['messages.0.tool_calls.0.function', calling({ id: 'c', type: 'function' })],
    ['messages.0.tool_calls.0.function.name', calling({ id: 'c', function: { name: '', arguments: '' } })],
    ['messages.0.tool_calls.0.function.arguments', calling({ id: 'c', function: { name: 'f', arguments: {} } })],
    ['messages.0.tool_calls.0.custom.input', calling({ id: 'c', type: 'custom', custom: { name: 'f' } })],
    ['messages.0.tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }],
    ['messages.0.content', { messages: [{ role: 'tool', tool_call_id: 'c' }] }],
    ['tools.0.function', tool(undefined)],
    ['tools.0.function.name', tool({ description: 'x' })],
    ['tools.0.custom.name', { tools: [{ type: 'custom', custom: {} }] }],
    ['tool_choice.function.name', { tool_choice: { type: 'function' } }],
    ['tool_choice.allowed_tools.tools', { tool_choice: { type: 'allowed_tools', allowed_tools: {} } }],
    ['response_format', { response_format: 'json_object' }],
    ['response_format.type', { response_format: { type: 'grammar' } }],
    ['response_format.json_schema', format(undefined)],
    ['response_format.json_schema.name', format({ name: 'a b', schema: {} })],
    ['response_format.json_schema.name', format({ name: 'a'.repeat(65), schema: {} })],
    ['response_format.json_schema.schema', format({ name: 'a' })],
    ['reasoning_effort', { reasoning_effort: 3 }],
    ['verbosity', { verbosity: 3 }],
    ['logprobs', { logprobs: 1 }],
    ['web_search_options', { web_search_options: true }],
    ['n', { n: 2 }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['functions', { functions: [] }],
    ['function_call', { function_call: 'auto' }],
  ])('%s', (param, fields) => {
    const rejection = rejectionOf(() => mapChat(fields));
    expect(rejection).toMatchObject({ code: 'invalid_request_error', type: 'invalid_request_error', param });
    expect(rejection.message).toContain(param);
  });
});

function rejectionOf(read: () => unknown) {
  try {
    read();
  } catch (error) {
    if (error instanceof ProxyError) return error.body.error;
    throw error;
  }
  throw new Error('it was not rejected');
}
