import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyObject } from '../../../test/support/jsonOfShape.ts';
import { completed } from '../../../test/support/management.ts';
import { runs } from '../../../test/support/runs.ts';
import { readBySchema, storedRequests } from '../../../test/support/storedRequests.ts';
import { type CompletedRequest, completedRequestVersions } from '../../domain/request/events.ts';
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
  'owner',
  'team',
  'transport',
  'conversation',
  'otherConversations',
  'client',
] as const;

const expectedOf = (json: string, version: 1 | 2) => {
  const data = readBySchema(json, version);
  return {
    ...Object.fromEntries(FIELDS.map((name) => [name, (data as CompletedRequest)[name]])),
    attempts: data.attempts.map(() => ({ accountId: data.accountId })),
  };
};

const isOrdinary = (json: string, version: 1 | 2) => {
  const { errorCode, attempts, accountId } = readBySchema(json, version);
  return errorCode === null && attempts.length <= (accountId === null ? 0 : 1);
};

describe.each([1, 2] as const)('version %i', (version) => {
  const read = (json: string) => reader.read(version, json);
  const expected = (json: string) => expectedOf(json, version);

  test('reads from random requests what the schema reads', () => {
    let matched = 0;
    const anyRequest = anyObject(jsonShapeOf(completedRequestVersions[version]));
    const ordinary = anyRequest.map((data) => {
      const { attempts } = data as { attempts: unknown[] };
      return { ...(data as object), errorCode: null, attempts: attempts.slice(0, 1) };
    });
    fc.assert(
      fc.property(fc.oneof(anyRequest, ordinary), (data) => {
        const json = JSON.stringify(data);
        const found = read(json);
        if (!found) return;
        matched++;
        expect(found).toEqual(expected(json));
      }),
      runs(1_000),
    );
    expect(matched).toBeGreaterThan(5);
  });

  test('reads every request that earlier versions of svc have stored, unless it failed or was tried again', () => {
    const stored = storedRequests(version);
    expect(stored.filter((json) => isOrdinary(json, version)).length).toBeGreaterThan(10);
    for (const json of stored) expect(read(json)).toEqual(isOrdinary(json, version) ? expected(json) : undefined);
  });

  test('leaves requests that failed or were tried again to the parser', () => {
    const [attempt] = storedRequests(version).flatMap((json) => readBySchema(json, version).attempts);
    const twice = completed({ attempts: [attempt, attempt] as CompletedRequest['attempts'] });
    expect(read(JSON.stringify(twice.data))).toBeUndefined();
    expect(read(JSON.stringify(completed({ errorCode: 'upstream_error' }).data))).toBeUndefined();
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
