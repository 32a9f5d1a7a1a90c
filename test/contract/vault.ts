import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Sealed } from '../../src/domain/core/brands.ts';
import { newEventId } from '../../src/eventLog/eventId.ts';
import { CannotOpen, type Vault } from '../../src/vault/vault.ts';

/** A place where a vault keeps its keys, and the one master key that they are wrapped by. */
export interface VaultPlace extends AsyncDisposable {
  /** Opens the vault; again after it was closed. @param masterKey another than that of the place */
  open(masterKey?: string): Promise<Vault>;
}

/** What every vault does, wherever it keeps its keys. The place may hold keys of others. */
export function describeVault(name: string, createPlace: () => Promise<VaultPlace>): void {
  const aSubject = () => `account_${newEventId()}`;

  describe(`${name}: vault`, () => {
    test('what was sealed can be opened, also after a restart, and does not show what it holds', async () => {
      await using place = await createPlace();
      const vault = await place.open();
      const keyId = await vault.createKey(aSubject());
      const sealed = vault.seal(keyId, 'the token of ä');
      expect(sealed).toMatch(/^sealed\.v1\.[\w-]+\.[\w-]+$/);
      expect(Buffer.from(sealed, 'base64url').toString()).not.toContain('token');
      expect(vault.keyIdOf(sealed)).toBe(keyId);
      expect(vault.open(sealed)).toBe('the token of ä');
      expect(vault.open(vault.seal(keyId, ''))).toBe('');
      vault.close();
      const again = await place.open();
      expect(again.open(sealed)).toBe('the token of ä');
      again.close();
    });

    test('the same text is sealed differently each time', async () => {
      await using place = await createPlace();
      const vault = await place.open();
      const keyId = await vault.createKey(aSubject());
      expect(vault.seal(keyId, 'secret')).not.toBe(vault.seal(keyId, 'secret'));
      vault.close();
    });

    test('a second key of a subject leaves what the first sealed readable', async () => {
      await using place = await createPlace();
      const vault = await place.open();
      const subject = aSubject();
      const older = vault.seal(await vault.createKey(subject), 'old');
      const newer = vault.seal(await vault.createKey(subject), 'new');
      expect([vault.open(older), vault.open(newer)]).toEqual(['old', 'new']);
      vault.close();
    });

    test('destroying makes everything of a subject unreadable for good, and nothing of others', async () => {
      await using place = await createPlace();
      const vault = await place.open();
      const subject = aSubject();
      const keyId = await vault.createKey(subject);
      const gone = [vault.seal(keyId, 'old'), vault.seal(await vault.createKey(subject), 'new')];
      const kept = vault.seal(await vault.createKey(`${subject}2`), 'other');
      await vault.destroy(subject);
      await vault.destroy(subject);
      for (const sealed of gone) expect(() => vault.open(sealed)).toThrow(CannotOpen);
      expect(() => vault.seal(keyId, 'again')).toThrow(CannotOpen);
      vault.close();
      const again = await place.open();
      for (const sealed of gone) expect(() => again.open(sealed)).toThrow(CannotOpen);
      expect(again.open(kept)).toBe('other');
      again.close();
    });

    test('a subject may come back after it was destroyed, with a new key', async () => {
      await using place = await createPlace();
      const vault = await place.open();
      const subject = aSubject();
      const gone = vault.seal(await vault.createKey(subject), 'old');
      await vault.destroy(subject);
      const back = vault.seal(await vault.createKey(subject), 'new');
      expect(vault.open(back)).toBe('new');
      vault.close();
      const again = await place.open();
      expect(again.open(back)).toBe('new');
      expect(() => again.open(gone)).toThrow(CannotOpen);
      again.close();
    });

    test('a sealed text that was changed anywhere cannot be opened', async () => {
      await using place = await createPlace();
      const vault = await place.open();
      const keyId = await vault.createKey(aSubject());
      const sealed = vault.seal(keyId, 'secret');
      for (let at = 0; at < sealed.length; at += 1) {
        const other = sealed[at] === 'A' ? 'B' : 'A';
        const changed = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}` as Sealed;
        expect(() => vault.open(changed)).toThrow(CannotOpen);
      }
      const texts = [
        '',
        'secret',
        'sealed.v1.',
        `${sealed}=`,
        `${sealed} `,
        sealed.slice(0, 40),
        `sealed.v1.${keyId}.AA`,
      ];
      for (const text of texts) expect(() => vault.open(text as Sealed)).toThrow(CannotOpen);
      vault.close();
    });

    test('a value cannot be passed off as sealed under another key', async () => {
      await using place = await createPlace();
      const vault = await place.open();
      const [one, other] = [await vault.createKey(aSubject()), await vault.createKey(aSubject())];
      const moved = vault.seal(one, 'secret').replace(one, other) as Sealed;
      expect(() => vault.open(moved)).toThrow(CannotOpen);
      vault.close();
    });

    test('a digest is the same at every start, and differs by purpose and value', async () => {
      await using place = await createPlace();
      const vault = await place.open();
      const digest = vault.digest('pin', 'a');
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
      const others = [vault.digest('pin', 'b'), vault.digest('pi', 'na'), vault.digest('e-mail', 'a')];
      expect(new Set([digest, ...others]).size).toBe(4);
      vault.close();
      const again = await place.open();
      expect(again.digest('pin', 'a')).toBe(digest);
      again.close();
    });

    test('another key than the one it was made with is refused and says what to do', async () => {
      await using place = await createPlace();
      (await place.open()).close();
      await expect(place.open(randomBytes(32).toString('base64'))).rejects.toMatchObject({
        code: 'WRONG_ENCRYPTION_KEY',
        message: expect.stringMatching(/Restore the (?:key|SVC_ENCRYPTION_KEY)/),
      });
      (await place.open()).close();
    });
  });
}
