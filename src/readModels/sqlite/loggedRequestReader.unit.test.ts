import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyObject } from '../../../test/support/jsonOfShape.ts';
import { completed } from '../../../test/support/management.ts';
import { runs } from '../../../test/support/runs.ts';
import { readBySchema, storedRequests } from '../../../test/support/storedRequests.ts';
import { completedRequestVersions } from '../../domain/request/events.ts';
import { jsonShapeOf } from '../../eventLog/storedJson/jsonShape.ts';
import { LoggedRequestReader } from './loggedRequestReader.ts';

const reader = new LoggedRequestReader();

const FIELDS = [
  'requestId',
  'keyId',
  'route',
  'model',
  'effort',
  'requestedAt',
  'status',
  'errorCode',
  'errorMessage',
  'accountId',
  'latencyMs',
  'firstByteMs',
  'usage',
  'costMicroDollars',
] as const;

const expectedOf = (json: string, version: 1 | 2) => {
  const data = readBySchema(json, version);
  return {
    ...Object.fromEntries(FIELDS.map((name) => [name, data[name]])),
    attempts: { length: data.attempts.length },
  };
};

describe.each([1, 2] as const)('version %i', (version) => {
  const read = (json: string) => reader.read(version, json);
  const expected = (json: string) => expectedOf(json, version);

  test('reads from random requests what the schema reads', () => {
    let matched = 0;
    fc.assert(
      fc.property(anyObject(jsonShapeOf(completedRequestVersions[version])), (data) => {
        const json = JSON.stringify(data);
        const found = read(json);
        if (!found) return;
        matched++;
        expect(found).toEqual(expected(json));
      }),
      runs(1_000),
    );
    expect(matched).toBeGreaterThan(20);
  });

  test('reads every request that earlier versions of svc have stored', () => {
    const stored = storedRequests(version);
    expect(stored.length).toBeGreaterThan(10);
    for (const json of stored) expect(read(json)).toEqual(expected(json));
  });

  test('leaves fields in another order to the parser', () => {
    const { data } = completed();
    const { requestId, ...others } = data;
    expect(read(JSON.stringify(data))).toEqual(expected(JSON.stringify(data)));
    expect(read(JSON.stringify({ ...others, requestId }))).toBeUndefined();
  });

  test('tells repeated fields from those that only look like them', () => {
    for (const model of ['a "quoted" one', 'a', 'b', 'a', 'a","effort":"high']) {
      const json = JSON.stringify(completed({ model }).data);
      expect(read(json)).toEqual(expected(json));
    }
  });
});
