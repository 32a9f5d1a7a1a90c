import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../body/parseJson.ts';
import { ProxyError } from '../proxyError.ts';
import { MAX_IMAGE_BYTES } from './contentParts.ts';
import { toResponsesBody } from './toResponsesBody.ts';

const model = 'gpt-5.1';
const user = (content: unknown) => ({ role: 'user', content });
const hi = user('hi');
const said = (role: string, type: string, text: string) => ({ type: 'message', role, content: [{ type, text }] });
const hiItem = said('user', 'input_text', 'hi');

const mapped = (fields: JsonObject) => toResponsesBody({ model, messages: [hi], ...fields });
const conversation = (...messages: JsonObject[]) => {
  const { instructions, input } = mapped({ messages });
  return { instructions, input };
};

describe('messages', () => {
  test.each<[what: string, messages: JsonObject[], expected: unknown]>([
    ['of a user', [hi], { instructions: '', input: [hiItem] }],
    [
      'of system and developer at the beginning become the instructions, line by line',
      [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Be kind.' },
            { type: 'text', text: 'Be here.' },
          ],
        },
        hi,
      ],
      { instructions: 'Be brief.\nBe kind.\nBe here.', input: [hiItem] },
    ],
    [
      'of the system amid a chat stay where they are',
      [{ role: 'system', content: 'Be brief.' }, hi, { role: 'system', content: 'Now be long.' }],
      { instructions: 'Be brief.', input: [hiItem, said('developer', 'input_text', 'Now be long.')] },
    ],
    [
      'of nobody but the system are something to answer',
      [{ role: 'system', content: 'Tell a joke.' }],
      { instructions: '', input: [said('developer', 'input_text', 'Tell a joke.')] },
    ],
    [
      'of an assistant',
      [hi, { role: 'assistant', content: 'Hello.', name: 'bot', reasoning_content: 'hm' }, hi],
      { instructions: '', input: [hiItem, said('assistant', 'output_text', 'Hello.'), hiItem] },
    ],
    [
      'of an assistant that said nothing are left out',
      [hi, { role: 'assistant', content: null }, { role: 'assistant', content: '' }, hi],
      { instructions: '', input: [hiItem, hiItem] },
    ],
  ])('%s', (_what, messages, expected) => expect(conversation(...messages)).toEqual(expected));

  test.each<[what: string, message: JsonObject, content: unknown]>([
    ['as a field', { content: null, refusal: 'I will not.' }, [{ type: 'refusal', refusal: 'I will not.' }]],
    [
      'as a part',
      {
        content: [
          { type: 'text', text: 'Well.' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      [
        { type: 'output_text', text: 'Well.' },
        { type: 'refusal', refusal: 'No.' },
      ],
    ],
  ])('a refusal %s', (_what, message, content) =>
    expect(conversation(hi, { role: 'assistant', ...message }).input).toEqual([
      hiItem,
      { type: 'message', role: 'assistant', content },
    ]),
  );

  test('calls of tools are items behind what the assistant said, and so is what the tools answered', () => {
    const weather = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } };
    const patch = { id: 'call_2', type: 'custom', custom: { name: 'patch', input: '*** Begin' } };
    const { input } = conversation(
      hi,
      { role: 'assistant', content: 'One moment.', tool_calls: [weather, patch] },
      { role: 'tool', tool_call_id: 'call_2', content: 'done' },
      {
        role: 'tool',
        tool_call_id: 'call_1',
        content: [
          { type: 'text', text: 'sun' },
          { type: 'text', text: 'ny' },
        ],
      },
    );
    expect(input).toEqual([
      hiItem,
      said('assistant', 'output_text', 'One moment.'),
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'done' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
    ]);
  });

  test('a tool may answer with an image', () => {
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'https://a/b.png' } },
    ];
    expect(conversation({ role: 'tool', tool_call_id: 'call_1', content }).input).toEqual([
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: 'https://a/b.png' },
        ],
      },
    ]);
  });
});

describe('what a user sends', () => {
  test.each<[what: string, part: JsonObject, expected: JsonObject]>([
    ['text', { type: 'text', text: 'é' }, { type: 'input_text', text: 'é' }],
    [
      'an image by URL, with its detail',
      { type: 'image_url', image_url: { url: 'https://a/b.png', detail: 'low' } },
      { type: 'input_image', image_url: 'https://a/b.png', detail: 'low' },
    ],
    [
      'an image itself',
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ],
    [
      'an image whose URL stands alone',
      { type: 'image_url', image_url: 'https://a/b.png' },
      { type: 'input_image', image_url: 'https://a/b.png' },
    ],
    [
      'a file as a data URL',
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
    ],
    [
      'a file as bare base64, with its type',
      { type: 'file', file: { file_data: 'AAAA', mime_type: 'text/csv' } },
      { type: 'input_file', file_data: 'data:text/csv;base64,AAAA' },
    ],
    [
      'a file as bare base64, with its type in the other spelling',
      { type: 'file', file: { file_data: 'AAAA', content_type: 'text/csv' } },
      { type: 'input_file', file_data: 'data:text/csv;base64,AAAA' },
    ],
    [
      'a file as bare base64 alone',
      { type: 'file', file: { file_data: 'AAAA' } },
      { type: 'input_file', file_data: 'data:application/octet-stream;base64,AAAA' },
    ],
    [
      'a file by URL',
      { type: 'file', file: { file_url: 'https://a/b.pdf' } },
      { type: 'input_file', file_url: 'https://a/b.pdf' },
    ],
    ["the provider's own parts", { type: 'input_text', text: 'x' }, { type: 'input_text', text: 'x' }],
  ])('%s', (_what, part, expected) =>
    expect(conversation(user([part])).input).toEqual([{ type: 'message', role: 'user', content: [expected] }]),
  );
});

