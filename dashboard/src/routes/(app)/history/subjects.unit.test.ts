import { expect, test } from 'vitest';
import { byDay } from './days.ts';
import { actorText, readableSentence, subjectText } from './subjects.ts';

const ADA = '0b6f4d3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b';
const PEOPLE = new Map([
  [ADA, 'Ada'],
  ['administrator', 'Built-in administrator'],
]);
const names = {
  account: (id: string) => `${id}@example.com`,
  key: (id: string) => `<${id}>`,
  team: (id: string) => `[${id}]`,
  person: (id: string) => PEOPLE.get(id),
  token: (id: string) => `(${id})`,
};

test.each([
  ['account-a_1', 'a_1@example.com'],
  ['accountTokens-a', 'Tokens of a@example.com'],
  ['apiKey-k', 'Key <k>'],
  ['team-t', 'Team [t]'],
  ['owner-Ada%20L', 'Owner Ada L'],
  ['owner-%zz', 'Owner %zz'],
  [`owner-${ADA}`, 'Owner Ada'],
  [`operator-${ADA}`, 'Operator Ada'],
  ['operator-12345678-x', 'Operator 12345678'],
  ['managementToken-t', 'Token (t)'],
  ['firewall-main', 'Firewall'],
  ['address-10.0.0.1', 'Address 10.0.0.1'],
  ['node-gateway-1', 'Node gateway-1'],
  ['audit-main', 'Audit'],
  ['holds-main', 'Legal holds'],
  ['weather-main', 'weather-main'],
])('names the subject %s “%s”', (subject, text) => {
  expect(subjectText(subject, names)).toBe(text);
});

test.each([
  ['operator', 'Any operator'],
  [`person:${ADA}`, 'Ada'],
  ['person:administrator', 'Built-in administrator'],
  ['token:t', 'Token (t)'],
  ['operator:::1', 'Operator at ::1'],
  ['apiKey:k', 'Key <k>'],
  ['system', 'System'],
])('names the actor %s “%s”', (actor, text) => {
  expect(actorText(actor, names)).toBe(text);
});

test('a sentence names accounts by e-mail address and starts with a capital', () => {
  const emails = new Map([['acc_1', 'ada@example.com']]);
  expect(readableSentence('account acc_1 was paused', emails)).toBe('Account ada@example.com was paused');
  expect(readableSentence('account acc_2 was paused', emails)).toBe('Account acc_2 was paused');
});

test('a sentence names settings, limits, methods and times by label', () => {
  expect(readableSentence('apiKeyAuthEnabled changed from false to true', new Map())).toBe(
    '“Require an API key” changed from off to on',
  );
  expect(readableSentence('routingStrategy changed from usage_weighted to round_robin', new Map())).toBe(
    '“Strategy” changed from by remaining usage to round robin',
  );
  expect(readableSentence('API key "ci" has 1300000 total_tokens daily, 200 cost_usd monthly', new Map())).toBe(
    'API key "ci" has 1,300,000 tokens a day, $200.00 a month',
  );
  expect(readableSentence('a sign-in with setup_token from 10.0.0.7 failed', new Map())).toBe(
    'A sign-in with the set-up token from 10.0.0.7 failed',
  );
  expect(readableSentence('API key "ci" expires 2027-03-01T12:00:00.000Z (before: never)', new Map())).toMatch(
    /^API key "ci" expires Mon, 1 Mar 2027, \d\d:\d\d:\d\d \S+ \(before: never\)$/,
  );
});

test('groups events by day in the viewer’s time zone', () => {
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

test('sentences name people and tokens, and keep the id of those that are unknown', () => {
  const readable = (sentence: string) => readableSentence(sentence, new Map(), names);
  expect(readable(`operator ${ADA} was invited as member`)).toBe('Operator Ada was invited as member');
  expect(readable(`a sign-in of operator ${ADA} with recovery_code failed`)).toBe(
    'A sign-in of operator Ada with a recovery code failed',
  );
  expect(readable('management token "ci" with the role member was created for administrator')).toBe(
    'Management token "ci" with the role member was created for Built-in administrator',
  );
  const unknown = `operator ${ADA.replace('0', '1')} was removed with all sessions and tokens`;
  expect(readable(unknown)).toBe(unknown.replace('operator', 'Operator'));
});
