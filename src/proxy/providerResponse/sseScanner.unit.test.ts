import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventTooLarge, type ScanResult, SseScanner } from './sseScanner.ts';

const event = (type: string, rest = '') => `event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`;
const created = event('response.created', ',"response":{"error":null}');
const delta = (text: string) => event('response.output_text.delta', `,"delta":${JSON.stringify(text)}`);
const completed = event('response.completed', ',"response":{"usage":null}');

/** Scans a stream in chunks of these sizes. */
function scan(stream: string | Buffer, sizes: readonly number[] = [], options = { dropsVendorEvents: false }) {
  const scanner = new SseScanner(options);
  const bytes = Buffer.from(stream);
  const results: ScanResult[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[index % sizes.length] ?? 1);
    results.push(scanner.push(Buffer.from(bytes.subarray(at, at + size))));
    at += size;
  }
  results.push(scanner.end());
  return {
    text: Buffer.concat(results.map((result) => result.bytes)).toString(),
    /** The bytes of each result that began the stream. */
    begins: results.flatMap(({ begins, bytes }) => (begins ? [bytes.toString()] : [])),
    terminal: results.findLast(({ terminal }) => terminal)?.terminal?.type,
    terminalData: results.findLast(({ terminal }) => terminal)?.terminal?.data,
  };
}

describe('with every fragmentation', () => {
  const stream = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme' }).map(delta),
        fc.constant(': comment\n\n'),
        fc.constant('data: [DONE]\n\n'),
      ),
    )
    .map((middle) => `: hello\n\n${created}${middle.join('')}${completed}`);

  test('keeps the bytes of a stream, LF or CRLF', () =>
    fc.assert(
      fc.property(
        stream,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        fc.boolean(),
        (text, sizes, isCrlf) => {
          const sent = isCrlf ? text.replaceAll('\n', '\r\n') : text;
          const seen = scan(sent, sizes);
          expect(seen.text).toBe(sent);
          expect(seen).toMatchObject({ begins: [expect.stringContaining('created')], terminal: 'response.completed' });
        },
      ),
    ));
});

test('buffers an incomplete event', () => {
  const scanner = new SseScanner({ dropsVendorEvents: false });
  const half = Buffer.from(`${created}event: response.outp`);
  expect(scanner.push(half).bytes.toString()).toBe(created);
  expect(scanner.push(Buffer.from('ut_text.delta\ndata: {}\n')).bytes.length).toBe(0);
  expect(scanner.push(Buffer.from('\n')).bytes.toString()).toBe('event: response.output_text.delta\ndata: {}\n\n');
});

test('ignores names of terminal events in a text', () => {
  const talk = delta('{"type":"response.completed"} and event: response.failed and an error');
  expect(scan(created + talk).terminal).toBeUndefined();
});

test('completes a terminal event without its blank line', () => {
  const seen = scan(created + completed.trimEnd());
  expect(seen.terminal).toBe('response.completed');
  expect(seen.text).toBe(created + completed);
});

test('drops an incomplete event at the end', () => {
  expect(scan(`${created}event: response.output_text.delta\ndata: {"type":"resp`).text).toBe(created);
});

test('reports an error event unless a terminal event follows', () => {
  const error = event('error', ',"error":{"message":"no"}');
  expect(scan(created + error).terminal).toBe('error');
  expect(scan(created + error + event('response.failed')).terminal).toBe('response.failed');
});

test('removes vendor events on request', () => {
  const limits = event('codex.rate_limits');
  const stream = limits + created + delta('about codex.rate_limits') + limits + completed;
  const seen = scan(stream, [], { dropsVendorEvents: true });
  expect(seen.text).toBe(created + delta('about codex.rate_limits') + completed);
  expect(scan(stream).text).toBe(stream);
});

describe('a stream begins', () => {
  const comment = ': hello\n\n';
  const vendor = 'data: {"type":"codex.rate_limits"}\n\n';
  const escaped = vendor.replace('codex', '\\u0063odex');
  const each = (events: readonly string[], dropsVendorEvents: boolean) => {
    const scanner = new SseScanner({ dropsVendorEvents });
    return events.map((one) => scanner.push(Buffer.from(one)).begins);
  };

  test.each([
    [[created, created], false, [true, false]],
    [[comment, created, created], false, [false, true, false]],
    [[comment + created], false, [true]],
    [[created.replaceAll('\n', '\r\n')], true, [true]],
    [['data: [DONE]\n\n'], true, [true]],
    [['data:\n\n', created], true, [false, true]],
    [[vendor, created], true, [false, true]],
    [[escaped, created], true, [false, true]],
    [[event('codex.rate_limits'), created], true, [false, true]],
    [[vendor, created], false, [true, false]],
    [[delta('x'.repeat(1_000))], true, [true]],
  ])('%j, without vendor events: %j', (events, dropsVendorEvents, begins) => {
    expect(each(events, dropsVendorEvents)).toEqual(begins);
  });
});

test('reports a terminal event alone and ignores what follows', () => {
  const crlf = (text: string) => text.replaceAll('\n', '\r\n');
  for (const text of [`${created}${completed}data: [DONE]\n\n`, `${completed}data: [DONE]\n\n`]) {
    for (const seen of [scan(text), scan(crlf(text))])
      expect(seen.terminalData).toBe('{"type":"response.completed","response":{"usage":null}}');
  }
});

test('finds a terminal event after every kind of line ending', () => {
  const crlf = (text: string) => text.replaceAll('\n', '\r\n');
  for (const before of ['', created, crlf(created), crlf(created) + created, created + crlf(created), ': \n\n'])
    for (const ending of [completed, crlf(completed)]) {
      const seen = scan(before + ending);
      expect(seen).toMatchObject({ text: before + ending, terminal: 'response.completed' });
      expect(seen.terminalData).toBe('{"type":"response.completed","response":{"usage":null}}');
    }
});

test('reads the type anywhere in the payload', () => {
  expect(scan('data: { "response": {}, "type" : "response.completed" }\n\n').terminal).toBe('response.completed');
});

test('throws only for an event above the limit', () => {
  const scanner = new SseScanner({ dropsVendorEvents: false, maxEventBytes: 1_000 });
  const push = () => scanner.push(Buffer.alloc(300, 'x'));
  for (let i = 0; i < 3; i++) expect(push().bytes.length).toBe(0);
  expect(push).toThrow(EventTooLarge);
});
