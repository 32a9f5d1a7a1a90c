import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { inventedRequestV3, readBySchema, toVersion3, useVersion3 } from '../../../test/support/storedRequests.ts';
import { schema } from '../../domain/core/schema.ts';
import { upcast } from '../../domain/eventTypes.ts';
import { completedRequestVersions } from '../../domain/request/events.ts';
import { createStoredRequestReader, LoggedRequestReader } from './loggedRequestReader.ts';

const request = completed({ model: 'a "quoted" one' }).data;
const stored = [
  { version: 2, json: JSON.stringify(request) },
  { version: 3, json: JSON.stringify(toVersion3(request)) },
  { version: 2, json: JSON.stringify(request) },
];

function logged(reader: LoggedRequestReader, version: number, json: string) {
  const read = reader.read(version, json);
  return { isFast: read !== undefined, data: read ?? upcast('RequestCompleted', version, JSON.parse(json)) };
}

const { priceVersion: _, ...expected } = readBySchema(JSON.stringify(request));

test('a version without a fast reader is read through the schema', () => {
  useVersion3();
  const reader = new LoggedRequestReader();
  const results = stored.map(({ version, json }) => logged(reader, version, json));
  expect(results.map(({ isFast }) => isFast)).toEqual([true, false, true]);
  for (const { data } of results) expect(data).toMatchObject(expected);
});

test('a version with a fast reader is read beside version 2, each by its own reader', () => {
  useVersion3();
  const version3 = createStoredRequestReader(inventedRequestV3);
  const reader = new LoggedRequestReader({ 2: createStoredRequestReader(completedRequestVersions[2]), 3: version3 });
  const results = stored.map(({ version, json }) => logged(reader, version, json));
  expect(results.map(({ isFast }) => isFast)).toEqual([true, true, true]);
  for (const { data } of results) expect(data).toEqual(expected);
});

test('a version that moved a field which the reader captures needs a reader of its own', () => {
  const moved = schema((z) => {
    const { latencyMs, ...others } = inventedRequestV3(z).shape;
    return z.object({ latencyMs, ...others });
  });
  expect(() => createStoredRequestReader(moved)).toThrow('in the order of the schema');
});
