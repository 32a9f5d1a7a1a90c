import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Sealed } from '../../src/domain/core/brands.ts';
import { newEventId } from '../../src/eventLog/eventId.ts';
import { CannotUnseal, type Vault } from '../../src/vault/vault.ts';

/** The storage of a vault for one test, with its master key. It may contain keys of other tests. */
export interface VaultUnderTest extends AsyncDisposable {
  /** Opens the vault; may be called again after `close`. @param masterKey instead of the vault's own */
  open(masterKey?: string): Promise<Vault>;
}

/** The contract of `Vault`, run against one adapter. */
export function describeVault(name: string, createStage: () => Promise<VaultUnderTest>): void {
  const aSubject = () => `account_${newEventId()}`;

  describe(`${name}: vault`, () => {
    test('opens what it sealed, also after a restart, and does not reveal the plain text', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const keyId = await vault.createKey(aSubject());
      const sealed = vault.seal(keyId, 'the token of ä');
      expect(sealed).toMatch(/^sealed\.v1\.[\w-]+\.[\w-]+$/);
      expect(Buffer.from(sealed, 'base64url').toString()).not.toContain('token');
      expect(vault.keyIdOf(sealed)).toBe(keyId);
      expect(vault.open(sealed)).toBe('the token of ä');
      expect(vault.open(vault.seal(keyId, ''))).toBe('');
      vault.close();
      const again = await stage.open();
      expect(again.open(sealed)).toBe('the token of ä');
      again.close();
    });

    test('seals the same text differently each time', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const keyId = await vault.createKey(aSubject());
      expect(vault.seal(keyId, 'secret')).not.toBe(vault.seal(keyId, 'secret'));
      vault.close();
    });

    test('still opens what an earlier key of the subject sealed', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const subject = aSubject();
      const older = vault.seal(await vault.createKey(subject), 'old');
      const newer = vault.seal(await vault.createKey(subject), 'new');
      expect([vault.open(older), vault.open(newer)]).toEqual(['old', 'new']);
      vault.close();
    });

    test('knows the newest key of a subject, also after a restart, until it is destroyed', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const subject = aSubject();
      expect(vault.currentKeyOf(subject)).toBeUndefined();
      await vault.createKey(subject);
      const newest = await vault.createKey(subject);
      expect(vault.currentKeyOf(subject)).toBe(newest);
      vault.close();
      const again = await stage.open();
      expect(again.open(again.seal(again.currentKeyOf(subject) as string, 'text'))).toBe('text');
      await again.destroy(subject);
      expect(again.currentKeyOf(subject)).toBeUndefined();
      again.close();
    });

    test('destroys all keys of one subject permanently and keeps those of others', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const subject = aSubject();
      const keyId = await vault.createKey(subject);
      const gone = [vault.seal(keyId, 'old'), vault.seal(await vault.createKey(subject), 'new')];
      const kept = vault.seal(await vault.createKey(`${subject}2`), 'other');
      await vault.destroy(subject);
      await vault.destroy(subject);
      for (const sealed of gone) expect(() => vault.open(sealed)).toThrow(CannotUnseal);
      expect(() => vault.seal(keyId, 'again')).toThrow(CannotUnseal);
      vault.close();
      const again = await stage.open();
      for (const sealed of gone) expect(() => again.open(sealed)).toThrow(CannotUnseal);
      expect(again.open(kept)).toBe('other');
      again.close();
    });

    test('creates a new key for a subject whose keys were destroyed', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const subject = aSubject();
      const gone = vault.seal(await vault.createKey(subject), 'old');
      await vault.destroy(subject);
      const back = vault.seal(await vault.createKey(subject), 'new');
      expect(vault.open(back)).toBe('new');
      vault.close();
      const again = await stage.open();
      expect(again.open(back)).toBe('new');
      expect(() => again.open(gone)).toThrow(CannotUnseal);
      again.close();
    });

    test('does not open a sealed text that was changed anywhere', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const keyId = await vault.createKey(aSubject());
      const sealed = vault.seal(keyId, 'secret');
      for (let at = 0; at < sealed.length; at += 1) {
        const other = sealed[at] === 'A' ? 'B' : 'A';
        const changed = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}` as Sealed;
        expect(() => vault.open(changed)).toThrow(CannotUnseal);
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
      for (const text of texts) expect(() => vault.open(text as Sealed)).toThrow(CannotUnseal);
      vault.close();
    });

    test('does not open a sealed text whose key id was replaced', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const [one, other] = [await vault.createKey(aSubject()), await vault.createKey(aSubject())];
      const moved = vault.seal(one, 'secret').replace(one, other) as Sealed;
      expect(() => vault.open(moved)).toThrow(CannotUnseal);
      vault.close();
    });

    test('makes digests that differ by purpose and value and survive a restart', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const digest = vault.digest('pin', 'a');
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
      const others = [vault.digest('pin', 'b'), vault.digest('pi', 'na'), vault.digest('e-mail', 'a')];
      expect(new Set([digest, ...others]).size).toBe(4);
      vault.close();
      const again = await stage.open();
      expect(again.digest('pin', 'a')).toBe(digest);
      again.close();
    });

    test('makes digests under a data key, which mean nothing once it is destroyed', async () => {
      await using stage = await createStage();
      const vault = await stage.open();
      const subject = aSubject();
      const [one, other] = [await vault.createKey(subject), await vault.createKey(`${subject}-2`)];
      expect(vault.keysOf(subject)).toEqual([
        { id: one, subject },
        { id: other, subject: `${subject}-2` },
      ]);
      const digest = vault.digestUnder(one, 'address', '10.0.0.7');
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
      expect(vault.digestUnder(other, 'address', '10.0.0.7')).not.toBe(digest);
      vault.close();
      const again = await stage.open();
      expect(again.digestUnder(one, 'address', '10.0.0.7')).toBe(digest);
      await again.destroy(subject);
      expect(again.keysOf(subject)).toEqual([{ id: other, subject: `${subject}-2` }]);
      expect(() => again.digestUnder(one, 'address', '10.0.0.7')).toThrow(CannotUnseal);
      again.close();
    });

    test('refuses a wrong master key with a message about what to do', async () => {
      await using stage = await createStage();
      (await stage.open()).close();
      await expect(stage.open(randomBytes(32).toString('base64'))).rejects.toMatchObject({
        code: 'WRONG_ENCRYPTION_KEY',
        message: expect.stringMatching(/Restore the (?:key|SVC_ENCRYPTION_KEY)/),
      });
      (await stage.open()).close();
    });
  });
}
