import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { signKeyChange } from '../../../src/integrity/keys/keyChange.ts';
import { signCheckpoint } from '../../../src/integrity/notes/checkpoint.ts';
import { type SigningKey, signingKeyOf, verifierKey } from '../../../src/integrity/notes/noteKeys.ts';
import { openTileStore } from '../../../src/integrity/tiles/sqliteTileStore.ts';
import { TreeReader, TreeWriter } from '../../../src/integrity/tiles/tileTree.ts';
import { LeafSource } from '../../../src/integrity/tree/leafSource.ts';

export const ORIGIN = 'svc/0123456789abcdef';
export const aKey = (byte: number): SigningKey => signingKeyOf(Buffer.alloc(32, byte));
export const vkeyOf = (key: SigningKey): string => verifierKey(ORIGIN, key.publicKey).vkey;

const SCHEMA = `
  CREATE TABLE notes (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, origin TEXT NOT NULL, size INTEGER NOT NULL, root TEXT NOT NULL,
    note TEXT NOT NULL, public_key TEXT NOT NULL, signed_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE cosignatures (seq INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (seq, line)) STRICT;
`;

export interface Signing {
  /** Sizes of the trees that get a checkpoint; default: 10, 50 and all. */
  readonly sizes?: readonly number[];
  /** The key, and the one that follows it from the last checkpoint on. */
  readonly keys?: readonly [SigningKey, SigningKey?];
  /** Leaves that tree.sqlite has; default: all. None makes no file. */
  readonly treeSize?: number;
}

/** Gives a data folder the tree and signed checkpoints of its log, as a service does. */
export function signFolder(folder: string, { sizes, keys = [aKey(1)], treeSize }: Signing = {}): void {
  const log = new LeafSource(join(folder, 'log.sqlite'));
  const { entries } = log.after(0, 1_000_000);
  log.close();
  const all = openTileStore(':memory:');
  const writer = new TreeWriter(all);
  writer.append(entries);
  const tree = new TreeReader(all);
  if (treeSize !== 0) {
    const store = openTileStore(join(folder, 'tree.sqlite'));
    new TreeWriter(store).append(entries.slice(0, treeSize));
    store.close();
  }
  const database = new DatabaseSync(join(folder, 'checkpoints.sqlite'));
  database.exec(`PRAGMA journal_mode = WAL; ${SCHEMA}`);
  const insert = database.prepare('INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const [first, next] = keys;
  const chosen = sizes ?? [10, 50, entries.length];
  let seq = 0;
  for (const size of chosen) {
    const root = tree.root(size);
    const isLast = size === chosen.at(-1);
    if (isLast && next) {
      const change = signKeyChange(ORIGIN, first, next);
      insert.run(++seq, 'keyChange', ORIGIN, size, root.toString('hex'), change, next.publicKey.toString('hex'), seq);
    }
    const key = isLast && next ? next : first;
    const note = signCheckpoint({ origin: ORIGIN, size, root, extensions: [] }, [key]);
    insert.run(++seq, 'checkpoint', ORIGIN, size, root.toString('hex'), note, key.publicKey.toString('hex'), seq);
  }
  database.close();
  all.close();
}
