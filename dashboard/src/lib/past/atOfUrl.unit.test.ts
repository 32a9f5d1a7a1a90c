import { expect, test } from 'vitest';
import { atOfUrl, urlKeepingAt } from './atOfUrl.ts';

const url = (path: string) => new URL(path, 'http://svc.local');

test('reads the moment of a page, except of the one with a time control of its own', () => {
  expect(atOfUrl(url('/accounts?at=12'))).toBe('12');
  expect(atOfUrl(url('/?at=2026-01-15T12:00:00.000Z'))).toBe('2026-01-15T12:00:00.000Z');
  expect(atOfUrl(url('/accounts?at='))).toBeNull();
  expect(atOfUrl(url('/accounts'))).toBeNull();
  expect(atOfUrl(url('/history/as-of?at=12'))).toBeNull();
});

test('keeps the moment from page to page, with the query of the next one', () => {
  expect(urlKeepingAt(url('/accounts?at=12'), url('/request-logs?status=429'))?.href).toBe(
    'http://svc.local/request-logs?status=429&at=12',
  );
});

test('changes no URL that names a moment, leads elsewhere, or is left from now', () => {
  expect(urlKeepingAt(url('/accounts?at=12'), url('/accounts?at=13'))).toBeUndefined();
  expect(urlKeepingAt(url('/accounts?at=12'), new URL('https://example.com/'))).toBeUndefined();
  expect(urlKeepingAt(url('/accounts?at=12'), url('/history/as-of'))).toBeUndefined();
  expect(urlKeepingAt(url('/accounts'), url('/request-logs'))).toBeUndefined();
});
