import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Actor } from './eventLog.ts';
import { metadataJson, metadataOf } from './metadataJson.ts';

const text = fc.string({ unit: 'binary' });
const actor: fc.Arbitrary<Actor> = fc.oneof(
  fc.constant<Actor>({ kind: 'anonymous' }),
  fc.record({ kind: fc.constant('apiKey' as const), keyId: text as fc.Arbitrary<never> }),
  fc.record({ kind: fc.constant('system' as const), reason: text }),
  fc.record({
    kind: fc.constant('operator' as const),
    sessionId: fc.option(text),
    operatorId: fc.option(text, { nil: undefined }) as fc.Arbitrary<string>,
    address: fc.option(text),
    userAgent: fc.option(text),
    usedTotp: fc.boolean(),
  }),
);

test('writes the bytes that JSON.stringify writes, also for the next event of an actor', () => {
  const causationId = fc.option(fc.option(text, { nil: undefined }), { nil: null });
  const ids = fc.array(fc.record({ correlationId: text, causationId }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(actor, ids, fc.integer({ min: 1, max: 9 }), text, (actor, events, version, node) => {
      for (const ids of events) {
        const event = { actor, ...ids } as Parameters<typeof metadataOf>[0];
        expect(metadataJson(event, version, node)).toBe(JSON.stringify(metadataOf(event, version, node)));
      }
    }),
  );
});
