import { describe, expect, test } from 'vitest';
import { ITEM_ADDED, ITEM_DONE, TEXT_DONE, textsRepeatedBy } from './repeatedTexts.ts';

const at = { output_index: 2, content_index: 3, item_id: 'msg_1' };
const part = { type: 'output_text', text: 'a "} \\', annotations: [] };
const item = { id: 'msg_1', type: 'message', status: 'completed', content: [part, part] };
type Type = Parameters<typeof textsRepeatedBy>[0];

/** What is found in an event with these fields, behind other bytes. */
function partsIn(type: Type, json: string) {
  const bytes = Buffer.from(`data: ${json}\n\n`);
  return textsRepeatedBy(type, bytes, 'data: '.length, bytes.length - 2);
}

describe('textsRepeatedBy', () => {
  test.each<[what: string, type: Type, fields: object, count: number]>([
    ['the whole text of a part', TEXT_DONE, { ...at, logprobs: [], text: 'whole "} \\' }, 1],
    ['an item with its texts', ITEM_DONE, { output_index: 2, content_index: 3, item }, 2],
    ['an item without texts', ITEM_DONE, { output_index: 2, item: { type: 'message', content: [] } }, 0],
    ['a new message', ITEM_ADDED, { output_index: 2, item: { type: 'message', content: [] } }, 0],
  ])('reads %s without parsing', (_, type, fields, count) => {
    const contentIndex = type === TEXT_DONE ? 3 : 0;
    const found = partsIn(type, JSON.stringify({ type, sequence_number: 4, ...fields }));
    expect(found).toEqual({ outputIndex: 2, contentIndex, count });
  });

  test.each<[what: string, type: Type, json: string]>([
    ['has a member twice', ITEM_DONE, `{"output_index":2,"item":${JSON.stringify(item)},"item":{}}`],
    ['has two types of an item', ITEM_DONE, '{"output_index":2,"item":{"type":"message","type":"a","content":[]}}'],
    ['has an escaped name', TEXT_DONE, '{"output_index":2,"content_index":0,"\\u006futput_index":1}'],
    ['has spaces', TEXT_DONE, '{"output_index": 2,"content_index":0}'],
    ['has no position', TEXT_DONE, '{"item_id":"msg_1","content_index":0}'],
    [
      'has annotations',
      ITEM_DONE,
      '{"output_index":2,"item":{"type":"message","content":[{"type":"output_text","a":[1]}]}}',
    ],
    ['has a refusal', ITEM_DONE, '{"output_index":2,"item":{"type":"message","content":[{"type":"refusal"}]}}'],
    ['is about a call', ITEM_ADDED, '{"output_index":2,"item":{"type":"function_call","name":"f"}}'],
    ['is cut off', TEXT_DONE, '{"output_index":2,"content_index":0,"text":"a'],
    ['goes on behind its end', TEXT_DONE, '{"output_index":2,"content_index":0}}'],
  ])('leaves an event to the parser that %s', (_, type, json) => {
    expect(partsIn(type, json)).toBeUndefined();
  });
});
