import { expect, test } from 'vitest';
import { failureText, outcomeLabel } from './outcomes.ts';

test('names outcomes of a later service by their words', () => {
  expect(['route_refused', 'constructor'].map(outcomeLabel)).toEqual(['route refused', 'constructor']);
});

test('adds status, code and error of the system to a failure', () => {
  const failure = { outcome: 'provider_error', status: 500, code: 'server_error', errno: null };
  expect(failureText(failure)).toBe('provider error (status 500, server_error)');
  expect(failureText({ outcome: 'unreachable', status: null, code: null, errno: 'ECONNREFUSED' })).toBe(
    'provider unreachable (ECONNREFUSED)',
  );
  expect(failureText({ outcome: 'cut', status: null, code: null, errno: null })).toBe('response ended early');
});
