import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { signingKeyOf, verifierKey } from '../notes/noteKeys.ts';
import { checkpointKeyFromFile, keyFileIn, parseCheckpointKey } from './checkpointKey.ts';
import { acceptedKeys, openKeyChange, signKeyChange } from './keyChange.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-key-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let path: string;
beforeEach(() => {
  path = keyFileIn(mkdtempSync(join(root, 'data-')));
});
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
// RFC 8032, section 7.1, test 1.
const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

describe('the checkpoint key', () => {
  test('is read from hex, base64, base64url and PEM', () => {
    for (const text of [seed.toString('hex'), `${seed.toString('base64')}\n`, seed.toString('base64url')]) {
      expect(parseCheckpointKey(text, 'X').publicKey.toString('hex')).toBe(publicKey);
    }
    const pair = generateKeyPairSync('ed25519');
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const { x } = pair.publicKey.export({ format: 'jwk' });
    expect(parseCheckpointKey(pem, 'X').publicKey.toString('base64url')).toBe(x);
  });

  test('is refused when it is anything else, without a word of it', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    for (const text of ['', 'secret', seed.toString('hex').slice(1), rsa as string]) {
      expect(() => parseCheckpointKey(text, 'SVC_CHECKPOINT_KEY')).toThrow(/^SVC_CHECKPOINT_KEY must be(?!.*secret)/);
    }
  });

  test('is created once, private, and is the same afterwards', () => {
    const key = checkpointKeyFromFile(path, { mayCreate: true });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(checkpointKeyFromFile(path, { mayCreate: true }).publicKey).toEqual(key.publicKey);
    expect(readdirSync(join(path, '..'))).toEqual(['checkpoint.key']);
  });

  test('replaces the draft of a killed process, also one that is cut short', () => {
    writeFileSync(`${path}.new`, 'cut');
    checkpointKeyFromFile(path, { mayCreate: true });
    expect(readFileSync(path, 'utf8')).toHaveLength(45);
  });

  test('is refused when others may read it, or when it is missing where a file was named', () => {
    expect(() => checkpointKeyFromFile(path, { mayCreate: false })).toThrow('is missing');
    checkpointKeyFromFile(path, { mayCreate: true });
    chmodSync(path, 0o644);
    expect(() => checkpointKeyFromFile(path, { mayCreate: true })).toThrow(`chmod 600 ${path}`);
  });
});

describe('a change of the key', () => {
  const [a, b, c, mallory] = [1, 2, 3, 4].map((byte) => signingKeyOf(Buffer.alloc(32, byte))) as [
    ReturnType<typeof signingKeyOf>,
    ReturnType<typeof signingKeyOf>,
    ReturnType<typeof signingKeyOf>,
    ReturnType<typeof signingKeyOf>,
  ];
  const of = (key: typeof a) => verifierKey('svc.example/log', key.publicKey);
  const vkeys = (keys: readonly { readonly vkey: string }[]) => keys.map(({ vkey }) => vkey);

  test('leads from a trusted key to the present one, in any order of the changes', () => {
    const changes = [signKeyChange('svc.example/log', b, c), signKeyChange('svc.example/log', a, b)];
    expect(vkeys(acceptedKeys(of(a), changes))).toEqual(vkeys([of(a), of(b), of(c)]));
    expect(vkeys(acceptedKeys(of(b), changes))).toEqual(vkeys([of(b), of(c)]));
    expect(vkeys(acceptedKeys(of(mallory), changes))).toEqual([of(mallory).vkey]);
  });

  test('is refused when either key has not signed it, or any byte was changed', () => {
    const note = signKeyChange('svc.example/log', a, b);
    expect(openKeyChange(note).after.vkey).toBe(of(b).vkey);
    const lines = note.split('\n');
    expect(() => openKeyChange(lines.toSpliced(4, 1).join('\n'))).toThrow('no signature is by a known key');
    expect(() => openKeyChange(lines.toSpliced(5, 1).join('\n'))).toThrow('no signature is by a known key');
    expect(() => openKeyChange(note.replace(of(b).vkey, of(mallory).vkey))).toThrow('does not hold');
    const bytes = Buffer.from(note);
    for (const at of bytes.keys()) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] as number) ^ 1;
      expect(() => openKeyChange(forged)).toThrow();
    }
  });
});
