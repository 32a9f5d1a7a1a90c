import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { type EventDefinition, event } from '../../src/domain/core/event.ts';
import { schema } from '../../src/domain/core/schema.ts';
import { eventTypes } from '../../src/domain/eventTypes.ts';
import { completedRequestV1, RequestCompleted } from '../../src/domain/request/events.ts';

/** The JSON of every `RequestCompleted` of this version in `test/histories`, as earlier versions of svc wrote it. */
export const storedRequests = (version: number): string[] =>
  readFileSync(new URL('../histories/everyKind.ndjson', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; version: number; data: unknown })
    .filter((stored) => stored.type === 'RequestCompleted' && stored.version === version)
    .map(({ data }) => JSON.stringify(data));

/** An invented version 2 of `RequestCompleted`: one field is new, one has moved to another place. */
export const completedRequestV2 = schema((make) => {
  const { requestId, priceVersion, ...others } = completedRequestV1(make).shape;
  return make.object({ requestId, madeUpField: make.string(), ...others, priceVersion });
});

/** Converts data of version 1 to the invented version 2. */
export function toVersion2(data: unknown): unknown {
  const { requestId, priceVersion, ...others } = data as Record<string, unknown>;
  return { requestId, madeUpField: 'unknown', ...others, priceVersion };
}

/** Registers the invented version 2 until the test ends. */
export function useVersion2(): void {
  const types = eventTypes as Map<string, EventDefinition<string, never>>;
  const version2 = event('RequestCompleted', {
    version: 2,
    data: completedRequestV2,
    describe: RequestCompleted.describe,
    upcasters: [toVersion2],
  });
  const before = types.get('RequestCompleted') as EventDefinition<string, never>;
  types.set('RequestCompleted', version2 as unknown as EventDefinition<string, never>);
  onTestFinished(() => void types.set('RequestCompleted', before));
}

/** Reads stored JSON by the schema. */
export const readBySchema = (json: string, read: typeof completedRequestV1 = completedRequestV1) =>
  read(z).parse(JSON.parse(json));
