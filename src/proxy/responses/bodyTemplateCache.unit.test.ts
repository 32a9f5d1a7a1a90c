import { expect, test } from 'vitest';
import { ProxyError } from '../errors/proxyError.ts';
import { RequestCache } from './requestCache.ts';
import { scanBody } from './scanBody.ts';
import { scanWithTemplate } from './scanWithTemplate.ts';

const accepted = { model: 'm', stream: true, store: false, prompt_cache_key: 'key' };
const long = (letter: string) => letter.repeat(500);
const json = (value: object) => Buffer.from(JSON.stringify(value));

function cacheWith(...bodies: object[]): RequestCache {
  const cache = new RequestCache();
  for (const body of bodies) expect(scanBody(json(body), cache, 'hint')).toBeDefined();
  return cache;
}

const matches = (cache: RequestCache, body: object) => scanWithTemplate(json(body), cache, 'hint') !== undefined;

test('matches a body by the bytes around its input, whatever the input is', () => {
  const cache = cacheWith({ ...accepted, input: 'x' });
  expect(matches(cache, { ...accepted, input: 'y' })).toBe(true);
  expect(matches(cache, { ...accepted, input: [{ role: 'user' }] })).toBe(true);
  expect(matches(cache, { ...accepted, input: 1 })).toBe(false);
  expect(matches(cache, { ...accepted, model: 'n', input: 'x' })).toBe(false);
  expect(matches(cache, { ...accepted, input: 'x', user: 'u' })).toBe(false);
  expect(scanWithTemplate(json({ ...accepted, input: 'x' }), cache, 'another hint')).toBeUndefined();
});

test('matches any valid long value, and any valid value of a field that changes every turn', () => {
  const cache = cacheWith({ ...accepted, instructions: long('a'), client_metadata: { turn: 1 }, input: 'x' });
  const matchesWith = (change: object) =>
    matches(cache, { ...accepted, instructions: long('a'), client_metadata: { turn: 1 }, input: 'x', ...change });
  expect(matchesWith({ instructions: long('b'), client_metadata: { turn: 2 } })).toBe(true);
  expect(matchesWith({ instructions: null })).toBe(false);
  expect(() => matchesWith({ instructions: {} })).toThrow(ProxyError);
});

test('finds the positions of members only when one of them has to change', () => {
  const body = { ...accepted, input: 'x', user: 'u', instructions: long('a'), temperature: 1 };
  const cache = cacheWith(body, { ...accepted, input: 'x' });
  expect(scanWithTemplate(json({ ...accepted, input: 'x' }), cache, 'hint')?.members).toBeUndefined();
  const raw = json({ ...body, input: 'a longer input' });
  const members = scanWithTemplate(raw, cache, 'hint')?.members?.map(({ field, start, valueStart, end }) => {
    const name = `"${field.name}":`;
    expect(valueStart - start).toBe(name.length);
    return raw.toString('utf8', start, end).slice(name.length);
  });
  expect(members).toEqual(Object.values({ ...body, input: 'a longer input' }).map((value) => JSON.stringify(value)));
});

test('keeps a template once, and none that is too long', () => {
  const cache = cacheWith({ ...accepted, tools: [{ type: 'function', name: long('a') }], input: 'x' });
  const { size } = cache.templates;
  expect(size).toBeGreaterThan(0);
  for (const more of [{ tools: [{ type: 'function', name: long('b') }] }, { prompt_cache_key: long('k').repeat(10) }]) {
    const body = json({ ...accepted, ...more, input: 'x' });
    expect(scanBody(body, cache, 'hint')).toBeDefined();
    expect(cache.templates.size).toBe(size);
  }
});
