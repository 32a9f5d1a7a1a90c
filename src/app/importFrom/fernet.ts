import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';

/** A key of the Fernet format: 16 bytes that sign, 16 bytes that encrypt. */
export interface FernetKey {
  readonly signing: Buffer;
  readonly encryption: Buffer;
}

/** The format's first byte; then 8 bytes of time, 16 of the initialization vector, the text and 32 of the signature. */
const VERSION = 0x80;
const IV_AT = 9;
const TEXT_AT = 25;
const SIGNATURE_BYTES = 32;

/** @returns undefined for a text that is not 32 bytes in base64 */
export function readFernetKey(text: string): FernetKey | undefined {
  if (!/^[\w-]{43}=?$/.test(text.trim())) return undefined;
  const bytes = Buffer.from(text.trim(), 'base64url');
  return { signing: bytes.subarray(0, 16), encryption: bytes.subarray(16) };
}

/**
 * Decrypts a token of the Fernet format (AES-128-CBC, then HMAC-SHA256).
 * @param token in base64, as it is stored
 * @returns undefined when it was not made with this key or was changed
 */
export function openFernet(token: Uint8Array, { signing, encryption }: FernetKey): string | undefined {
  const bytes = Buffer.from(Buffer.from(token).toString('latin1'), 'base64url');
  const end = bytes.length - SIGNATURE_BYTES;
  if (bytes[0] !== VERSION || end <= TEXT_AT) return undefined;
  const signature = createHmac('sha256', signing).update(bytes.subarray(0, end)).digest();
  if (!timingSafeEqual(signature, bytes.subarray(end))) return undefined;
  const decipher = createDecipheriv('aes-128-cbc', encryption, bytes.subarray(IV_AT, TEXT_AT));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(TEXT_AT, end)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
