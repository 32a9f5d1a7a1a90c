import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { BackupRefused } from './backupRefused.ts';
import { CHUNK_BYTES, type ChunkSeal, digestingSeal, encryptingSeal, TAG_BYTES } from './chunkSeal.ts';
import { type BackupRecord, type Manifest, manifestSchema } from './manifest.ts';
import { SALT_BYTES, secretOf } from './passphrase.ts';
import { type BackupHeader, FORMAT_VERSION } from './writeRecords.ts';

const MAX_HEADER_BYTES = 1_024;
const NEWLINE = 0x0a;

/** A backup whose header was read and whose passphrase is right. */
export interface OpenedBackup {
  readonly path: string;
  readonly isEncrypted: boolean;
  readonly manifest: Manifest;
  /** The records after the manifest, without the end. Every byte of the file is verified on the way. @throws BackupRefused */
  records(): AsyncGenerator<BackupRecord>;
}

/**
 * Opens a backup.
 * @param shownAs the name of the file in messages
 * @throws BackupRefused for a file that is none, was changed or cut, or that the passphrase does not open
 */
export async function openBackup(
  path: string,
  passphrase: string | undefined,
  shownAs: string = path,
): Promise<OpenedBackup> {
  const seal = await readSeal(path, passphrase, shownAs);
  const all = () => readRecords(path, seal, shownAs);
  const beginning = all();
  const { value } = await beginning.next();
  await beginning.return(undefined);
  const parsed = manifestSchema.safeParse((value as { manifest?: unknown } | undefined)?.manifest);
  if (!parsed.success) throw damaged(shownAs, 'it does not say what it is a backup of');
  return {
    path,
    isEncrypted: passphrase !== undefined,
    manifest: parsed.data,
    async *records() {
      let isFirst = true;
      for await (const record of all()) {
        if (!isFirst) yield record;
        isFirst = false;
      }
    },
  };
}

interface OpenedSeal {
  readonly seal: ChunkSeal;
  /** Where the first chunk begins. */
  readonly offset: number;
}

async function readSeal(path: string, passphrase: string | undefined, shownAs: string): Promise<OpenedSeal> {
  const bytes = await readBeginning(path, shownAs);
  const end = bytes.indexOf(NEWLINE);
  const header = parseHeader(bytes.toString('utf8', 0, Math.max(end, 0)));
  if (header === undefined)
    throw new BackupRefused(`${shownAs} is not a backup of svc. Name a file that "svc backup" made.`);
  if (header.svcBackup > FORMAT_VERSION)
    throw new BackupRefused(`${shownAs} was made by a newer svc. Restore it with that version.`);
  const line = bytes.subarray(0, end + 1);
  if (header.salt === undefined) {
    if (passphrase !== undefined)
      throw new BackupRefused(
        `${shownAs} is not encrypted, although a passphrase was given. If it should be, it was replaced by another file; else leave out --passphrase-file.`,
      );
    return { seal: digestingSeal(line), offset: line.length };
  }
  if (passphrase === undefined)
    throw new BackupRefused(`${shownAs} is encrypted. Name the file of its passphrase: --passphrase-file.`);
  const salt = Buffer.from(header.salt, 'base64');
  if (salt.length !== SALT_BYTES) throw damaged(shownAs, 'its header was changed');
  return { seal: encryptingSeal(await secretOf(passphrase, salt), line), offset: line.length };
}

async function readBeginning(path: string, shownAs: string): Promise<Buffer> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    throw new BackupRefused(`${shownAs} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw new BackupRefused(`${shownAs} cannot be read: ${(error as Error).message}.`, { cause: error });
  } finally {
    await file.close();
  }
}

function parseHeader(text: string): BackupHeader | undefined {
  try {
    const header = JSON.parse(text) as BackupHeader;
    return Number.isSafeInteger(header.svcBackup) && ['undefined', 'string'].includes(typeof header.salt)
      ? header
      : undefined;
  } catch {
    return undefined;
  }
}

async function* readRecords(path: string, opened: OpenedSeal, shownAs: string): AsyncGenerator<BackupRecord> {
  let count = 0;
  let isComplete = false;
  for await (const line of linesOf(path, opened, shownAs)) {
    if (isComplete) throw damaged(shownAs, 'something follows its end');
    const record = parseRecord(line, shownAs);
    if ('end' in record) {
      if (record.end.records !== count) throw damaged(shownAs, `it has ${count} of ${record.end.records} records`);
      isComplete = true;
      continue;
    }
    count += 1;
    yield record;
  }
  if (!isComplete) throw damaged(shownAs, 'its end is missing');
}

function parseRecord(line: string, shownAs: string): BackupRecord {
  try {
    return JSON.parse(line) as BackupRecord;
  } catch {
    throw damaged(shownAs, 'a record is not valid JSON');
  }
}

async function* linesOf(path: string, opened: OpenedSeal, shownAs: string): AsyncGenerator<string> {
  const chunks = Readable.from(chunksOf(path, opened, shownAs));
  const text = createZstdDecompress();
  chunks.on('error', (error) => text.destroy(error));
  chunks.pipe(text);
  text.setEncoding('utf8');
  let rest = '';
  try {
    for await (const part of text as AsyncIterable<string>) {
      const lines = part.split('\n');
      lines[0] = rest + lines[0];
      rest = lines.pop() as string;
      yield* lines;
    }
  } catch (error) {
    if (error instanceof BackupRefused) throw error;
    throw damaged(shownAs, (error as Error).message);
  } finally {
    text.destroy();
    chunks.destroy();
  }
  if (rest !== '') throw damaged(shownAs, 'it ends in the middle of a record');
}

async function* chunksOf(path: string, { seal, offset }: OpenedSeal, shownAs: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    let at = offset;
    for (let number = 0; ; number += 1) {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(CHUNK_BYTES + TAG_BYTES),
        0,
        CHUNK_BYTES + TAG_BYTES,
        at,
      );
      const sealed = buffer.subarray(0, bytesRead);
      at += bytesRead;
      const isLast = at >= size;
      if (bytesRead < TAG_BYTES) throw damaged(shownAs, 'its end is missing');
      const chunk = seal.open(sealed, number, isLast);
      if (!chunk) throw wrongChunk(shownAs, seal, sealed, number, isLast);
      yield chunk;
      if (isLast) return;
    }
  } finally {
    await file.close();
  }
}

function wrongChunk(shownAs: string, seal: ChunkSeal, sealed: Buffer, number: number, isLast: boolean): BackupRefused {
  const isCut = isLast && seal.open(sealed, number, false) !== undefined;
  if (isCut) return damaged(shownAs, 'its end is missing');
  const place = `chunk ${number + 1} is not what was written`;
  if (number === 0) return damaged(shownAs, `${place}, or the passphrase is another one`);
  return damaged(shownAs, isLast ? `${place}, or its end is missing` : place);
}

const damaged = (shownAs: string, reason: string): BackupRefused =>
  new BackupRefused(`${shownAs} is damaged, cut or changed: ${reason}. Restore another backup.`);
