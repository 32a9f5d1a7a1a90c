import { createCipheriv, createDecipheriv, createHash, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Bytes of a chunk before it is sealed; only the last one may be shorter. */
export const CHUNK_BYTES = 65_536;
export const TAG_BYTES = 16;

/**
 * Seals the chunks of a file in order. Each chunk is bound to the header of the file, to its number and to whether it is the last
 * one, so that chunks which are changed, moved, missing, cut off or of another file are found.
 */
export interface ChunkSeal {
  /** @returns the chunk as it is stored, `TAG_BYTES` longer */
  seal(chunk: Buffer, number: number, isLast: boolean): Buffer;
  /** @returns undefined when it is not the chunk that was sealed */
  open(sealed: Buffer, number: number, isLast: boolean): Buffer | undefined;
}

/** The number in eleven bytes, and one byte that says whether the chunk is the last. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/**
 * Authenticated encryption by the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár, 2015) over AES-256-GCM, as age has it
 * over ChaCha20-Poly1305. The key is derived for this header alone, which has a random salt, so that no nonce is used twice.
 * @param secret 32 bytes
 */
export function encryptingSeal(secret: Buffer, header: Buffer): ChunkSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, header, 'svc backup chunks', 32));
  return {
    seal(chunk, number, isLast) {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, isLast));
      return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, number, isLast) {
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, isLast));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/** Digests in the place of encryption: they find damage, and not a forger, who can make them as well. */
export function digestingSeal(header: Buffer): ChunkSeal {
  const tagOf = (chunk: Buffer, number: number, isLast: boolean): Buffer =>
    createHash('sha256')
      .update(createHash('sha256').update(header).digest())
      .update(nonceOf(number, isLast))
      .update(chunk)
      .digest()
      .subarray(0, TAG_BYTES);
  return {
    seal: (chunk, number, isLast) => Buffer.concat([chunk, tagOf(chunk, number, isLast)]),
    open(sealed, number, isLast) {
      const chunk = sealed.subarray(0, -TAG_BYTES);
      return timingSafeEqual(tagOf(chunk, number, isLast), sealed.subarray(-TAG_BYTES)) ? chunk : undefined;
    },
  };
}
