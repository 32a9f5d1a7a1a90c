import { hash, randomBytes } from 'node:crypto';
import type { Vault } from '../../vault/vault.ts';

/** SHA-256 in hex. The secrets are random, so a hash cannot be reversed by guessing. */
export const hashOf = (secret: string): string => hash('sha256', secret);

const TOKEN_PREFIX = 'mt-svc-';

/** A new management token: `mt-svc-` and 48 hexadecimal digits. */
export const newToken = (): string => `${TOKEN_PREFIX}${randomBytes(24).toString('hex')}`;

/** @returns the management token of an Authorization header; undefined when it has none, an API key for instance */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return token?.startsWith(TOKEN_PREFIX) ? token : undefined;
}

/** The secret part of an invitation link: the id of the operator and 32 random bytes. */
export const newInvitation = (operatorId: string): string => `${operatorId}.${randomBytes(32).toString('base64url')}`;

/** The id of the operator whom an invitation is for; it proves nothing. */
export const inviteeOf = (invitation: string): string => invitation.slice(0, Math.max(0, invitation.lastIndexOf('.')));

const RECOVERY_CODES = 10;
/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const CHARACTERS = 16;

/** New recovery codes of 79 bits each, in groups of four characters. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newRecoveryCode);

function newRecoveryCode(): string {
  let code = '';
  while (code.length < CHARACTERS) {
    const [byte = 0] = randomBytes(1);
    // Bytes behind the last multiple would make some characters likelier.
    if (byte < 256 - (256 % ALPHABET.length)) code += ALPHABET[byte % ALPHABET.length];
  }
  return (code.match(/.{4}/g) ?? []).join('-');
}

/** A keyed digest of a recovery code, however it was typed. */
export const digestOfRecoveryCode = (vault: Pick<Vault, 'digest'>, code: string): string =>
  vault.digest('recovery code', code.toLowerCase().replaceAll(/[\s-]/g, ''));
