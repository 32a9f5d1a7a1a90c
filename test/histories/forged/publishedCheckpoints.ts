import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LossAccepted } from '../../../src/domain/losses/events.ts';
import { leafEntryOf } from '../../../src/integrity/leaf/leafEntry.ts';
import { MerkleTree } from '../../../src/integrity/merkle/merkleTree.ts';
import { signCheckpoint } from '../../../src/integrity/notes/checkpoint.ts';
import { type SigningKey, signingKeyOf, type VerifierKey, verifierKey } from '../../../src/integrity/notes/noteKeys.ts';
import { type LogOrigin, logOrigin } from '../../../src/integrity/published/logOrigin.ts';
import type { LogRow } from './forgeries.ts';

/** The key of logs in tests. */
export const logKey: SigningKey = signingKeyOf(Buffer.alloc(32, 7));

/** The key of somebody else. */
export const otherKey: SigningKey = signingKeyOf(Buffer.alloc(32, 8));

/** The origin that follows from the rows of a log. */
export function originOf(rows: readonly LogRow[]): LogOrigin {
  const losses = rows.filter(({ type }) => type === LossAccepted.type);
  const last = losses.at(-1);
  const first = Buffer.from(leafEntryOf(rows[0] as LogRow));
  return logOrigin(first, last && { count: losses.length, lastEntry: Buffer.from(leafEntryOf(last)) });
}

export const vkeyOf = (rows: readonly LogRow[], key: SigningKey = logKey): VerifierKey =>
  verifierKey(originOf(rows).origin, key.publicKey);

/** The checkpoint over the first events of a log. */
export function checkpointOf(
  rows: readonly LogRow[],
  size: number,
  { key = logKey, extensions = [] }: { readonly key?: SigningKey; readonly extensions?: readonly string[] } = {},
): string {
  const tree = new MerkleTree();
  for (const row of rows.slice(0, size)) tree.append(leafEntryOf(row));
  return signCheckpoint({ origin: originOf(rows).origin, size, root: tree.root(), extensions }, [key]);
}

/** Publishes checkpoints of a log to a folder, as svc does. */
export function publish(rows: readonly LogRow[], folder: string, sizes: readonly number[], key = logKey): void {
  for (const size of sizes) {
    const name = `${String(size).padStart(16, '0')}.checkpoint`;
    const path = join(folder, originOf(rows).folder, '2026-01-01', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, checkpointOf(rows, size, { key }));
  }
}
