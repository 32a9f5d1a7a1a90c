import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { type EventDefinition, event } from '../../src/domain/core/event.ts';
import { schema } from '../../src/domain/core/schema.ts';
import { eventTypes } from '../../src/domain/eventTypes.ts';
import { completedRequestV2, completedRequestVersions, RequestCompleted } from '../../src/domain/request/events.ts';
import { everyKind } from './everyKind.ts';

/** The JSON of every `RequestCompleted` of this version in `test/histories`, as earlier versions of svc wrote it. */
export const storedRequests = (version: number): string[] =>
  everyKind
    .filter((stored) => stored.type === 'RequestCompleted' && stored.version === version)
    .map(({ data }) => JSON.stringify(data));

/** An invented version 3 of `RequestCompleted`: one field is new, one has moved to another place. */
export const inventedRequestV3 = schema((make) => {
  const { requestId, priceVersion, ...others } = completedRequestV2(make).shape;
  return make.object({ requestId, madeUpField: make.string(), ...others, priceVersion });
});

/** Converts data of version 2 to the invented version 3. */
export function toVersion3(data: unknown): unknown {
  const { requestId, priceVersion, ...others } = data as Record<string, unknown>;
  return { requestId, madeUpField: 'unknown', ...others, priceVersion };
}

/** Registers the invented version 3 until the test ends. */
export function useVersion3(): void {
  const types = eventTypes as Map<string, EventDefinition<string, never>>;
  const version3 = event('RequestCompleted', {
    version: 3,
    data: inventedRequestV3,
    describe: RequestCompleted.describe,
    upcasters: [...RequestCompleted.upcasters, toVersion3],
  });
  const before = types.get('RequestCompleted') as EventDefinition<string, never>;
  types.set('RequestCompleted', version3 as unknown as EventDefinition<string, never>);
  onTestFinished(() => void types.set('RequestCompleted', before));
}

/** Reads stored JSON of a version by its schema. */
export const readBySchema = (json: string, version: keyof typeof completedRequestVersions = 2) =>
  completedRequestVersions[version](z).parse(JSON.parse(json));