describe('fields', () => {
  const weather = { name: 'weather', description: 'of a city', parameters: { type: 'object' } };

  test.each<[what: string, given: JsonObject, expected: JsonObject]>([
    [
      'a function loses its wrapping and stays as little strict as it is in a chat',
      { tools: [{ type: 'function', function: weather }] },
      { tools: [{ type: 'function', ...weather, strict: false }] },
    ],
    [
      'a strict function stays strict',
      { tools: [{ type: 'function', function: { ...weather, strict: true } }] },
      { tools: [{ type: 'function', ...weather, strict: true }] },
    ],
    [
      'a function without parameters takes none',
      { tools: [{ type: 'function', function: { name: 'now' } }] },
      { tools: [{ type: 'function', name: 'now', parameters: { type: 'object', properties: {} }, strict: false }] },
    ],
    [
      'a function that is flat already',
      { tools: [{ type: 'function', ...weather }] },
      { tools: [{ type: 'function', ...weather }] },
    ],
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
      'a custom tool of plain text',
      { tools: [{ type: 'custom', custom: { name: 'note', description: 'd', format: { type: 'text' } } }] },
      { tools: [{ type: 'custom', name: 'note', description: 'd', format: { type: 'text' } }] },
    ],
    [
      'the old name of web search',
      {
        tools: [{ type: 'web_search_preview', search_context_size: 'low' }],
        tool_choice: { type: 'web_search_preview' },
      },
      { tools: [{ type: 'web_search', search_context_size: 'low' }], tool_choice: { type: 'web_search' } },
    ],
    [
      'options of web search ask for its tool',
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
    ['tools of a kind that is new', { tools: [{ type: 'brand_new', x: 1 }] }, { tools: [{ type: 'brand_new', x: 1 }] }],
    ['a word for the choice', { tool_choice: 'required' }, { tool_choice: 'required' }],
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
      'a choice among some',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'weather' } }] },
        },
      },
      { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'weather' }] } },
    ],
    ['parallel calls', { parallel_tool_calls: false }, { parallel_tool_calls: false }],
    ['effort', { reasoning_effort: 'minimal' }, { reasoning: { effort: 'minimal' } }],
    [
      'effort beside the object, which wins',
      { reasoning_effort: 'low', reasoning: { effort: 'high', summary: 'auto' } },
      { reasoning: { effort: 'high', summary: 'auto' } },
    ],
    [
      'effort beside an object that has none',
      { reasoning_effort: 'low', reasoning: { summary: 'auto' } },
      { reasoning: { effort: 'low', summary: 'auto' } },
    ],
    ['verbosity', { verbosity: 'low' }, { text: { verbosity: 'low' } }],
    ['plain text', { response_format: { type: 'text' } }, { text: { format: { type: 'text' } } }],
    [
      'a schema, and verbosity beside it',
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
    ['the tier of service', { service_tier: 'flex' }, { service_tier: 'flex' }],
    ['the key of the cache', { prompt_cache_key: 'thread' }, { prompt_cache_key: 'thread' }],
    ['a field that nobody knows', { brand_new: { x: 1 } }, { brand_new: { x: 1 } }],
    [
      'what the provider has no place for',
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
  ])('%s', (_what, given, expected) =>
    expect(mapped(given)).toEqual({ model, instructions: '', input: [hiItem], ...expected }),
  );

  test('with json_object the instructions stay in the input, where the provider looks for the word', () => {
    const messages = [{ role: 'system', content: 'Answer in JSON.' }, hi];
    expect(mapped({ messages, response_format: { type: 'json_object' } })).toEqual({
      model,
      instructions: '',
      input: [said('developer', 'input_text', 'Answer in JSON.'), hiItem],
      text: { format: { type: 'json_object' } },
    });
  });
});

describe('is refused, with the path of the first failing field:', () => {
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
    const refusal = refusalOf(() => mapped(fields));
    expect(refusal).toMatchObject({ code: 'invalid_request_error', type: 'invalid_request_error', param });
    expect(refusal.message).toContain(param);
  });
});

function refusalOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (error instanceof ProxyError) return error.body.error;
    throw error;
  }
  throw new Error('it was not refused');
}
