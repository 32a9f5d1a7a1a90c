import { expect, test } from 'vitest';
import { byDay } from './days.ts';
import { actorText, readable, subjectText } from './subjects.ts';

const called = { account: (id: string) => `${id}@example.com`, key: (id: string) => `<${id}>` };

test.each([
  ['account-a_1', 'a_1@example.com'],
  ['accountTokens-a', 'tokens of a@example.com'],
  ['apiKey-k', 'key <k>'],
  ['firewall-main', 'firewall'],
  ['address-10.0.0.1', 'address 10.0.0.1'],
  ['weather-main', 'weather-main'],
])('%s is about %s', (subject, text) => {
  expect(subjectText(subject, called)).toBe(text);
});

test.each([
  ['operator', 'any operator'],
  ['operator:::1', 'an operator at ::1'],
  ['apiKey:k', 'key <k>'],
  ['system', 'the system'],
])('the actor %s is %s', (actor, text) => {
  expect(actorText(actor, called)).toBe(text);
});

test('a sentence names accounts by their e-mail, and begins with a capital', () => {
  const emails = new Map([['acc_1', 'ada@example.com']]);
  expect(readable('account acc_1 was paused', emails)).toBe('Account ada@example.com was paused');
  expect(readable('account acc_2 was paused', emails)).toBe('Account acc_2 was paused');
});

test('a sentence names settings as their page does', () => {
  expect(readable('apiKeyAuthEnabled changed from false to true', new Map())).toBe(
    '“Require an API key” changed from false to true',
  );
});

test('events stand under the day of the viewer', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const events = ['2026-11-21T00:30:00Z', '2026-11-20T23:30:00Z', '2026-11-20T11:00:00Z', '2026-11-01T00:00:00Z'];
  const days = (timeZone: string) =>
    byDay(
      events.map((time) => ({ time })),
      now,
      timeZone,
    ).map(({ title, events }) => `${title.replace(',', '')} ${events.length}`);
  expect(days('UTC')).toEqual(['Today 1', 'Yesterday 2', 'Sunday 1 November 2026 1']);
  expect(days('Europe/Berlin')).toEqual(['Today 2', 'Yesterday 1', 'Sunday 1 November 2026 1']);
});
