import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../requestBody/parseJson.ts';
import { hi, hiItem, mapChat, messageItem, user } from './mapChat.support.ts';

const conversation = (...messages: JsonObject[]) => {
  const { instructions, input } = mapChat({ messages });
  return { instructions, input };
};

describe('readMessages', () => {
  test.each<[what: string, messages: JsonObject[], expected: unknown]>([
    ['maps a user message', [hi], { instructions: '', input: [hiItem] }],
    [
      'joins leading system and developer messages to the instructions',
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
      'keeps the position of later system messages',
      [{ role: 'system', content: 'Be brief.' }, hi, { role: 'system', content: 'Now be long.' }],
      { instructions: 'Be brief.', input: [hiItem, messageItem('developer', 'input_text', 'Now be long.')] },
    ],
    [
      'puts system messages into the input when there are no others',
      [{ role: 'system', content: 'Tell a joke.' }],
      { instructions: '', input: [messageItem('developer', 'input_text', 'Tell a joke.')] },
    ],
    [
      'maps an assistant message',
      [hi, { role: 'assistant', content: 'Hello.', name: 'bot', reasoning_content: 'hm' }, hi],
      { instructions: '', input: [hiItem, messageItem('assistant', 'output_text', 'Hello.'), hiItem] },
    ],
    [
      'drops assistant messages without content',
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
  ])('maps a refusal %s', (_what, message, content) =>
    expect(conversation(hi, { role: 'assistant', ...message }).input).toEqual([
      hiItem,
      { type: 'message', role: 'assistant', content },
    ]),
  );

  test('maps tool calls and their results to items after the text of the assistant', () => {
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
      messageItem('assistant', 'output_text', 'One moment.'),
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'done' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
    ]);
  });

  test('maps an image in the result of a tool', () => {
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

describe('readMessages maps in a user message', () => {
  test.each<[what: string, part: JsonObject, expected: JsonObject]>([
    ['text', { type: 'text', text: 'é' }, { type: 'input_text', text: 'é' }],
    [
      'an image by URL, with its detail',
      { type: 'image_url', image_url: { url: 'https://a/b.png', detail: 'low' } },
      { type: 'input_image', image_url: 'https://a/b.png', detail: 'low' },
    ],
    [
      'an image as a data URL',
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ],
    [
      'an image as a bare URL',
      { type: 'image_url', image_url: 'https://a/b.png' },
      { type: 'input_image', image_url: 'https://a/b.png' },
    ],
    [
      'a file as a data URL',
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
    ],
    [
      'a file as bare base64, with a MIME type',
      { type: 'file', file: { file_data: 'AAAA', mime_type: 'text/csv' } },
      { type: 'input_file', file_data: 'data:text/csv;base64,AAAA' },
    ],
    [
      'a file as bare base64, with a content type',
      { type: 'file', file: { file_data: 'AAAA', content_type: 'text/csv' } },
      { type: 'input_file', file_data: 'data:text/csv;base64,AAAA' },
    ],
    [
      'a file as bare base64 without a type',
      { type: 'file', file: { file_data: 'AAAA' } },
      { type: 'input_file', file_data: 'data:application/octet-stream;base64,AAAA' },
    ],
    [
      'a file by URL',
      { type: 'file', file: { file_url: 'https://a/b.pdf' } },
      { type: 'input_file', file_url: 'https://a/b.pdf' },
    ],
    ['a part of the responses API', { type: 'input_text', text: 'x' }, { type: 'input_text', text: 'x' }],
  ])('%s', (_what, part, expected) =>
    expect(conversation(user([part])).input).toEqual([{ type: 'message', role: 'user', content: [expected] }]),
  );
});
