import { createHash, hash as digest } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { inflateRaw } from 'node:zlib';
import type { ByteSource } from '../format/bundleFile.ts';

const READ_BYTES = 4 * 1_048_576;

/** Opens a file to be read in parts. @throws the error of the file system */
export async function openFileSource(path: string): Promise<ByteSource & { close(): Promise<void> }> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  return { size, read: (from, to) => readExactly(file, from, to), close: () => file.close() };
}

async function readExactly(file: FileHandle, from: number, to: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(to - from);
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from + filled);
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.');
    filled += bytesRead;
  }
  return bytes;
}

/** The SHA-256 of a part of a file, 64 hex digits. */
export async function digestOfSource(source: ByteSource, from: number, to: number): Promise<string> {
  const sha256 = createHash('sha256');
  for (let at = from; at < to; at += READ_BYTES) sha256.update(await source.read(at, Math.min(to, at + READ_BYTES)));
  return sha256.digest('hex');
}

export const sha256Of = (bytes: Uint8Array): Promise<string> => Promise.resolve(digest('sha256', bytes, 'hex'));

/** @throws Error unless exactly `size` bytes come of it */
export const inflate = (bytes: Uint8Array, size: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    // One byte more than expected shows that there are more; zlib refuses a limit of 0.
    inflateRaw(bytes, { maxOutputLength: size + 1 }, (error, content) => {
      if (error) reject(error);
      else if (content.length !== size) reject(new Error(`${content.length} bytes, not ${size}`));
      else resolve(content);
    });
  });
