import { describe, expect, test } from 'vitest';
import { type MessageDelta, ResponseReader } from './responseReader.ts';

type Event = { type: string } & Record<string, unknown>;

function readAll(...events: Event[]) {
  const reader = new ResponseReader();
  const messageDeltas: MessageDelta[] = [];
  for (const event of events) messageDeltas.push(...reader.read({ type: event.type, data: JSON.stringify(event) }));
  return { deltas: messageDeltas.map(({ delta }) => delta), messageDeltas, finish: reader.finish };
}
const deltasOf = (...events: Event[]) => readAll(...events).deltas;

const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const text = (delta: string, more = {}): Event => ({ type: 'response.output_text.delta', ...at, delta, ...more });
const completed = (response = {}): Event => ({ type: 'response.completed', response });
const incomplete = (reason: unknown): Event => ({
  type: 'response.incomplete',
  response: { incomplete_details: reason === undefined ? null : { reason } },
});
const message = (...content: object[]) => ({ id: 'msg_1', type: 'message', role: 'assistant', content });
const done = (item: object, index = 0): Event => ({ type: 'response.output_item.done', output_index: index, item });

describe('text', () => {
  test.each<[what: string, events: Event[]]>([
    ['in deltas', [text('Hel'), text('lo')]],
    [
      'in deltas and in full after them',
      [text('Hel'), text('lo'), { type: 'response.output_text.done', ...at, text: 'Hello' }],
    ],
    [
      'in deltas and in the finished item',
      [text('Hel'), text('lo'), done(message({ type: 'output_text', text: 'Hello' }))],
    ],
    ['only in full', [{ type: 'response.output_text.done', ...at, text: 'Hello' }]],
    ['only in the finished item', [done(message({ type: 'output_text', text: 'Hello' }))]],
    ['only in the terminal event', [completed({ output: [message({ type: 'output_text', text: 'Hello' })] })]],
    [
      'everywhere',
      [
        text('Hel'),
        text('lo'),
        { type: 'response.output_text.done', ...at, text: 'Hello' },
        done(message({ type: 'output_text', text: 'Hello' })),
        completed({ output: [{ type: 'reasoning', summary: [] }, message({ type: 'output_text', text: 'Hello' })] }),
      ],
    ],
  ])('passes on once a text that arrives %s', (_what, events) =>
    expect(
      deltasOf(...events)
        .map(({ content }) => content)
        .join(''),
    ).toBe('Hello'),
  );

  test('passes on a text of two parts part by part', () => {
    const second = { ...at, content_index: 1 };
    const done = { type: 'response.output_text.done', ...second, text: ' you' };
    expect(deltasOf(text('Hello'), done)).toEqual([{ content: 'Hello' }, { content: ' you' }]);
  });

  test('passes on log probabilities with the bytes of the tokens', () => {
    const top = [{ token: 'Ho', logprob: -2 }];
    const [first] = readAll(
      text('Hé', { logprobs: [{ token: 'Hé', logprob: -0.5, top_logprobs: top }] }),
    ).messageDeltas;
    expect(first?.logprobs).toEqual({
      content: [
        {
          token: 'Hé',
          logprob: -0.5,
          bytes: [72, 195, 169],
          top_logprobs: [{ token: 'Ho', logprob: -2, bytes: [72, 111] }],
        },
      ],
      refusal: null,
    });
    expect(readAll(text('Hi', { logprobs: [] })).messageDeltas).toEqual([{ delta: { content: 'Hi' } }]);
  });

  test('passes on the annotations of cited sources', () => {
    const citation = { start_index: 1, end_index: 2, title: 'T', url: 'https://a' };
    const annotated = (annotation: object): Event => ({
      type: 'response.output_text.annotation.added',
      ...at,
      annotation,
    });
    expect(
      deltasOf(
        annotated({ type: 'url_citation', ...citation }),
        annotated({ type: 'file_citation', file_id: 'f', index: 0 }),
      ),
    ).toEqual([{ annotations: [{ type: 'url_citation', url_citation: citation }] }]);
  });
});

