import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { CHUNK_BYTES, type ChunkSeal, digestingSeal, encryptingSeal } from './chunkSeal.ts';
import type { BackupRecord } from './manifest.ts';
import { SALT_BYTES, secretOf } from './passphrase.ts';

export const FORMAT_VERSION = 1;

/** The first line of a file, in plain. */
export interface BackupHeader {
  readonly svcBackup: number;
  /** Base64; absent where the file is not encrypted. */
  readonly salt?: string;
}

const TEXT_BYTES = 256 * 1_024;

/**
 * Writes a backup: a header, then the records as lines of JSON, compressed (zstd), in sealed chunks. The format is described in
 * docs/decisions/0098-backups.md.
 */
export async function writeRecords(
  file: FileHandle,
  records: AsyncIterable<BackupRecord> | Iterable<BackupRecord>,
  passphrase: string | undefined,
): Promise<void> {
  const salt = passphrase === undefined ? undefined : randomBytes(SALT_BYTES);
  const header: BackupHeader = { svcBackup: FORMAT_VERSION, ...(salt && { salt: salt.toString('base64') }) };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  const seal =
    salt && passphrase !== undefined ? encryptingSeal(await secretOf(passphrase, salt), line) : digestingSeal(line);
  await file.appendFile(line);
  await pipeline(
    Readable.from(textOf(records)),
    createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }),
    async (compressed: AsyncIterable<Buffer>) => {
      for await (const chunk of sealedChunks(compressed, seal)) await file.appendFile(chunk);
    },
  );
}

/** Lines, some hundred at a time, the last one with the number of those before. */
async function* textOf(records: AsyncIterable<BackupRecord> | Iterable<BackupRecord>): AsyncGenerator<string> {
  let text = '';
  let count = 0;
  for await (const record of records) {
    text += `${JSON.stringify(record)}\n`;
    count += 1;
    if (text.length < TEXT_BYTES) continue;
    yield text;
    text = '';
  }
  yield `${text}${JSON.stringify({ end: { records: count } } satisfies BackupRecord)}\n`;
}

async function* sealedChunks(bytes: AsyncIterable<Buffer>, seal: ChunkSeal): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let length = 0;
  let number = 0;
  for await (const part of bytes) {
    pending.push(part);
    length += part.length;
    // One that is full is kept until it is known that it is not the last.
    if (length <= CHUNK_BYTES) continue;
    const whole = Buffer.concat(pending);
    let at = 0;
    for (; whole.length - at > CHUNK_BYTES; at += CHUNK_BYTES) {
      yield seal.seal(whole.subarray(at, at + CHUNK_BYTES), number, false);
      number += 1;
    }
    pending = [whole.subarray(at)];
    length = whole.length - at;
  }
  yield seal.seal(Buffer.concat(pending), number, true);
}
