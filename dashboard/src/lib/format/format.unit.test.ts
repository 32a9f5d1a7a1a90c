import { expect, test } from 'vitest';
import { browserOf, describeActor } from './actors.ts';
import { compact, counted, dollars, milliseconds, percent } from './numbers.ts';
import { ago, clock, duration, exactTime, left } from './times.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

test('numbers show only significant digits', () => {
  expect([0, 999, 9_999, 10_000, 1_234_567, 1_920_000_000].map(compact)).toEqual([
    '0',
    '999',
    '9,999',
    '10K',
    '1.23M',
    '1.92B',
  ]);
  expect([0, 0.00421, 0.5, 12.345, 1_234.5].map(dollars)).toEqual(['$0.00', '$0.0042', '$0.50', '$12.35', '$1,235']);
  expect([0.000001, 0.0000314, 0.009, 0.00999, -0.0042].map(dollars)).toEqual([
    '$0.000001',
    '$0.000031',
    '$0.009',
    '$0.01',
    '-$0.0042',
  ]);
  expect([0, 850, 1_249, 12_400, 65_000].map(milliseconds)).toEqual(['0 ms', '850 ms', '1.2 s', '12 s', '1 min 5 s']);
  const nearTheNextUnit = [999.6, 9_960, 59_700, 119_700];
  expect(nearTheNextUnit.map(milliseconds)).toEqual(['1.0 s', '10 s', '1 min 0 s', '2 min 0 s']);
  expect([counted(1, 'account'), counted(1_200, 'account'), counted(0, 'address', 'addresses')]).toEqual([
    '1 account',
    '1,200 accounts',
    '0 addresses',
  ]);
});

test('percent shows 0 % and 100 % only for exactly 0 and 100', () =>
  expect([0, 0.04, 0.4, 9.5, 42.4, 99.7, 99.96, 100].map(percent)).toEqual([
    '0 %',
    '<0.1 %',
    '0.4 %',
    '9.5 %',
    '42 %',
    '99.7 %',
    '99.9 %',
    '100 %',
  ]));

test('ago formats relative times', () => {
  const shown = [0, -12 * SECOND, -3 * 60 * SECOND, 2 * HOUR, -DAY, 40 * DAY].map((distance) =>
    ago(NOW + distance, NOW),
  );
  expect(shown).toEqual(['just now', '12 seconds ago', '3 minutes ago', 'in 2 hours', 'yesterday', 'next month']);
});

test('left shows at most two units and never a negative time', () => {
  const shown = [-5 * SECOND, 45 * SECOND, 90 * SECOND, 3 * HOUR + 12 * 60 * SECOND, 2 * DAY, 2 * DAY + 4 * HOUR];
  expect(shown.map((distance) => left(NOW + distance, NOW))).toEqual(['0s', '45s', '1m', '3h 12m', '2d', '2d 4h']);
  expect([245_000, 59_001, -1].map(clock)).toEqual(['4:05', '1:00', '0:00']);
});

test('exactTime includes the time zone', () =>
  expect(exactTime(NOW, 'America/New_York')).toMatch(/^Thu, 15 Jan 2026, 07:00:00 (EST|GMT-5)$/));

test('duration picks the largest unit that divides evenly', () =>
  expect([300, 1_440, 10_080, 90].map(duration)).toEqual(['5 hours', '1 day', '1 week', '90 minutes']));

test('names actors and recognises browsers', () => {
  const operator = {
    kind: 'operator',
    operator_id: 'administrator',
    name: 'Built-in administrator',
    token_id: null,
    token_name: null,
    method: 'password',
    session_id: null,
    address: '10.0.0.1',
    user_agent: 'x',
    used_totp: true,
  } as const;
  expect(describeActor(operator, 'ApiKeyCreated')).toBe('Built-in administrator at 10.0.0.1 (with 2FA)');
  expect(describeActor({ ...operator, used_totp: false }, 'SignInFailed')).toBe('unauthenticated, from 10.0.0.1');
  const stranger = { ...operator, operator_id: 'unknown', name: null, used_totp: false };
  expect(describeActor(stranger, 'ManagementTokenUsed')).toBe('unauthenticated, from 10.0.0.1');
  const ada = { ...operator, operator_id: 'op_1', name: 'Ada', used_totp: false };
  expect(describeActor(ada, 'ApiKeyCreated')).toBe('Ada at 10.0.0.1');
  expect(describeActor({ ...ada, token_id: 't', token_name: 'deploy' }, 'ApiKeyCreated')).toBe(
    'the token "deploy" of Ada at 10.0.0.1',
  );
  expect(describeActor({ ...ada, name: null, address: null }, 'ApiKeyCreated')).toBe(
    'a forgotten person (op_1) at an unknown address',
  );
  expect(describeActor({ kind: 'system', reason: 'usage' }, 'AccountUsageObserved')).toBe('System');
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604.1';
  expect([chrome, safari, 'curl/8.9', 'node', null].map(browserOf)).toEqual([
    'Chrome on Linux',
    'Safari on iOS',
    'curl',
    'node',
    'unknown client',
  ]);
});
