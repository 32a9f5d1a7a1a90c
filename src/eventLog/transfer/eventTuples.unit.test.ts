import { expect, test } from 'vitest';
import type { StoredEvent } from '../eventLog.ts';
import { eventOfTuple, splitLine, tupleOfEvent, tupleOfLine } from './eventTuples.ts';

const event = {
  position: 7,
  stream: 'requests-n1.b1',
  revision: 3,
  id: '0198c0de-0000-7000-8000-000000000001',
  type: 'RequestCompleted',
  time: 1_795_000_000_000,
  data: { text: 'a "quoted" ,\\"metadata\\":{\\"schemaVersion\\":1 text', metadata: { schemaVersion: 1, other: [1] } },
  metadata: { schemaVersion: 2, actor: { kind: 'cli' }, correlationId: 'c', node: 'n1', previousHash: 'p', hash: 'h' },
} as unknown as StoredEvent;
const lineOf = (value: unknown) => JSON.stringify({ event: value });

test('splits a line into the texts that writing its event gives', () => {
  expect(splitLine(lineOf(event))).toEqual(tupleOfEvent(event));
  expect(tupleOfLine(lineOf(event))).toEqual(tupleOfEvent(event));
  expect(eventOfTuple(tupleOfEvent(event))).toEqual(event);
});

test.each([
  ['spaces', `${lineOf(event).slice(0, -1)} }`],
  ['fields in another order', lineOf(Object.fromEntries(Object.entries(event).reverse()))],
  ['a name with an escape', lineOf({ ...event, stream: 'a"b' })],
  ['no version', lineOf({ ...event, data: {}, metadata: { hash: 'h' } })],
  ['something else', JSON.stringify({ end: { events: 1, sha256: 'x' } })],
])('does not split a line with %s', (_, line) => {
  expect(splitLine(line)).toBeUndefined();
});

test('does not take a part of the metadata for the metadata', () => {
  const nested = {
    ...event,
    metadata: { ...event.metadata, actor: { kind: 'cli', metadata: { schemaVersion: 1, a: '"' } } },
  };
  const line = lineOf({
    ...nested,
    metadata: { ...nested.metadata, hash: undefined, last: { a: 1, metadata: { schemaVersion: 1, b: '' } } },
  });
  expect(tupleOfLine(line)).toBeUndefined();
});

// Parsed as a whole, each is an event without a trace of what its data has between.
test.each([
  ['data twice', '"data":{"text"', '"data":1,"data":{"text"'],
  ['metadata twice', ',"metadata":{"schemaVersion":2,', ',"metadata":{},"metadata":{"schemaVersion":2,'],
  ['a field behind the data', ',"metadata":{"schemaVersion":2,', ',"id":"x","metadata":{"schemaVersion":2,'],
  ['a position that is no number in JSON', '"position":7', '"position":07'],
])('does not take the texts of a line with %s', (_, text, forged) => {
  const line = lineOf(event);
  expect(line.split(text)).toHaveLength(2);
  expect(tupleOfLine(line.replace(text, forged))).toBeUndefined();
});
