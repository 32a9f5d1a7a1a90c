import { DatabaseSync } from 'node:sqlite';
import { leafEntryOf, type StoredRow } from '../../../src/integrity/leaf/leafEntry.ts';
import { MerkleTree } from '../../../src/integrity/merkle/merkleTree.ts';

/** The rows of a log's file, in order. */
export function rowsOf(logPath: string): StoredRow[] {
  using database = new DatabaseSync(logPath, { readOnly: true });
  return database.prepare('SELECT * FROM events ORDER BY position').all() as unknown as StoredRow[];
}

/** The root over the rows of a log without gaps. @param size of the first rows; default all */
export function rootOfLog(logPath: string, size?: number): Buffer {
  const tree = new MerkleTree();
  for (const row of rowsOf(logPath).slice(0, size)) tree.append(leafEntryOf(row));
  return tree.root();
}
