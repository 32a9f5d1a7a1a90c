import { z } from 'zod';

const MAX_NAME_LENGTH = 128;
/** The longest path of RFC 5321. */
const MAX_EMAIL_LENGTH = 254;

/** Controls, format characters such as bidirectional overrides, line separators, and what renders as nothing. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Scripts with letters that look the same: a Cyrillic A in a Latin name makes another person of the same look. */
const ALIKE = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
const mixesScripts = (text: string): boolean =>
  text.split(/\P{L}+/u).some((word) => ALIKE.filter((script) => script.test(word)).length > 1);

const visible = z
  .string()
  .trim()
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .refine((text) => !INVISIBLE.test(text), 'must have no control characters and no invisible ones')
  .refine((text) => !mixesScripts(text), 'must not mix Latin, Cyrillic and Greek letters in one word');

/** The name of a person. */
export const personName = visible
  .refine((text) => text.length > 0 && text.length <= MAX_NAME_LENGTH, `must have 1 to ${MAX_NAME_LENGTH} characters`)
  .refine((text) => /[\p{L}\p{N}]/u.test(text), 'must have a letter or a digit');

/** The e-mail address of a person. svc sends no mail; the provider of a sign-in checks addresses. */
export const personEmail = visible
  .refine((text) => text.length <= MAX_EMAIL_LENGTH, `must have at most ${MAX_EMAIL_LENGTH} characters`)
  .refine((text) => /^[^\s@]+@[^\s@]+$/u.test(text), 'must be an e-mail address');
