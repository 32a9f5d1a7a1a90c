import { UnavailableError } from '@eventstore/db-client';
import { expect, test } from 'vitest';
import { appendFailure, describeError, isConnectionFailure, isTransient, NotSent } from './failures.ts';

test.each([
  [
    '14 UNAVAILABLE: No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:2113. Resolution note: ',
    'nothing listens there',
  ],
  [
    '14 UNAVAILABLE: No connection established. Last error: Failed to connect (2026). Resolution note: ',
    'no connection',
  ],
  ['14 UNAVAILABLE: Name resolution failed for target dns:esdb:2113', 'its name cannot be resolved'],
  ['14 UNAVAILABLE: Connection dropped', 'the connection was cut'],
  ['14 UNAVAILABLE: Server Is Not Ready', 'the server is starting'],
  ['10 ABORTED: Operation timed out', 'lacks a majority of its cluster'],
  ['4 DEADLINE_EXCEEDED: Deadline exceeded after 5.002s', 'it did not respond in time'],
  ['13 INTERNAL: Received RST_STREAM with code 0 (Call ended without gRPC status)', 'the server is shutting down'],
  [
    '13 INTERNAL: Received RST_STREAM with code 2 triggered by internal client error: Session closed with error code 2',
    'the connection was cut',
  ],
  ['Failed to discover after 10 attempts.', 'no node of the cluster can be reached'],
  ['2 UNKNOWN: Exception was thrown by handler.', 'Exception was thrown by handler'],
])('describes "%s" without code, class name and note', (message, words) => {
  const description = describeError(Object.assign(new Error(message), { name: 'UnavailableError' }));
  expect(description).toContain(words);
  expect(description).not.toMatch(/^\d+ [A-Z]|Error\b|Resolution note|RST_STREAM/);
});

test('says of a call that did not leave the node what kept it back, and that nothing was sent', () => {
  const lost = new UnavailableError(undefined, 'the connection was lost');
  expect(appendFailure(lost)).toEqual({ kind: 'unknown', error: expect.any(Error) });
  expect(appendFailure(new NotSent(lost))).toEqual({
    kind: 'unknown',
    error: expect.objectContaining({ message: 'the connection was lost' }),
    wasSent: false,
  });
  expect([isConnectionFailure(new NotSent(lost)), isTransient(new NotSent(lost))]).toEqual([true, true]);
  expect(isConnectionFailure(new NotSent(new Error('the store is another one')))).toBe(false);
});
