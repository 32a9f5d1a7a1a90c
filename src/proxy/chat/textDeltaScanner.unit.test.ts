import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import type { ClientResponse } from '../../http/client/clientRequest.ts';
import { HeaderBlock } from '../../http/wire/headers.ts';
import { endOfLastEvent, eventsOf, formatEvent } from '../providerResponse/sse.ts';
import { SseScanner } from '../providerResponse/sseScanner.ts';
import { ChatStreamDelivery } from './chatStreamDelivery.ts';
import { ChunkWriter } from './chunkWriter.ts';
import { ResponseReader } from './responseReader.ts';
import { TextDeltaScanner } from './textDeltaScanner.ts';

const head = { id: 'chatcmpl-"1', created: 1_700_000_000, model: 'gpt-5.1\n' };

/** The chunks of events that are all parsed. */
function parsedChunks(bytes: Buffer, includesUsage: boolean): string {
  const [reader, writer] = [new ResponseReader(), new ChunkWriter(head, { includesUsage })];
  let text = '';
  for (const event of eventsOf(bytes)) for (const delta of reader.read(event)) text += writer.delta(delta);
  return text;
}

/** The chunks that a client gets of pieces with complete events. */
function deliveredChunks(pieces: readonly Buffer[], includesUsage: boolean): string {
  let text = '';
  const response = { on: () => undefined, write: (chunk: string) => (text += chunk) };
  const delivery = new ChatStreamDelivery(response as unknown as ClientResponse, {
    requestId: 'req_1',
    limits: { current: new HeaderBlock([]) },
    head,
    includesUsage,
    now: () => 0,
    onDrain: () => undefined,
  });
  delivery.hasBegun = true;
  for (const piece of pieces) delivery.pass(piece);
  return text;
}

/** The pieces of a stream that arrives in parts of these sizes. */
function piecesOf(stream: Buffer, sizes: readonly number[]): Buffer[] {
  const scanner = new SseScanner({ dropsVendorEvents: true });
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < stream.length; turn++) {
    const size = sizes[turn % sizes.length] ?? stream.length;
    pieces.push(scanner.push(stream.subarray(at, at + size)).bytes);
    at += size;
  }
  return pieces;
}

const type = 'response.output_text.delta';
const delta = fc
  .array(
    fc.constantFrom('a', ' ', '"', '\\', '\n', '\t', '/', 'é', '😀', '\ud83d', '\u0001', '\u007f', '\u2028', '}'),
    {
      maxLength: 6,
    },
  )
  .map((units) => units.join(''));
const rarely = <T>(value: T) => fc.option(fc.constant(value), { nil: undefined, freq: 8 });
const textEvent = fc
  .record({
    sequence_number: fc.constantFrom(0, 7, 123_456_789, 1_234_567_890, -1, 1.5, undefined),
    item_id: fc.constantFrom('msg_1', 'msg_"2', 'é', null, undefined),
    output_index: fc.constantFrom(0, 0, 0, 1, 10, null, '0', undefined),
    content_index: fc.constantFrom(0, 0, 1, null, undefined),
    summary_index: rarely(3),
    delta: fc.oneof({ weight: 9, arbitrary: delta }, fc.constantFrom(null, 5, { delta: 'x' })),
    logprobs: fc.constantFrom([], [], undefined, null, [{ token: 'a', logprob: -0.5 }]),
    obfuscation: fc.constantFrom('abc', undefined),
    unknown: rarely({ delta: 'nested' }),
  })
  .chain((fields) =>
    fc.tuple(
      fc.constantFrom(type, type, type, 'response.refusal.delta', 'response.output_text.done', undefined),
      fc.shuffledSubarray(Object.entries(fields), { minLength: 4 }),
      fc.constantFrom<'first' | 'last'>('first', 'last'),
    ),
  )
  .map(([payloadType, entries, place]) => {
    const typed = payloadType === undefined ? [] : [['type', payloadType]];
    return JSON.stringify(Object.fromEntries(place === 'first' ? [...typed, ...entries] : [...entries, ...typed]));
  });
/** Events of the common form, which are not parsed unless their framing or an escape is unusual. */
const commonEvent = fc
  .record({
    output_index: fc.nat(2),
    content_index: fc.nat(2),
    delta,
    item_id: fc.constant('msg_1'),
    logprobs: fc.constant([]),
  })
  .chain((fields) => fc.shuffledSubarray(Object.entries({ ...fields, type }), { minLength: 6 }))
  .map((entries) => JSON.stringify(Object.fromEntries(entries)));
