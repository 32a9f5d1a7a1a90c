import { expect, test } from 'vitest';
import { normalizeLogin } from './normalizeLogin.ts';
import { personEmail, personName } from './profileSchema.ts';

test.each([
  ['a bidirectional override', 'Bob\u202e'],
  ['a line separator', 'Bob\u2028Eve'],
  ['a letter that renders as nothing', '\u3164'],
  ['a Cyrillic letter in a Latin name', '\u0410da'],
  ['no letter and no digit', '\u2800 .'],
  ['an unpaired surrogate', 'Bob\ud800'],
  ['129 characters', 'x'.repeat(129)],
  ['nothing but spaces', '  '],
])('refuses a name with %s', (_, name) => expect(personName.safeParse(name).success).toBe(false));

test.each(['Ada Lovelace', "Renée O'Neill-Kovač", 'Ада Лавлейс (Ada)', '田中さん', 'CI 2', 'x'.repeat(128)])(
  'accepts the name %s',
  (name) => expect(personName.parse(` ${name} `)).toBe(name),
);

test.each([
  ['no @', 'bob'],
  ['two @', 'bob@eve@example.com'],
  ['a space', 'bob eve@example.com'],
  ['a zero-width space', 'bob\u200b@example.com'],
  ['an unpaired surrogate', '\ud800@example.com'],
  ['a Cyrillic letter in a Latin word', 'b\u043eb@example.com'],
  ['255 characters', `${'x'.repeat(243)}@example.com`],
])('refuses an address with %s', (_, email) => expect(personEmail.safeParse(email).success).toBe(false));

test.each([
  ['case', 'ADA', 'ada'],
  ['width', '\uff21da', 'ada'],
  ['composition', 'A\u0308da', '\u00e4da'],
  ['the kind of a dash', 'Ann\u2011Lee', 'ann-lee'],
  ['spaces', ' Ada \u00a0 L ', 'ada l'],
  ['what is invisible', 'a\u00add\u200ba', 'ada'],
])('takes logins that differ in %s for one', (_, text, login) => expect(normalizeLogin(text)).toBe(login));
