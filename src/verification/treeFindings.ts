import type { DatabaseSync } from 'node:sqlite';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { EVENT_COLUMNS } from '../eventLog/sqlite/eventTuple.ts';
import { isNamed, type LeafEntry, leafEntryOf, parseLeafEntry, type StoredRow } from '../integrity/leaf/leafEntry.ts';
import { HASH_BYTES, leafHash } from '../integrity/merkle/hashes.ts';
import { TILE_WIDTH } from '../integrity/merkle/merkleTree.ts';
import { openTileReader } from '../integrity/tiles/sqliteTileStore.ts';
import type { TileReader } from '../integrity/tiles/tileStore.ts';
import { TreeReader } from '../integrity/tiles/tileTree.ts';
import type { Finding } from './finding.ts';
import { upperTilesDiffer } from './upperTiles.ts';

export interface TreeComparison {
  /** Paths or `file:` URIs. */
  readonly log: string;
  readonly tree: string;
  /** Indexes of the leaves that both have and that differ, in order. */
  readonly differing: readonly number[];
  /** The roots of the full tiles of the log, 32 bytes each. */
  readonly tileRoots: Buffer;
  /** The log up to this position is what a signed checkpoint covers: then the tree was changed. */
  readonly vouchedTo: number;
  /** The leaf entries of archived events. */
  readonly archived?: ArchivedEntries | undefined;
}

export interface ArchivedEntries {
  /** @returns undefined for a position that is not archived */
  readonly entryAt: (position: number) => string | undefined;
  /** Whether they are those that were sealed: then the tree was changed. */
  readonly areSealed: boolean;
}

const MAX_MOVED = 1_000;

/** Says what leaves that `tree.sqlite` has otherwise than the log mean. */
export function treeFindings({ log, tree, differing, tileRoots, vouchedTo, archived }: TreeComparison): Finding[] {
  const database = openForReading(log);
  const tiles = openTileReader(tree);
  try {
    const leaves = new ComparedLeaves(database, tiles, archived);
    const findings: Finding[] = [];
    const changedStreams = new Set<string>();
    for (const index of differing) {
      const difference = leaves.explain(index, index < vouchedTo);
      if (!difference) continue;
      const { finding, isConsequence, isMove } = difference;
      // Behind a changed event of a stream the hashes of all further ones are others.
      if (!isConsequence || !changedStreams.has(finding.stream ?? '')) findings.push(finding);
      if (finding.stream !== null) changedStreams.add(finding.stream);
      if (isMove) break;
    }
    if (findings.length === 0 && upperTilesDiffer(tiles, tileRoots)) {
      findings.push(changedTree(null, 'hashes of the tiles below', 'others in a tile above the leaves'));
    }
    return findings;
  } finally {
    tiles.close();
    database.close();
  }
}

interface Difference {
  readonly finding: Finding;
  /** Only the metadata differs, as it does behind a changed event of the stream. */
  readonly isConsequence: boolean;
  /** Another event stands there, so that all further leaves differ. */
  readonly isMove: boolean;
}

const changedTree = (position: number | null, expected: string, found: string): Finding => ({
  kind: 'edited',
  position,
  stream: 'tree.sqlite',
  expected,
  found,
});

class ComparedLeaves {
  readonly #row;
  readonly #reader: TreeReader;
  readonly #tiles: TileReader;

  readonly #archived: ArchivedEntries | undefined;

  constructor(database: DatabaseSync, tiles: TileReader, archived: ArchivedEntries | undefined) {
    this.#archived = archived;
    this.#row = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE position = ?`);
    this.#tiles = tiles;
    this.#reader = new TreeReader(tiles);
  }

