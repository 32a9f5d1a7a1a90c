import type { z } from 'zod';
import { decrypt, encrypt } from '../../vault/sealing.ts';
import type { Vault } from '../../vault/vault.ts';

/** Tokens that clients store for us, encrypted with AES-256-GCM under a key of this installation. */
export interface EncryptedToken<Content> {
  write(content: Content): string;
  /** @returns undefined for a token of another installation or purpose, or one that was changed */
  read(token: string): Content | undefined;
}

/** @param purpose tokens of one purpose are not accepted for another */
export function createEncryptedToken<Content>(
  vault: Vault,
  purpose: string,
  schema: z.ZodType<Content>,
): EncryptedToken<Content> {
  const key = Buffer.from(vault.digest('dashboard', purpose), 'hex');
  return {
    write: (content) => encrypt(key, Buffer.from(JSON.stringify(content)), purpose).toString('base64url'),
    read(token) {
      try {
        return schema.parse(JSON.parse(decrypt(key, Buffer.from(token, 'base64url'), purpose).toString()));
      } catch {
        return undefined;
      }
    },
  };
}
