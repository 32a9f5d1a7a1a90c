import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Position } from '../../domain/core/brands.ts';
import type { FoldData } from './foldData.ts';
import { foldName } from './foldVersion.ts';

/** Which event a snapshot ends with: the hash tells it from one of another log, or one that was changed since. */
export interface SnapshotMark {
  readonly position: Position;
  readonly eventId: string;
  readonly eventHash: string;
}

export interface Snapshot extends SnapshotMark {
  readonly data: FoldData;
}

/** A snapshot is of no use here; the message goes on after the name of its file. */
export class UselessSnapshot extends Error {
  override readonly name = 'UselessSnapshot';
}

type Head = SnapshotMark & { readonly fold: string };

const DIGEST_LENGTH = 64;
const LINE_BREAK = '\n';

/**
 * Writes a snapshot that is there as a whole or not at all, also after a power cut, for its owner only: the SHA-256 of what
 * follows, a line of JSON, and the fold as V8 writes values down. @returns its size in bytes
 */
export function writeSnapshot(path: string, { data, ...mark }: Snapshot): number {
  const head: Head = { fold: foldName, ...mark };
  const content = Buffer.concat([Buffer.from(JSON.stringify(head) + LINE_BREAK), serialize(data)]);
  const draft = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeSync(draft, hash('sha256', content) + LINE_BREAK);
    for (let written = 0; written < content.length; ) written += writeSync(draft, content, written);
    fsyncSync(draft);
  } finally {
    closeSync(draft);
  }
  renameSync(`${path}.new`, path);
  syncFolder(dirname(path));
  return DIGEST_LENGTH + 1 + content.length;
}

/** @throws UselessSnapshot when it is damaged or was made by another version of the fold; and when it cannot be read */
export function readSnapshot(path: string): Snapshot {
  const bytes = readFileSync(path);
  const content = bytes.subarray(DIGEST_LENGTH + 1);
  if (bytes.toString('latin1', 0, DIGEST_LENGTH) !== hash('sha256', content)) {
    throw new UselessSnapshot('is damaged: its hash differs');
  }
  const end = content.indexOf(LINE_BREAK);
  const { fold, ...mark } = JSON.parse(content.toString('utf8', 0, end)) as Head;
  if (fold !== foldName) throw new UselessSnapshot('was made by another version of svc');
  return { ...mark, data: deserialize(content.subarray(end + 1)) as FoldData };
}

/** Makes the new name outlast a power cut. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
