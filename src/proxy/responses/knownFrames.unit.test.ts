import { expect, test } from 'vitest';
import { readEnvelope } from './readEnvelope.ts';
import { readFramed } from './readFramed.ts';
import { RequestMemory } from './requestMemory.ts';

const accepted = { model: 'm', stream: true, store: false, prompt_cache_key: 'key' };
const long = (letter: string) => letter.repeat(500);
const json = (value: object) => Buffer.from(JSON.stringify(value));

function remembering(...bodies: object[]): RequestMemory {
  const memory = new RequestMemory();
  for (const body of bodies) expect(readEnvelope(json(body), memory, 'hint')).toBeDefined();
  return memory;
}

const isKnown = (memory: RequestMemory, body: object) => readFramed(json(body), memory, 'hint') !== undefined;

test('a body is known by what stands around its input, whatever the input is', () => {
  const memory = remembering({ ...accepted, input: 'x' });
  expect(isKnown(memory, { ...accepted, input: 'y' })).toBe(true);
  expect(isKnown(memory, { ...accepted, input: [{ role: 'user' }] })).toBe(true);
  expect(isKnown(memory, { ...accepted, input: 1 })).toBe(false);
  expect(isKnown(memory, { ...accepted, model: 'n', input: 'x' })).toBe(false);
  expect(isKnown(memory, { ...accepted, input: 'x', user: 'u' })).toBe(false);
  expect(readFramed(json({ ...accepted, input: 'x' }), memory, 'another hint')).toBeUndefined();
});

test('a long value may be any that is known of its member', () => {
  const memory = remembering(
    { ...accepted, instructions: long('a'), input: 'x' },
    { ...accepted, instructions: long('b'), input: 'x', user: 'u' },
  );
  expect(isKnown(memory, { ...accepted, instructions: long('b'), input: 'x' })).toBe(true);
  expect(isKnown(memory, { ...accepted, instructions: long('c'), input: 'x' })).toBe(false);
  expect(isKnown(memory, { ...accepted, instructions: `${long('a')}a`, input: 'x' })).toBe(false);
});

test('a body that the provider would not accept as it is leaves no frame', () => {
  for (const change of [{ stream: false }, { store: null }, { temperature: 1 }]) {
    expect(isKnown(remembering({ ...accepted, ...change, input: 'x' }), { ...accepted, ...change, input: 'x' })).toBe(
      false,
    );
  }
});

test('the same frame is kept once, and none that is long', () => {
  const memory = remembering({ ...accepted, tools: [{ type: 'function', name: long('a') }], input: 'x' });
  const { size } = memory.frames;
  expect(size).toBeGreaterThan(0);
  for (const more of [{ tools: [{ type: 'function', name: long('b') }] }, { prompt_cache_key: long('k').repeat(10) }]) {
    const body = json({ ...accepted, ...more, input: 'x' });
    expect(readEnvelope(body, memory, 'hint')).toBeDefined();
    expect(memory.frames.size).toBe(size);
  }
});
