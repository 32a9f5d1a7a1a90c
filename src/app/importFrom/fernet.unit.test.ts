import { expect, test } from 'vitest';
import { openFernet, readFernetKey } from './fernet.ts';

// The example of the format (https://github.com/fernet/spec, verify.json).
const KEY = 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=';
const TOKEN = 'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==';

const key = readFernetKey(`${KEY}\n`) ?? expect.unreachable();
const open = (token: string) => openFernet(Buffer.from(token), key);

test('decrypts the example of the format', () => expect(open(TOKEN)).toBe('hello'));

test.each([
  ['another key', () => openFernet(Buffer.from(TOKEN), { ...key, signing: Buffer.alloc(16) })],
  ['a changed byte', () => open(TOKEN.replace('CGM4', 'CGM5'))],
  ['a cut token', () => open(TOKEN.slice(0, 40))],
  ['another version', () => open(`A${TOKEN.slice(1)}`)],
  ['no token', () => open('')],
])('refuses %s', (_name, opened) => expect(opened()).toBeUndefined());

test.each(['', 'short', `${KEY}AAAA`])('refuses the key %j', (text) => expect(readFernetKey(text)).toBeUndefined());