/** What follows the pieces of a text, in the forms that need not be parsed and in some that must be. */
const repeatingEvent = fc
  .record({
    output_index: fc.constantFrom<unknown>(0, 0, 1, 2, 10, null, '0', undefined),
    content_index: fc.constantFrom<unknown>(0, 0, 1, null, undefined),
    item_id: fc.constantFrom('msg_1', undefined),
    text: fc.constantFrom<unknown>('whole "} \\', '', 'é', null, undefined),
    logprobs: fc.constantFrom<unknown>([], undefined, [{ token: 'a', logprob: -0.5 }]),
    item: fc.constantFrom<unknown>(
      undefined,
      null,
      { id: 'msg_1', type: 'message', status: 'completed', content: [] },
      { type: 'message', content: [{ type: 'output_text', text: 'item {"', annotations: [] }] },
      { content: [{ text: 'a' }, { type: 'output_text', text: 'b' }], type: 'message' },
      {
        type: 'message',
        content: [
          { type: 'output_text', text: 'a' },
          { type: 'output_text', text: 'b\\"' },
        ],
      },
      { type: 'message', content: [{ type: 'refusal', refusal: 'no' }] },
      { type: 'message', arguments: '{"b":1}', content: [] },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":[1]}' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'why' }] },
    ),
  })
  .chain((fields) =>
    fc.tuple(
      fc.constantFrom(
        'response.output_text.done',
        'response.output_item.done',
        'response.output_item.added',
        'response.content_part.done',
        'response.function_call_arguments.done',
      ),
      fc.shuffledSubarray(Object.entries(fields), { minLength: 3 }),
      fc.constantFrom(
        (json: string) => json,
        (json: string) => json,
        (json: string) => json,
        (json: string) => json.replace('}', ',"output_index":1}'),
        (json: string) => json.replace('"type":"message"', '"type":"message","type":"function_call"'),
        (json: string) => json.replace('"content":', '"content":[],"content":'),
        (json: string) => json.replace('}', '}}'),
        (json: string) => json.replaceAll(':', ': '),
      ),
      fc.constantFrom(
        (name: string, json: string) => `event: ${name}\ndata: ${json}\n\n`,
        (name: string, json: string) => `event: ${name}\ndata: ${json}\n\n`,
        (name: string, json: string) => `event: ${name}\ndata: ${json}\r\n\n`,
        (name: string, json: string) => `event: ${name} \ndata: ${json}\nid: 1\n\n`,
        (_: string, json: string) => `event: other\ndata: ${json}\n\n`,
        (_: string, json: string) => `data: ${json}\n\n`,
      ),
    ),
  )
  .map(([name, entries, change, frame]) =>
    Buffer.from(frame(name, change(JSON.stringify({ type: name, ...Object.fromEntries(entries) })))),
  );
/** Pieces of text as a provider writes them: most are the same but for their number, text and padding. */
const runOfEvents = fc
  .tuple(
    fc.shuffledSubarray(
      ['sequence_number', 'item_id', 'output_index', 'content_index', 'delta', 'logprobs', 'obfuscation'],
      { minLength: 7 },
    ),
    fc.array(
      fc.record({
        sequence_number: fc.nat(2_000),
        item_id: fc.constantFrom('msg_1', 'msg_1', 'msg_1', 'msg_2'),
        output_index: fc.constantFrom(0, 0, 0, 1),
        content_index: fc.constantFrom(0, 0, 0, 1),
        delta: fc.constantFrom('a b', 'c', 'é', '"}\n', '😀 x', ''),
        logprobs: fc.constant([]),
        obfuscation: fc.constantFrom('', 'x', 'xyzé'),
      }),
      { minLength: 2, maxLength: 6 },
    ),
  )
  .map(([names, events]) =>
    Buffer.concat(
      events.map((fields: Record<string, unknown>) =>
        formatEvent(type, { type, ...Object.fromEntries(names.map((name) => [name, fields[name]])) }),
      ),
    ),
  );
