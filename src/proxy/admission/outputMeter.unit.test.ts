import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { eventsOf } from '../providerResponse/sse.ts';
import { OutputMeter } from './outputMeter.ts';

const event = (payload: object) => `event: ${(payload as { type: string }).type}\ndata: ${JSON.stringify(payload)}\n\n`;
const delta = (text: string, type = 'response.output_text.delta') => event({ type, item_id: 'i', delta: text });

function tokensIn(stream: string): number {
  const bytes = Buffer.from(stream);
  const meter = new OutputMeter();
  for (const { start, end } of eventsOf(bytes)) meter.add(bytes, start, end);
  return meter.tokens;
}

test.each([
  ['a token for four bytes of text', delta('x'.repeat(4_000)), 1_000],
  ['a token for each delta, however short', [...'abcdefgh'].map((letter) => delta(letter)).join(''), 8],
  ['arguments of calls', delta('{"city":', 'response.function_call_arguments.delta'), 3],
  ['summaries of reasoning', delta('x'.repeat(40), 'response.reasoning_summary_text.delta'), 10],
  ['text up to its end, past escaped quotes', delta(`"${'x'.repeat(20)}\\`), 6],
  ['a delta that is no text', event({ type: 'response.output_audio.delta', delta: { a: 'b' } }), 1],
])('counts %s', (_what, stream, tokens) => expect(tokensIn(stream)).toBe(tokens));

test.each([
  ['what repeats the deltas', event({ type: 'response.output_text.done', text: 'x'.repeat(4_000) })],
  ['items that contain the words', event({ type: 'response.output_item.done', item: { a: '".delta"', delta: 'x' } })],
  ['comments', ': comment\n\n'],
  ['the first event', event({ type: 'response.created', response: { instructions: 'x'.repeat(4_000) } })],
])('does not count %s', (_what, stream) => expect(tokensIn(stream)).toBe(0));

test('measures the JSON of any text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }), (texts) => {
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)) - 2, 0);
      expect(tokensIn(texts.map((text) => delta(text)).join(''))).toBe(Math.max(texts.length, Math.ceil(bytes / 4)));
    }),
    runs(40),
  );
});

describe('finds the text of a delta', () => {
  const delta = 'word'.repeat(25);
  test.each([
    ['whose type stands first', `data: {"type":"response.output_text.delta","delta":"${delta}"}\n\n`],
    [
      'whose fields are sorted',
      `data: {"content_index":0,"delta":"${delta.repeat(8)}","type":"response.output_text.delta"}\n\n`,
    ],
    [
      'whose type stands only in the event line',
      `event: response.output_text.delta\ndata: {"delta":"${delta}","item_id":"i"}\n\n`,
    ],
    [
      'whose type comes late',
      `event: response.output_text.delta\r\ndata: {"item_id":"${'i'.repeat(250)}","type":"response.output_text.delta","delta":"${delta}"}\r\n\r\n`,
    ],
  ])('%s', (_what, text) => {
    const meter = new OutputMeter();
    const buffer = Buffer.from(`data: {"type":"response.created"}\n\n${text}data: {"type":"response.completed"}\n\n`);
    const start = buffer.indexOf('\n\n') + 2;
    meter.add(buffer, 0, start);
    expect(meter.tokens).toBe(0);
    meter.add(buffer, start, start + text.length);
    expect(meter.tokens).toBe(text.split('word').length - 1);
    meter.add(buffer, start + text.length, buffer.length);
    expect(meter.tokens).toBe(text.split('word').length - 1);
  });
});
