import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { formatEvent } from '../providerResponse/sse.ts';
import { ChatCompletionBuilder } from './chatCompletionBuilder.ts';
import { ChunkWriter } from './chunkWriter.ts';
import { ResponseReader } from './responseReader.ts';
import type { ChatCompletionChunk } from './wire.ts';
import * as wire from './wire.ts';

type Event = { type: string } & Record<string, unknown>;

const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'gpt-5.1' };
const bytesOf = (events: readonly Event[]) => Buffer.concat(events.map((event) => formatEvent(event.type, event)));

function completionOf(...events: Event[]) {
  const completion = new ChatCompletionBuilder(head);
  for (const event of events) completion.add(bytesOf([event]));
  return completion.body;
}

describe('ChatCompletionBuilder', () => {
  const completed = (response = {}) => ({ type: 'response.completed', response });
  const done = (item: object, index = 0) => ({ type: 'response.output_item.done', output_index: index, item });
  const message = (...content: object[]) => ({ type: 'message', content });
  const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
  const choiceOf = (...events: Event[]) => completionOf(...events).choices[0];

  test('fills in null for fields that the response does not contain', () =>
    expect(completionOf(done(message({ type: 'output_text', text: 'Hi' })), completed())).toEqual({
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    }));

  test.each<[what: string, events: Event[], message: object]>([
    ['null with tool calls', [done(call), completed()], { content: null, tool_calls: [expect.anything()] }],
    [
      'null with a refusal',
      [done(message({ type: 'refusal', refusal: 'No' })), completed()],
      { content: null, refusal: 'No' },
    ],
    ['empty without any output', [completed()], { content: '', refusal: null }],
  ])('has content that is %s', (_what, events, expected) =>
    expect(choiceOf(...events)?.message).toMatchObject(expected),
  );

  test('keeps reasoning, tool calls and the service tier', () => {
    const reasoning = done({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] });
    const events = [reasoning, done(call, 1), completed({ service_tier: 'flex' })];
    expect(completionOf(...events)).toMatchObject({
      service_tier: 'flex',
      choices: [
        {
          message: {
            reasoning_content: 'Hm.',
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
        },
      ],
    });
  });
});

describe('ChunkWriter', () => {
  const writer = (includesUsage: boolean) => new ChunkWriter(head, { includesUsage });
  const finished = { kind: 'finished', reason: 'stop', usage: undefined, serviceTier: undefined } as const;
  const choicesOf = (text: string) => linesOf(text).map((chunk) => chunk.choices[0]);

  test('writes the role even for an empty response', () =>
    expect(choicesOf(writer(false).finish(finished))).toEqual([
      { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null },
      { index: 0, delta: {}, finish_reason: 'stop' },
    ]));

  test('writes no usage when the provider sent none', () =>
    expect(linesOf(writer(true).finish(finished)).every(({ usage, choices }) => usage === null && choices[0])).toBe(
      true,
    ));
});

// Whatever the provider repeats, and however the items interleave.
test('delivers the same content as stream and as object, each piece once', () =>
  fc.assert(
    fc.property(responses, ({ events, expected }) => {
      expect(assemble(streamOf(events))).toEqual(expected);
      const completion = wire.ChatCompletion.parse(completionOf(...events));
      const [choice] = completion.choices;
      expect({
        text: choice?.message.content ?? '',
        refusal: choice?.message.refusal ?? '',
        calls: (choice?.message.tool_calls ?? []).map((call) =>
          call.type === 'function'
            ? { id: call.id, name: call.function.name, args: call.function.arguments }
            : { id: call.id, name: call.custom.name, args: call.custom.input },
        ),
        reason: choice?.finish_reason,
      }).toEqual(expected);
    }),
    runs(300),
  ));

function streamOf(events: readonly Event[]): string {
  const reader = new ResponseReader();
  const writer = new ChunkWriter(head, { includesUsage: true });
  let text = '';
  for (const event of events) {
    for (const delta of reader.read({ type: event.type, data: JSON.stringify(event) })) text += writer.delta(delta);
  }
  return reader.finish?.kind === 'finished' ? text + writer.finish(reader.finish) : text;
}

function linesOf(stream: string): ChatCompletionChunk[] {
  const lines = stream.split('\n\n');
  expect(lines.slice(-2)).toEqual(['data: [DONE]', '']);
  return lines.slice(0, -2).map((line) => wire.ChatCompletionChunk.parse(JSON.parse(line.replace(/^data: /, ''))));
}