/** Ways to write one event. */
const framing = fc.constantFrom<(json: string) => string>(
  (json) => `event: ${type}\ndata: ${json}\n\n`,
  (json) => `event: ${type}\ndata: ${json}\n\n`,
  (json) => `event: ${type}\ndata: ${json}\n\n`,
  (json) => `data: ${json}\n\n`,
  (json) => `event: ${type}\r\ndata: ${json}\r\n\r\n`,
  (json) => `: comment\nevent: ${type}\ndata: ${json}\n\n`,
  (json) => `event: ${type}\ndata: ${json}\nid: 7\n\n`,
  (json) => `event: ${type}\ndata: ${json}\ndata: \n\n`,
  (json) => `event: other\ndata: ${json}\n\n`,
  (json) => `event:${type}\ndata:${json}\n\n`,
  (json) => `event: ${type}\ndata: ${json.replaceAll(':', ': ')}\n\n`,
  (json) => `event: ${type}\ndata: ${json.replaceAll('/', '\\/').replaceAll('é', '\\u00e9')}\n\n`,
  (json) => `event: ${type}\ndata: ${json.replace('}', ',"delta":"again"}')}\n\n`,
  (json) => `data: ${json}\nevent: ${type}\n\n`,
);
const otherEvent = fc.constantFrom(
  formatEvent('response.output_text.done', {
    type: 'response.output_text.done',
    output_index: 0,
    content_index: 0,
    text: 'whole',
  }),
  formatEvent('response.output_item.done', {
    type: 'response.output_item.done',
    output_index: 1,
    item: { type: 'message', content: [{ type: 'output_text', text: 'item' }] },
  }),
  formatEvent('response.reasoning_summary_text.delta', {
    type: 'response.reasoning_summary_text.delta',
    output_index: 2,
    summary_index: 0,
    delta: 'why',
  }),
  formatEvent('response.completed', {
    type: 'response.completed',
    response: { output: [{ type: 'message', content: [{ type: 'output_text', text: 'late' }] }] },
  }),
  Buffer.from(': keepalive\n\n'),
);
const event = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.oneof(textEvent, commonEvent), framing).map(([json, frame]) => Buffer.from(frame(json))),
  },
  { weight: 2, arbitrary: runOfEvents },
  { weight: 2, arbitrary: repeatingEvent },
  { weight: 1, arbitrary: otherEvent },
);
const stream = fc.array(event, { minLength: 1, maxLength: 8 }).map((events) => Buffer.concat(events));

describe('TextDeltaScanner', () => {
  test('gives the bytes that parsing gives, however the stream arrives', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(stream, sizes, fc.boolean(), (bytes, parts, includesUsage) => {
        expect(deliveredChunks(piecesOf(bytes, parts), includesUsage)).toBe(parsedChunks(bytes, includesUsage));
      }),
      runs(500),
    );
  });

  test('gives the bytes that parsing gives when any byte of a stream is damaged', () => {
    const damage = fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('\0\n\r"\\,:{}[]0u '), 0x80, 0xf0, 0xff));
    fc.assert(
      fc.property(stream, fc.array(damage, { minLength: 1, maxLength: 2 }), (bytes, damages) => {
        const raw = Buffer.from(bytes);
        for (const [at, byte] of damages) raw[at % raw.length] = byte;
        const complete = raw.subarray(0, endOfLastEvent(raw));
        expect(deliveredChunks([complete], false)).toBe(parsedChunks(complete, false));
      }),
      runs(500),
    );
  });

  test('gives the bytes that parsing gives when any byte of similar events is changed to any other', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 1 });
    fc.assert(
      fc.property(runOfEvents, repeatingEvent, repeatingEvent, changes, (run, next, last, changed) => {
        const raw = Buffer.concat([run, next, last]);
        for (const [at, byte] of changed) raw[at % run.length] = byte;
        expect(deliveredChunks([raw], false)).toBe(parsedChunks(raw, false));
      }),
      runs(2_000),
    );
  });

  test.each([
    [
      'in the order of the API',
      { type, sequence_number: 4, item_id: 'msg_1', output_index: 0, content_index: 2, delta: 'Hé "\n' },
    ],
    [
      'in alphabetical order',
      {
        content_index: 2,
        delta: 'Hé "\n',
        item_id: 'msg_1',
        logprobs: [],
        obfuscation: 'x',
        output_index: 0,
        sequence_number: 4,
        type,
      },
    ],
  ])('reads an event with its members %s without parsing', (_, payload) => {
    const scanner = new TextDeltaScanner();
    const source = Buffer.from(`: before\n\n${formatEvent(type, payload)}`);
    expect(scanner.read(source, source.indexOf('event'))).toBe(source.length);
    expect(scanner).toMatchObject({ outputIndex: 0, contentIndex: 2, isAscii: false });
    expect(source.toString('utf8', scanner.textStart, scanner.textEnd)).toBe('"Hé \\"\\n"');
  });
});
