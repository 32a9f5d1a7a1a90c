import { describe, expect, test } from 'vitest';
import { everyKind } from '../../../test/support/everyKind.ts';
import { ocsfProblems } from '../../../test/support/ocsf/validate.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import type { StoredRow } from '../../integrity/leaf/leafEntry.ts';
import { ocsfEventOf } from './ocsfEvent.ts';

const ORIGIN = 'svc/0123456789abcdef';

/** Each actor that acts, by turns. */
const ACTORS = [
  { kind: 'operator', sessionId: 's1', operatorId: 'ada', tokenId: 't1', address: null, userAgent: null },
  { kind: 'operator', sessionId: null, address: null, userAgent: null },
  { kind: 'apiKey', keyId: 'k1' },
  { kind: 'anonymous' },
  { kind: 'cli', command: 'hold', user: 'root' },
  { kind: 'cli', command: 'hold', user: null },
  { kind: 'system', reason: 'polling' },
];

const rows: StoredRow[] = everyKind.map(({ stream, revision, type, time, version, data }, index) => ({
  position: index + 1,
  ...{ stream, revision, id: `event-${index}`, type, time, version },
  data: JSON.stringify(data),
  metadata: JSON.stringify({ actor: ACTORS[index % ACTORS.length], correlationId: `req_${index}` }),
}));

const rowOf = (type: string, data: object, actor: object): StoredRow => ({
  ...{ position: 7, stream: 'operators-main', revision: 3, id: 'id', type, version: 1, time: 1_764_000_000_000 },
  data: JSON.stringify(data),
  metadata: JSON.stringify({ actor, correlationId: 'req_1' }),
});
const OPERATOR = { kind: 'operator', sessionId: 's1', operatorId: 'ada', address: 'sealed.v1.a', userAgent: null };

test('every type of event that svc writes is an event of OCSF that its schema allows', () => {
  expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(eventTypes.keys()));
  for (const row of rows)
    expect({ type: row.type, problems: ocsfProblems(ocsfEventOf(row, ORIGIN)) }).toEqual({
      type: row.type,
      problems: [],
    });
});

test('an event of a type that this version does not know is one as well', () => {
  const event = ocsfEventOf(rowOf('SomethingNewRemoved', {}, { kind: 'system', reason: 'test' }), ORIGIN);
  expect(ocsfProblems(event)).toEqual([]);
  expect(event).toMatchObject({ class_name: 'API Activity', activity_name: 'Delete' });
});

describe('says who did what to whom', () => {
  test('a change of an account of a person', () => {
    const event = ocsfEventOf(rowOf('OperatorDisabled', { operatorId: 'bob' }, OPERATOR), ORIGIN);
    expect(event).toMatchObject({
      class_uid: 3001,
      activity_name: 'Disable',
      user: { uid: 'bob' },
      actor: { user: { uid: 'ada' }, session: { uid: 's1' } },
      metadata: {
        sequence: 7,
        correlation_uid: 'req_1',
        log_provider: ORIGIN,
        original_time: '2025-11-24T16:00:00.000Z',
      },
      status: 'Success',
    });
  });

  test('a failed sign-in', () => {
    const event = ocsfEventOf(
      rowOf('OperatorSignInFailed', { operatorId: 'bob', method: 'totp' }, { kind: 'anonymous' }),
      ORIGIN,
    );
    expect(event).toMatchObject({ class_uid: 3002, activity_name: 'Logon', status: 'Failure', user: { uid: 'bob' } });
  });

  test('a model request of an API key', () => {
    const data = { requestId: 'req_9', route: '/v1/responses', model: 'gpt-5', errorCode: 'upstream_error' };
    const event = ocsfEventOf(rowOf('RequestCompleted', data, { kind: 'apiKey', keyId: 'k1' }), ORIGIN);
    expect(event).toMatchObject({
      class_uid: 6003,
      api: { operation: '/v1/responses', request: { uid: 'req_9' } },
      actor: { user: { uid: 'k1', type: 'Service' } },
      resources: [{ name: 'gpt-5' }],
      status: 'Failure',
    });
  });
});

test('what is sealed or secret is left out', () => {
  const data = { operatorId: 'bob', name: 'sealed.v1.k.text', invitationHash: 'ab'.repeat(32) };
  const text = JSON.stringify(ocsfEventOf(rowOf('OperatorInvited', data, OPERATOR), ORIGIN));
  expect(text).not.toMatch(/sealed\.|(?:ab){32}/);
  expect(text).toContain('"data_hidden":"/name /invitationHash"');
});