  explain(index: number, isVouched: boolean): Difference | undefined {
    const position = index + 1;
    const [row, theirs] = [this.#rowAt(index), this.#entryAt(index)];
    const own = row ? leafEntryOf(row) : this.#archived?.entryAt(position);
    if (own === undefined) return undefined;
    const asTreeChange = (found: string): Difference => ({
      finding: changedTree(position, own, found),
      isConsequence: false,
      isMove: false,
    });
    if (!theirs) return asTreeChange('an entry that is not one');
    if (!this.#isHashed(index, theirs.text)) return asTreeChange(`another hash or entry: ${theirs.text}`);
    if (isVouched) return asTreeChange(theirs.text);
    if (!row) return this.#archived?.areSealed ? asTreeChange(theirs.text) : archivedChange(position, own, theirs.text);
    if (isNamed(theirs.entry.id, row.id)) return this.#otherContent(row, own, theirs);
    return this.#otherEvent(index, row, theirs);
  }

  #otherContent(row: StoredRow, own: string, { entry, text }: KnownEntry): Difference {
    const isConsequence = JSON.stringify({ ...entry, metadataSha256: '' }) === withoutMetadata(own);
    const { position, stream } = row;
    const expected = `the event of the leaf entry in tree.sqlite, ${text}`;
    return {
      finding: { kind: 'rehashed', position, stream, expected, found: own },
      isConsequence,
      isMove: false,
    };
  }

  /** Finds out by their ids which events are missing, or were not there. */
  #otherEvent(index: number, row: StoredRow, { entry }: KnownEntry): Difference {
    const position = index + 1;
    const expected = `event ${nameText(entry.id)} of ${nameText(entry.stream)}, as tree.sqlite says`;
    const of = (kind: Finding['kind'], stream: string | null, found: string): Difference => ({
      finding: { kind, position, stream, expected, found },
      isConsequence: false,
      isMove: true,
    });
    const stream = typeof entry.stream === 'string' ? entry.stream : null;
    const ownIsAt = this.#find(index, (at) => isNamed(this.#entryAt(at)?.entry.id ?? null, row.id));
    const theirsIsAt = this.#find(index, (at) => isNamed(entry.id, this.#rowAt(at)?.id ?? ''));
    const place = `event ${row.id} of ${row.stream}`;
    if (ownIsAt !== undefined && theirsIsAt !== undefined)
      return of('reordered', row.stream, `${place}, which comes later`);
    if (ownIsAt !== undefined) return of('deleted', stream, `${place}, which stood at position ${ownIsAt + 1}`);
    if (theirsIsAt !== undefined) return of('inserted', row.stream, `${place} before it`);
    return of('rehashed', row.stream, place);
  }

  #find(index: number, matches: (at: number) => boolean): number | undefined {
    for (let at = index + 1; at <= index + MAX_MOVED; at += 1) if (matches(at)) return at;
    return undefined;
  }

  #rowAt(index: number): StoredRow | undefined {
    return this.#row.get(index + 1) as StoredRow | undefined;
  }

  #entryAt(index: number): KnownEntry | undefined {
    try {
      const text = this.#reader.entry(index)?.toString();
      return text === undefined ? undefined : { text, entry: parseLeafEntry(text) };
    } catch {
      return undefined;
    }
  }

  #isHashed(index: number, entry: string): boolean {
    const at = (index % TILE_WIDTH) * HASH_BYTES;
    const tile = this.#tiles.readTile(0, Math.floor(index / TILE_WIDTH));
    return tile?.subarray(at, at + HASH_BYTES).equals(leafHash(entry)) ?? false;
  }
}

const archivedChange = (position: number, own: string, theirs: string): Difference => ({
  finding: {
    kind: 'edited',
    position,
    stream: 'archive.sqlite',
    expected: `the leaf entry in tree.sqlite, ${theirs}`,
    found: own,
  },
  isConsequence: false,
  isMove: false,
});

interface KnownEntry {
  readonly text: string;
  readonly entry: LeafEntry;
}

const withoutMetadata = (entry: string): string => JSON.stringify({ ...parseLeafEntry(entry), metadataSha256: '' });

const nameText = (name: LeafEntry['id']): string => (typeof name === 'string' ? name : `with SHA-256 ${name.sha256}`);
