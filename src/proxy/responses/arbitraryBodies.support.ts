import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { codex, sdk } from './sampleBodies.support.ts';
import type { Surface } from './schema.ts';

export const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
  fc.constantFrom<unknown>(true, false, null, 'auto', 'x'.repeat(120), 'é'.repeat(60), {}, [], 12),
);
const item = fc.oneof(
  { weight: 6, arbitrary: fc.record({ role: fc.constantFrom('user', 'assistant', 'developer'), content: value }) },
  { weight: 2, arbitrary: fc.record({ role: fc.constant('system'), content: value }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('item_reference'), id: fc.constantFrom('known_1', 'unknown', 3) }),
  },
  { weight: 1, arbitrary: fc.dictionary(fc.string(), value) },
);
export const items = fc.array(item, { maxLength: 6 });
const member = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...Object.keys({ ...codex, ...sdk }), 'user', 'text', 'conversation'), value),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant('reasoning'), fc.record({ effort: fc.string(), summary: fc.string() })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('tools'),
      fc.array(fc.record({ type: fc.constantFrom('function', 'file_search', 'custom') })),
    ),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('stream', 'store', 'temperature'), fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.string(), value) },
);
const body = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: items }, fc.string(), value), fc.array(member, { maxLength: 7 }), fc.nat())
  .map(([input, members, position]) => {
    const all: [string, unknown][] = [['model', 'gpt-5.1'], ...members];
    all.splice(position % (all.length + 1), 0, ['input', input]);
    return all;
  });
const space = fc.constantFrom('', '', ' ', '\n\t');

/** Serialized by hand, so that names may be repeated and white space may be anywhere. */
export const text = fc.tuple(body, space, space, fc.constantFrom(0, 1)).map(([members, before, after, indent]) => {
  const serialized = members.map(
    ([name, value]) =>
      `${before}${JSON.stringify(name)}${after}:${before}${JSON.stringify(value, null, indent)}${after}`,
  );
  return `${before}{${serialized.join(',')}}${after}`;
});
/** The surface and headers that a body is sent with. */
export const call = fc.record({
  surface: fc.constantFrom<Surface>('v1', 'svc'),
  headers: fc.constantFrom<IncomingHttpHeaders>({}, { 'session-id': 'a' }, { 'x-session-id': 'b'.repeat(200) }),
});