/** Assembles chunks like a client, by the index of the call. */
function assemble(stream: string) {
  const assembled = { text: '', refusal: '', calls: [] as { id: string; name: string; args: string }[], reason: '' };
  for (const { choices } of linesOf(stream)) {
    for (const { delta, finish_reason: reason } of choices) {
      assembled.text += delta.content ?? '';
      assembled.refusal += delta.refusal ?? '';
      for (const { index, id, function: fn, custom } of delta.tool_calls ?? []) {
        if (id !== undefined) assembled.calls[index] = { id, name: fn?.name ?? custom?.name ?? '', args: '' };
        (assembled.calls[index] as { args: string }).args += fn?.arguments ?? custom?.input ?? '';
      }
      assembled.reason = reason ?? assembled.reason;
    }
  }
  return assembled;
}

const pieces = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
/** The events in which the provider repeats a text: at least one of them. */
const forms = fc
  .record({ deltas: fc.boolean(), done: fc.boolean(), item: fc.boolean() })
  .filter(({ deltas, done, item }) => deltas || done || item);
const item = fc.record({ kind: fc.constantFrom('text', 'refusal', 'function', 'custom'), pieces, forms });
const isCall = (kind: string) => kind === 'function' || kind === 'custom';

const responses = fc
  .record({ items: fc.array(item, { maxLength: 4 }), order: fc.infiniteStream(fc.nat()), repeatsAll: fc.boolean() })
  .map(({ items, order, repeatsAll }) => {
    const queues = items.map((one, index) => eventsOfItem(one, index));
    const events: Event[] = [];
    // Tool calls interleave; texts arrive item by item.
    const calls = queues.map((_, index) => index).filter((index) => isCall(items[index]?.kind ?? ''));
    for (const [index, queue] of queues.entries()) if (!calls.includes(index)) events.push(...queue);
    const waiting = calls.map((index) => queues[index] ?? []);
    while (waiting.some((queue) => queue.length > 0)) {
      const choice = waiting.filter((queue) => queue.length > 0);
      events.push(choice[order.next().value % choice.length]?.shift() as Event);
    }
    const output = repeatsAll ? items.map((one, index) => finished(one, index)) : [];
    events.push({ type: 'response.completed', response: { output } });
    const textOf = (kind: string) =>
      items
        .filter((one) => one.kind === kind)
        .flatMap((one) => one.pieces)
        .join('');
    // Calls are numbered in the order of their first events.
    const callOrder = [...new Set(events.map(({ output_index: at }) => at))].filter((at) =>
      calls.includes(at as number),
    );
    return {
      events,
      expected: {
        text: textOf('text'),
        refusal: textOf('refusal'),
        calls: callOrder.map((at) => {
          const index = at as number;
          return { id: `call_${index}`, name: `tool_${index}`, args: items[index]?.pieces.join('') };
        }),
        reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    };
  });

type Item = { kind: string; pieces: string[]; forms: { deltas: boolean; done: boolean; item: boolean } };

const NAMES: Record<string, { type: string; event: string; field: string }> = {
  text: { type: 'output_text', event: 'response.output_text', field: 'text' },
  refusal: { type: 'refusal', event: 'response.refusal', field: 'refusal' },
  function: { type: 'function_call', event: 'response.function_call_arguments', field: 'arguments' },
  custom: { type: 'custom_tool_call', event: 'response.custom_tool_call_input', field: 'input' },
};

function finished({ kind, pieces }: Item, index: number, isComplete = true): object {
  const { type = '', field = '' } = NAMES[kind] ?? {};
  const text = isComplete ? pieces.join('') : '';
  if (isCall(kind))
    return { id: `item_${index}`, type, call_id: `call_${index}`, name: `tool_${index}`, [field]: text };
  return { id: `item_${index}`, type: 'message', content: isComplete ? [{ type, [field]: text }] : [] };
}

function eventsOfItem(one: Item, index: number): Event[] {
  const { kind, pieces, forms } = one;
  const { event = '', field = '' } = NAMES[kind] ?? {};
  const at = { item_id: `item_${index}`, output_index: index, content_index: 0 };
  return [
    { type: 'response.output_item.added', ...at, item: finished(one, index, false) },
    ...(forms.deltas ? pieces.map((delta) => ({ type: `${event}.delta`, ...at, delta })) : []),
    ...(forms.done ? [{ type: `${event}.done`, ...at, [field]: pieces.join('') }] : []),
    ...(forms.item ? [{ type: 'response.output_item.done', ...at, item: finished(one, index) }] : []),
  ];
}
