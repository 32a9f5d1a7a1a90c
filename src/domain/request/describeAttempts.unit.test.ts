import { expect, test } from 'vitest';
import { describeFailedAttempts } from './describeAttempts.ts';

test('names account, status, code and errno of each failed attempt, and no other attempt', () => {
  expect(
    describeFailedAttempts([
      { accountId: 'a', outcome: 'provider_error', providerStatus: 500, code: 'server_error' },
      { accountId: 'b', outcome: 'unreachable', errno: 'ECONNREFUSED' },
      { accountId: 'c', outcome: 'not_a_stream' },
      { accountId: 'd', outcome: 'ok' },
    ]),
  ).toBe(
    '; the attempt on account a failed: provider error (status 500, server_error)' +
      '; the attempt on account b failed: unreachable (ECONNREFUSED); the attempt on account c failed: not a stream',
  );
  expect(describeFailedAttempts([{ accountId: 'a', outcome: 'client_gone', providerStatus: 200 }])).toBe('');
  expect(describeFailedAttempts([])).toBe('');
});
