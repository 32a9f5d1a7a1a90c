import { expect, test } from 'vitest';
import { ProxyError } from '../errors/proxyError.ts';
import { RequestCache } from './requestCache.ts';
import { scanBody } from './scanBody.ts';
import { scanWithTemplate } from './scanWithTemplate.ts';

const accepted = { model: 'm', stream: true, store: false, prompt_cache_key: 'key' };
const long = (letter: string) => letter.repeat(500);
const json = (value: object) => Buffer.from(JSON.stringify(value));

function remembering(...bodies: object[]): RequestCache {
  const memory = new RequestCache();
  for (const body of bodies) expect(scanBody(json(body), memory, 'hint')).toBeDefined();
  return memory;
}

const isKnown = (memory: RequestCache, body: object) => scanWithTemplate(json(body), memory, 'hint') !== undefined;

test('a body is known by what stands around its input, whatever the input is', () => {
  const memory = remembering({ ...accepted, input: 'x' });
  expect(isKnown(memory, { ...accepted, input: 'y' })).toBe(true);
  expect(isKnown(memory, { ...accepted, input: [{ role: 'user' }] })).toBe(true);
  expect(isKnown(memory, { ...accepted, input: 1 })).toBe(false);
  expect(isKnown(memory, { ...accepted, model: 'n', input: 'x' })).toBe(false);
  expect(isKnown(memory, { ...accepted, input: 'x', user: 'u' })).toBe(false);
  expect(scanWithTemplate(json({ ...accepted, input: 'x' }), memory, 'another hint')).toBeUndefined();
});

test('a long value, or one that changes in every turn, may be any that is good', () => {
  const memory = remembering({ ...accepted, instructions: long('a'), client_metadata: { turn: 1 }, input: 'x' });
  const isStillKnown = (change: object) =>
    isKnown(memory, { ...accepted, instructions: long('a'), client_metadata: { turn: 1 }, input: 'x', ...change });
  expect(isStillKnown({ instructions: long('b'), client_metadata: { turn: 2 } })).toBe(true);
  expect(isStillKnown({ instructions: null })).toBe(false);
  expect(() => isStillKnown({ instructions: {} })).toThrow(ProxyError);
});

test('where members of a known body stand is told only when something of them has to change', () => {
  const body = { ...accepted, input: 'x', user: 'u', instructions: long('a'), temperature: 1 };
  const memory = remembering(body, { ...accepted, input: 'x' });
  expect(scanWithTemplate(json({ ...accepted, input: 'x' }), memory, 'hint')?.members).toBeUndefined();
  const raw = json({ ...body, input: 'something longer' });
  const members = scanWithTemplate(raw, memory, 'hint')?.members?.map(({ field, start, valueStart, end }) => {
    const name = `"${field.name}":`;
    expect(valueStart - start).toBe(name.length);
    return raw.toString('utf8', start, end).slice(name.length);
  });
  expect(members).toEqual(Object.values({ ...body, input: 'something longer' }).map((value) => JSON.stringify(value)));
});

test('the same frame is kept once, and none that is long', () => {
  const memory = remembering({ ...accepted, tools: [{ type: 'function', name: long('a') }], input: 'x' });
  const { size } = memory.templates;
  expect(size).toBeGreaterThan(0);
  for (const more of [{ tools: [{ type: 'function', name: long('b') }] }, { prompt_cache_key: long('k').repeat(10) }]) {
    const body = json({ ...accepted, ...more, input: 'x' });
    expect(scanBody(body, memory, 'hint')).toBeDefined();
    expect(memory.templates.size).toBe(size);
  }
});
