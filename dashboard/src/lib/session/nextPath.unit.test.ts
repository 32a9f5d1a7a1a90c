import { expect, test } from 'vitest';
import { nextPath, signInPath } from './nextPath.ts';

const after = (next: string) => nextPath(new URLSearchParams({ next }));

test('the sign-in returns to the same page with its filters', () => {
  const path = signInPath(new URL('http://svc/request-logs?status=error&status=429'));
  expect(path).toBe('/sign-in?next=%2Frequest-logs%3Fstatus%3Derror%26status%3D429');
  expect(nextPath(new URL(path, 'http://svc').searchParams)).toBe('/request-logs?status=error&status=429');
  expect(signInPath(new URL('http://svc/'))).toBe('/sign-in');
});

test.each([
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  '',
  '/sign-in',
  '/set-up?x',
])('refuses %s as the page to return to', (next) => expect(after(next)).toBe('/'));