test('passes a refusal on once', () => {
  const events = [
    { type: 'response.refusal.delta', ...at, delta: 'I ' },
    { type: 'response.refusal.delta', ...at, delta: 'will not.' },
    { type: 'response.refusal.done', ...at, refusal: 'I will not.' },
    done(message({ type: 'refusal', refusal: 'I will not.' })),
    completed(),
  ];
  const { deltas, finish } = readAll(...events);
  expect(deltas).toEqual([{ refusal: 'I ' }, { refusal: 'will not.' }]);
  expect(finish).toMatchObject({ reason: 'stop' });
});

test('passes a reasoning summary on separately, with blank lines between its parts', () => {
  const thought = (delta: string, index: number): Event => ({
    type: 'response.reasoning_summary_text.delta',
    item_id: 'rs_1',
    output_index: 0,
    summary_index: index,
    delta,
  });
  const summary = [
    { type: 'summary_text', text: 'First.' },
    { type: 'summary_text', text: 'Then.' },
  ];
  expect(
    deltasOf(
      { type: 'response.output_item.added', output_index: 0, item: { id: 'rs_1', type: 'reasoning', summary: [] } },
      thought('Fi', 0),
      thought('rst.', 0),
      { type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 0, text: 'First.' },
      thought('Then.', 1),
      done({ id: 'rs_1', type: 'reasoning', summary }),
    ),
  ).toEqual([{ reasoning_content: 'Fi' }, { reasoning_content: 'rst.' }, { reasoning_content: '\n\nThen.' }]);
});

describe('tool calls', () => {
  const call = (index: number, args = '') => ({
    id: `fc_${index}`,
    type: 'function_call',
    call_id: `call_${index}`,
    name: `tool_${index}`,
    arguments: args,
  });
  const added = (item: object, index: number): Event => ({
    type: 'response.output_item.added',
    output_index: index,
    item,
  });
  const piece = (index: number, delta: string): Event => ({
    type: 'response.function_call_arguments.delta',
    item_id: `fc_${index}`,
    output_index: index,
    delta,
  });
  const whole = (index: number, args: string): Event => ({
    type: 'response.function_call_arguments.done',
    item_id: `fc_${index}`,
    output_index: index,
    arguments: args,
  });
  const firstDelta = (index: number, of: number) => ({
    tool_calls: [{ index, id: `call_${of}`, type: 'function', function: { name: `tool_${of}`, arguments: '' } }],
  });
  const nextDelta = (index: number, args: string) => ({ tool_calls: [{ index, function: { arguments: args } }] });

  test('assigns interleaved pieces to calls by their position', () =>
    expect(
      deltasOf(
        added(call(1), 1),
        added(call(3), 3),
        piece(1, '{"a"'),
        piece(3, '{'),
        piece(1, ':1}'),
        piece(3, '}'),
        whole(1, '{"a":1}'),
        whole(3, '{}'),
        done(call(1, '{"a":1}'), 1),
        done(call(3, '{}'), 3),
      ),
    ).toEqual([
      firstDelta(0, 1),
      firstDelta(1, 3),
      nextDelta(0, '{"a"'),
      nextDelta(1, '{'),
      nextDelta(0, ':1}'),
      nextDelta(1, '}'),
    ]));

  test('distinguishes calls with the same call id', () => {
    const twin = (index: number) => added({ ...call(index), call_id: 'call_x' }, index);
    expect(deltasOf(twin(0), twin(1), piece(1, '{}'), piece(0, '[]')).slice(2)).toEqual([
      nextDelta(1, '{}'),
      nextDelta(0, '[]'),
    ]);
  });

  test.each<[what: string, events: Event[]]>([
    ['in full after their deltas', [added(call(0), 0), whole(0, '{"a":1}'), done(call(0, '{"a":1}'))]],
    ['in the finished item', [added(call(0), 0), done(call(0, '{"a":1}'))]],
    ['in the first event and in the last', [added(call(0, '{"a":1}'), 0), whole(0, '{"a":1}')]],
    ['in a finished item without an added event', [piece(0, '{"a"'), piece(0, ':1}'), done(call(0, '{"a":1}'))]],
    ['in the terminal event', [completed({ output: [call(0, '{"a":1}')] })]],
  ])('reads arguments that arrive %s', (_what, events) =>
    expect(deltasOf(...events)).toEqual([firstDelta(0, 0), nextDelta(0, '{"a":1}')]),
  );

  test('passes on a call without arguments', () => {
    const { deltas, finish } = readAll(added(call(0), 0), whole(0, ''), done(call(0, '')), completed());
    expect(deltas).toEqual([firstDelta(0, 0)]);
    expect(finish).toMatchObject({ reason: 'tool_calls' });
  });

  test('matches pieces by item id when positions are missing', () => {
    const { output_index: _, ...withoutPosition } = added(call(0), 0);
    expect(deltasOf(withoutPosition as Event, { ...piece(0, '{}'), output_index: undefined })).toEqual([
      firstDelta(0, 0),
      nextDelta(0, '{}'),
    ]);
  });

  test('reads the input of custom tools', () => {
    const item = { id: 'ctc_0', type: 'custom_tool_call', call_id: 'call_0', name: 'patch', input: '' };
    const input = { item_id: 'ctc_0', output_index: 0 };
    expect(
      deltasOf(
        added(item, 0),
        { type: 'response.custom_tool_call_input.delta', ...input, delta: '*** ' },
        { type: 'response.custom_tool_call_input.delta', ...input, delta: 'Begin' },
        { type: 'response.custom_tool_call_input.done', ...input, input: '*** Begin' },
        done({ ...item, input: '*** Begin' }),
      ),
    ).toEqual([
      { tool_calls: [{ index: 0, id: 'call_0', type: 'custom', custom: { name: 'patch', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: '*** ' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'Begin' } }] },
    ]);
  });
});

