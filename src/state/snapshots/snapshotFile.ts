import { createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Position } from '../../domain/core/brands.ts';
import type { FoldData } from './foldData.ts';
import { foldName } from './foldVersion.ts';

/** The event that a snapshot ends with. Its hash distinguishes it from an event of another log and from a changed one. */
export interface SnapshotMark {
  readonly position: Position;
  readonly eventId: string;
  readonly eventHash: string;
}

export interface Snapshot extends SnapshotMark {
  readonly data: FoldData;
}

/** A snapshot cannot be used. The message continues a sentence that begins with the file's name. */
export class UnusableSnapshot extends Error {
  override readonly name = 'UnusableSnapshot';
}

type Head = SnapshotMark & { readonly fold: string };

/** HMAC-SHA256 in hex. */
const MAC_LENGTH = 64;
const LINE_BREAK = '\n';

/**
 * Writes a snapshot atomically, also across a power cut, readable by its owner only. The file contains a MAC of the rest, a line of
 * JSON, and the fold in V8's serialization format.
 * @param key from `snapshotKey`
 * @returns the size in bytes
 */
export function writeSnapshot(path: string, key: Uint8Array, { data, ...mark }: Snapshot): number {
  const head: Head = { fold: foldName, ...mark };
  const content = Buffer.concat([Buffer.from(JSON.stringify(head) + LINE_BREAK), serialize(data)]);
  const draft = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeSync(draft, macOf(content, key) + LINE_BREAK);
    for (let written = 0; written < content.length; ) written += writeSync(draft, content, written);
    fsyncSync(draft);
  } finally {
    closeSync(draft);
  }
  renameSync(`${path}.new`, path);
  syncFolder(dirname(path));
  return MAC_LENGTH + 1 + content.length;
}

/**
 * Nothing of the file is interpreted before its MAC is verified.
 * @throws UnusableSnapshot when this installation did not write it as it is, or wrote it by another version of the fold; an
 *   I/O error when it cannot be read
 */
export function readSnapshot(path: string, key: Uint8Array): Snapshot {
  const bytes = readFileSync(path);
  const content = bytes.subarray(MAC_LENGTH + 1);
  if (!isSame(bytes.subarray(0, MAC_LENGTH), Buffer.from(macOf(content, key)))) {
    throw new UnusableSnapshot(
      'is not authentic: it is damaged, was changed, or was written with another master key or by an older svc',
    );
  }
  const end = content.indexOf(LINE_BREAK);
  const { fold, ...mark } = JSON.parse(content.toString('utf8', 0, end)) as Head;
  if (fold !== foldName) throw new UnusableSnapshot('was made by another version of svc');
  return { ...mark, data: deserialize(content.subarray(end + 1)) as FoldData };
}

const macOf = (content: Buffer, key: Uint8Array): string => createHmac('sha256', key).update(content).digest('hex');

const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

/** Makes the rename durable. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
