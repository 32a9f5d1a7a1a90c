import { describe, expect, test } from 'vitest';
import { eventsIn } from '../../../test/support/provider/client.ts';
import { OutputFiller } from './outputFiller.ts';
import { formatEvent } from './sse.ts';
import { SseScanner } from './sseScanner.ts';

const event = (type: string, fields: object) => formatEvent(type, { type, ...fields }).toString();
const done = (output_index: number, text: string) =>
  event('response.output_item.done', { output_index, item: { id: `msg_${output_index}`, text } });
const ending = (type: string, response: object) =>
  event(type, { sequence_number: 9, response: { id: 'r', ...response } });

/** Passes a stream through a filler in chunks of this size. */
function fill(stream: string, size = stream.length) {
  const filler = new OutputFiller(new SseScanner({ dropsVendorEvents: true }));
  const bytes = Buffer.from(stream);
  const scanned = [];
  for (let at = 0; at < bytes.length; at += size) scanned.push(filler.push(bytes.subarray(at, at + size)));
  scanned.push(filler.end());
  const terminal = scanned.find((one) => one.terminal)?.terminal;
  return { text: Buffer.concat(scanned.map((one) => one.bytes)).toString(), terminal };
}

describe.each([
  ['in one chunk', undefined],
  ['in chunks', 11],
  ['byte by byte', 1],
])('a terminal event without output, %s,', (_how, size) => {
  test.each(['response.completed', 'response.incomplete'])('gets the items in order: %s', (type) => {
    const limits = event('codex.rate_limits', {});
    const { text, terminal } = fill(done(1, 'wörld') + done(0, 'hello') + limits + ending(type, { output: [] }), size);
    const last = eventsIn(text).at(-1);
    expect(last).toEqual({
      event: type,
      data: {
        type,
        sequence_number: 9,
        response: {
          id: 'r',
          output: [
            { id: 'msg_0', text: 'hello' },
            { id: 'msg_1', text: 'wörld' },
          ],
        },
      },
    });
    expect(JSON.parse(terminal?.data ?? '')).toEqual(last?.data);
    expect(text).not.toContain('codex.');
  });
});

test.each<[what: string, stream: string]>([
  [
    'a terminal event with output',
    done(0, 'a') + ending('response.completed', { output: [{ id: 'msg_0', text: 'a' }] }),
  ],
  ['a response without items', ending('response.completed', { output: [] })],
  ['a failure', done(0, 'a') + ending('response.failed', { output: [] })],
  [
    'a terminal event that is not JSON',
    `${done(0, 'a')}event: response.completed\ndata: {"type":"response.completed",\n\n`,
  ],
  [
    'an item that is not JSON',
    `data: {"type":"response.output_item.done",\n\n${ending('response.completed', { output: [] })}`,
  ],
  [
    'a text that mentions items',
    `${event('x', { text: '"response.output_item.done"' })}${ending('response.completed', {})}`,
  ],
])('leaves %s unchanged', (_what, stream) => expect(fill(stream).text).toBe(stream));

test('fills in a missing output', () =>
  expect(
    eventsIn(fill(done(0, 'a') + ending('response.completed', {})).text).at(-1)?.data.response.output,
  ).toHaveLength(1));