describe('finish', () => {
  const called = done({ id: 'fc', type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' });

  test.each<[reason: string, what: string, events: Event[]]>([
    ['stop', 'after a text', [text('Hi'), completed()]],
    ['stop', 'without output', [completed()]],
    ['tool_calls', 'after a call', [called, completed()]],
    ['tool_calls', 'after a text and a call', [text('Hi'), { ...called, output_index: 1 }, completed()]],
    ['length', 'at max_output_tokens', [text('Hi'), incomplete('max_output_tokens')]],
    ['length', 'at max_tokens', [text('Hi'), incomplete('max_tokens')]],
    ['length', 'for an incomplete response without a reason', [text('Hi'), incomplete(undefined)]],
    ['length', 'during a call', [called, incomplete('max_output_tokens')]],
    ['content_filter', 'when the content filter ended the response', [text('Hi'), incomplete('content_filter')]],
  ])('is "%s" %s', (reason, _what, events) =>
    expect(readAll(...events).finish).toMatchObject({ kind: 'finished', reason }),
  );

  test('contains the usage in the fields of the chat API, and the service tier', () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    };
    expect(readAll(completed({ usage, service_tier: 'flex' })).finish).toEqual({
      kind: 'finished',
      reason: 'stop',
      serviceTier: 'flex',
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    });
    expect(readAll(completed({ usage: null })).finish).toMatchObject({ usage: undefined });
  });

  test('contains the error of the provider after a failure', () => {
    const error = { code: 'server_is_overloaded', message: 'Try later' };
    expect(readAll(text('Hi'), { type: 'response.failed', response: { error } }).finish).toMatchObject({
      kind: 'failed',
      error,
    });
  });

  test('makes the reader ignore later events', () =>
    expect(deltasOf(text('Hi'), completed(), text(' there'))).toEqual([{ content: 'Hi' }]));
});

test.each<[what: string, event: { type: string | undefined; data: string }]>([
  ['of a vendor', { type: 'codex.rate_limits', data: '{"type":"codex.rate_limits"}' }],
  ['of an unknown type', { type: 'response.brand_new', data: '{"type":"response.brand_new","delta":"x"}' }],
  ['without a type', { type: undefined, data: '' }],
  ['that are not JSON', { type: 'response.output_text.delta', data: '{"delta":"x' }],
  ['that are not objects', { type: 'response.output_text.delta', data: '"x"' }],
  ['without their delta', { type: 'response.output_text.delta', data: '{}' }],
  ['of type error', { type: 'error', data: '{"type":"error","message":"x"}' }],
])('ignores events %s', (_what, event) => {
  const reader = new ResponseReader();
  expect([reader.read(event), reader.finish]).toEqual([[], undefined]);
});
