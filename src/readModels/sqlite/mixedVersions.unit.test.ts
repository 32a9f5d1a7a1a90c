import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { completedRequestV2, readBySchema, toVersion2, useVersion2 } from '../../../test/support/storedRequests.ts';
import { schema } from '../../domain/core/schema.ts';
import { upcast } from '../../domain/eventTypes.ts';
import { completedRequestVersions } from '../../domain/request/events.ts';
import { createStoredRequestReader, LoggedRequestReader } from './loggedRequestReader.ts';

const request = completed({ errorCode: 'stream_incomplete', errorMessage: 'It "broke"', status: 'error' }).data;
const stored = [
  { version: 1, json: JSON.stringify(request) },
  { version: 2, json: JSON.stringify(toVersion2(request)) },
  { version: 1, json: JSON.stringify(request) },
];

function logged(reader: LoggedRequestReader, version: number, json: string) {
  const read = reader.read(version, json);
  return { isFast: read !== undefined, data: read ?? upcast('RequestCompleted', version, JSON.parse(json)) };
}

const { attempts, priceVersion: _, ...expected } = readBySchema(JSON.stringify(request));

test('a version without a fast reader is read through the schema', () => {
  useVersion2();
  const reader = new LoggedRequestReader();
  const results = stored.map(({ version, json }) => logged(reader, version, json));
  expect(results.map(({ isFast }) => isFast)).toEqual([true, false, true]);
  for (const { data } of results) expect(data).toMatchObject({ ...expected, attempts: { length: attempts.length } });
});

test('a version with a fast reader is read beside version 1, each by its own reader', () => {
  useVersion2();
  const version2 = createStoredRequestReader(completedRequestV2);
  const reader = new LoggedRequestReader({ 1: createStoredRequestReader(completedRequestVersions[1]), 2: version2 });
  const results = stored.map(({ version, json }) => logged(reader, version, json));
  expect(results.map(({ isFast }) => isFast)).toEqual([true, true, true]);
  for (const { data } of results) expect(data).toEqual({ ...expected, attempts: { length: attempts.length } });
});

test('a version that moved a field which the reader captures needs a reader of its own', () => {
  const moved = schema((z) => {
    const { latencyMs, ...others } = completedRequestV2(z).shape;
    return z.object({ latencyMs, ...others });
  });
  expect(() => createStoredRequestReader(moved)).toThrow('in the order of the schema');
});
