import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Position, position } from '../../domain/core/brands.ts';

/** So many neighbouring positions of a list share one row. */
const BLOCK_SIZE = 1_024;

/** Positions that have a label and a type in common. */
export interface PostingList {
  readonly label: number;
  readonly type: number;
}

/** Blocks of one list, in order. */
type PendingBlocks = { readonly block: number; readonly offsets: number[] }[];

/**
 * Sorted lists of positions. A row holds a block of one list, two bytes for each position: an entry of a long list costs
 * next to nothing, one of a short list no more than a row of an index.
 */
export class Postings {
  readonly #append: StatementSync;
  readonly #blocks: StatementSync;
  /** By label, then by type. */
  readonly #growing = new Map<number, Map<number, PendingBlocks>>();

  constructor(database: DatabaseSync) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS postings (label INTEGER, type INTEGER, block INTEGER, offsets BLOB NOT NULL,
        PRIMARY KEY (label, type, block)) STRICT, WITHOUT ROWID`);
    this.#append = database.prepare(`
      INSERT INTO postings VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET offsets = CAST(offsets || excluded.offsets AS BLOB)`);
    this.#blocks = database.prepare(
      'SELECT block, offsets FROM postings WHERE label = ? AND type = ? AND block <= ? AND block >= ? ORDER BY block DESC',
    );
  }

  /** Positions of one list come in order. */
  add(label: number, type: number, at: Position): void {
    const list = this.#growing.get(label)?.get(type) ?? this.#begin(label, type);
    const block = Math.floor(at / BLOCK_SIZE);
    const last = list.at(-1);
    if (last?.block === block) last.offsets.push(at % BLOCK_SIZE);
    else list.push({ block, offsets: [at % BLOCK_SIZE] });
  }

  #begin(label: number, type: number): PendingBlocks {
    const list: PendingBlocks = [];
    const types = this.#growing.get(label) ?? new Map<number, PendingBlocks>();
    this.#growing.set(label, types.set(type, list));
    return list;
  }

  /** Writes what was added since the last time, within the caller's transaction. */
  flush(): void {
    for (const [label, types] of this.#growing) {
      for (const [type, blocks] of types) {
        for (const { block, offsets } of blocks) this.#append.run(label, type, block, encode(offsets));
      }
    }
    this.clear();
  }

  /** Forgets what was added since the last flush. */
  clear(): void {
    this.#growing.clear();
  }

  /** Positions behind `after` up to `upTo` that stand in any of the lists, the last first. */
  last(lists: readonly PostingList[], after: number, upTo: number, limit: number): Position[] {
    const found = new Set<Position>();
    for (const list of lists) for (const at of this.#lastOf(list, after, upTo, limit)) found.add(at);
    return [...found].sort((a, b) => b - a).slice(0, limit);
  }

  #lastOf({ label, type }: PostingList, after: number, upTo: number, limit: number): Position[] {
    const found: Position[] = [];
    const [newest, oldest] = [Math.floor(upTo / BLOCK_SIZE), Math.floor((after + 1) / BLOCK_SIZE)];
    for (const { block, offsets } of this.#blocks.iterate(label, type, newest, oldest)) {
      const bytes = offsets as Uint8Array;
      for (let index = bytes.length - 2; index >= 0; index -= 2) {
        const at = (block as number) * BLOCK_SIZE + (bytes[index] as number) + (bytes[index + 1] as number) * 256;
        if (at > upTo) continue;
        if (at <= after) return found;
        found.push(position(at));
        if (found.length === limit) return found;
      }
    }
    return found;
  }
}

function encode(offsets: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(offsets.length * 2);
  offsets.forEach((offset, index) => {
    bytes[index * 2] = offset & 0xff;
    bytes[index * 2 + 1] = offset >> 8;
  });
  return bytes;
}
