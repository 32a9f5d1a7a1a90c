import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import * as arbitrary from './arbitraryBodies.support.ts';
import { expectSameAsReference } from './expectSameAsReference.support.ts';
import { RequestCache } from './requestCache.ts';
import { codex, json } from './sampleBodies.support.ts';

test('reads arbitrary bodies like the reference, whatever is cached', () => {
  const cache = new RequestCache(200_000);
  fc.assert(
    fc.property(arbitrary.text, arbitrary.call, (text, call) => expectSameAsReference(Buffer.from(text), cache, call)),
    runs(1_000),
  );
});

test('reads conversations that grow, shrink, branch and interleave like the reference', () => {
  const cache = new RequestCache(100_000);
  const turn = fc.record({ conversation: fc.nat(2), keeps: fc.nat(8), adds: arbitrary.items });
  fc.assert(
    fc.property(fc.array(turn, { minLength: 2, maxLength: 10 }), (turns) => {
      const histories: unknown[][] = [[], [], []];
      for (const { conversation, keeps, adds } of turns) {
        const history = [...(histories[conversation] as unknown[]).slice(0, keeps), ...adds];
        histories[conversation] = history;
        const headers = { 'session-id': `c${conversation % 2}` };
        expectSameAsReference(json({ model: 'm', input: history, stream: true, store: false }), cache, {
          surface: 'v1',
          headers,
        });
      }
    }),
    runs(150),
  );
});

const bodyAroundInput = fc.record({
  input: fc.oneof(arbitrary.items, fc.string(), arbitrary.value),
  instructions: fc.constantFrom<unknown>(undefined, null, 'short', 'a'.repeat(140), 'b'.repeat(140)),
  tools: fc.constantFrom<unknown>(undefined, [], codex.tools, [{ type: 'function', name: 'n'.repeat(140) }]),
  metadata: fc.constantFrom<unknown>(undefined, { turn: 1 }, { turn: 'é'.repeat(80) }, { turn: 'e'.repeat(140) }),
  key: fc.constantFrom<unknown>(undefined, 'short', 'k'.repeat(140)),
  order: fc.nat(5),
  indent: fc.nat(1),
});

test('reads the members around an input like the reference, whatever is cached', () => {
  const cache = new RequestCache(400_000);
  const body = bodyAroundInput.map(({ input, instructions, tools, metadata, key, order, indent }) => {
    const members = Object.entries({ input, instructions, tools, unknown: metadata, prompt_cache_key: key });
    const [moved] = members.splice(order % members.length, 1) as [[string, unknown]];
    const all = [['model', 'm'], ...members, ['stream', true], moved, ['store', false]];
    return json(Object.fromEntries(all), indent);
  });
  fc.assert(
    fc.property(body, arbitrary.call, (raw, call) => expectSameAsReference(raw, cache, call)),
    runs(1_000),
  );
});
