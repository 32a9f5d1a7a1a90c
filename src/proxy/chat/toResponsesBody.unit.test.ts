import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../requestBody/parseJson.ts';
import { hi, hiItem, mapChat, messageItem, model } from './mapChat.support.ts';

describe('toResponsesBody maps', () => {
  const weather = { name: 'weather', description: 'of a city', parameters: { type: 'object' } };

  test.each<[what: string, fields: JsonObject, expected: JsonObject]>([
    [
      'a function to its flat form, not strict by default',
      { tools: [{ type: 'function', function: weather }] },
      { tools: [{ type: 'function', ...weather, strict: false }] },
    ],
    [
      'a strict function',
      { tools: [{ type: 'function', function: { ...weather, strict: true } }] },
      { tools: [{ type: 'function', ...weather, strict: true }] },
    ],
    [
      'a function without parameters',
      { tools: [{ type: 'function', function: { name: 'now' } }] },
      { tools: [{ type: 'function', name: 'now', parameters: { type: 'object', properties: {} }, strict: false }] },
    ],
    ['a flat function', { tools: [{ type: 'function', ...weather }] }, { tools: [{ type: 'function', ...weather }] }],
    [
      'a custom tool with a grammar',
      {
        tools: [
          {
            type: 'custom',
            custom: { name: 'sql', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } } },
          },
        ],
      },
      {
        tools: [{ type: 'custom', name: 'sql', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } }],
      },
    ],
    [
      'a custom tool with a text format',
      { tools: [{ type: 'custom', custom: { name: 'note', description: 'd', format: { type: 'text' } } }] },
      { tools: [{ type: 'custom', name: 'note', description: 'd', format: { type: 'text' } }] },
    ],
    [
      'the former name of web search',
      {
        tools: [{ type: 'web_search_preview', search_context_size: 'low' }],
        tool_choice: { type: 'web_search_preview' },
      },
      { tools: [{ type: 'web_search', search_context_size: 'low' }], tool_choice: { type: 'web_search' } },
    ],
    [
      'web_search_options to a tool',
      {
        web_search_options: {
          search_context_size: 'high',
          user_location: { type: 'approximate', approximate: { country: 'CH' } },
        },
      },
      {
        tools: [
          { type: 'web_search', search_context_size: 'high', user_location: { type: 'approximate', country: 'CH' } },
        ],
      },
    ],
    ['tools of an unknown type', { tools: [{ type: 'brand_new', x: 1 }] }, { tools: [{ type: 'brand_new', x: 1 }] }],
    ['a tool_choice string', { tool_choice: 'required' }, { tool_choice: 'required' }],
    [
      'a chosen function',
      { tool_choice: { type: 'function', function: { name: 'weather' } } },
      { tool_choice: { type: 'function', name: 'weather' } },
    ],
    [
      'a chosen custom tool',
      { tool_choice: { type: 'custom', custom: { name: 'sql' } } },
      { tool_choice: { type: 'custom', name: 'sql' } },
    ],
    [
      'a choice among allowed tools',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'weather' } }] },
        },
      },
      { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'weather' }] } },
    ],
    ['parallel calls', { parallel_tool_calls: false }, { parallel_tool_calls: false }],
    ['reasoning_effort', { reasoning_effort: 'minimal' }, { reasoning: { effort: 'minimal' } }],
    [
      'reasoning_effort with a reasoning object that has precedence',
      { reasoning_effort: 'low', reasoning: { effort: 'high', summary: 'auto' } },
      { reasoning: { effort: 'high', summary: 'auto' } },
    ],
    [
      'reasoning_effort with a reasoning object without effort',
      { reasoning_effort: 'low', reasoning: { summary: 'auto' } },
      { reasoning: { effort: 'low', summary: 'auto' } },
    ],
    ['verbosity', { verbosity: 'low' }, { text: { verbosity: 'low' } }],
    ['plain text', { response_format: { type: 'text' } }, { text: { format: { type: 'text' } } }],
    [
      'a JSON schema with verbosity',
      {
        verbosity: 'low',
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'city-1', description: 'd', schema: { type: 'object' }, strict: true },
        },
      },
      {
        text: {
          verbosity: 'low',
          format: { type: 'json_schema', name: 'city-1', description: 'd', schema: { type: 'object' }, strict: true },
        },
      },
    ],
    [
      'log probabilities',
      { logprobs: true, top_logprobs: 3 },
      { top_logprobs: 3, include: ['message.output_text.logprobs'] },
    ],
    ['the service tier', { service_tier: 'flex' }, { service_tier: 'flex' }],
    ['prompt_cache_key', { prompt_cache_key: 'thread' }, { prompt_cache_key: 'thread' }],
    ['an unknown field', { brand_new: { x: 1 } }, { brand_new: { x: 1 } }],
    [
      'fields without a counterpart by dropping them',
      {
        n: 1,
        stop: ['a'],
        seed: 1,
        logit_bias: {},
        logprobs: false,
        modalities: ['text'],
        audio: { voice: 'x' },
        prediction: { type: 'content', content: 'x' },
        store: true,
        tools: null,
        tool_choice: null,
        response_format: null,
        reasoning_effort: null,
        verbosity: null,
        web_search_options: null,
        functions: null,
      },
      { tool_choice: null, functions: null },
    ],
  ])('%s', (_what, fields, expected) =>
    expect(mapChat(fields)).toEqual({ model, instructions: '', input: [hiItem], ...expected }),
  );

  test('instructions to input with json_object', () => {
    const messages = [{ role: 'system', content: 'Answer in JSON.' }, hi];
    expect(mapChat({ messages, response_format: { type: 'json_object' } })).toEqual({
      model,
      instructions: '',
      input: [messageItem('developer', 'input_text', 'Answer in JSON.'), hiItem],
      text: { format: { type: 'json_object' } },
    });
  });
});
