import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Position, position } from '../../domain/core/brands.ts';

/** Number of consecutive positions whose entries share one row of a list. */
const BLOCK_SIZE = 1_024;

/** Identifies the list of positions with a label and a type. */
export interface PostingList {
  readonly label: number;
  readonly type: number;
}

/** Blocks of one list that are not written yet, in order. */
type PendingBlocks = { readonly block: number; readonly offsets: number[] }[];

/**
 * Posting lists: sorted lists of positions. A row stores a block of one list with two bytes per position, so entries of long
 * lists are almost free, and an entry of a short list costs no more than an index row.
 */
export class Postings {
  readonly #append: StatementSync;
  readonly #blocks: StatementSync;
  /** By label, then by type. */
  readonly #pending = new Map<number, Map<number, PendingBlocks>>();

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

  /** Positions of one list must be added in order. */
  add(label: number, type: number, at: Position): void {
    const list = this.#pending.get(label)?.get(type) ?? this.#begin(label, type);
    const block = Math.floor(at / BLOCK_SIZE);
    const last = list.at(-1);
    if (last?.block === block) last.offsets.push(at % BLOCK_SIZE);
    else list.push({ block, offsets: [at % BLOCK_SIZE] });
  }

  #begin(label: number, type: number): PendingBlocks {
    const list: PendingBlocks = [];
    const types = this.#pending.get(label) ?? new Map<number, PendingBlocks>();
    this.#pending.set(label, types.set(type, list));
    return list;
  }

  /** Writes the positions added since the last flush, within the caller's transaction. */
  flush(): void {
    for (const [label, types] of this.#pending) {
      for (const [type, blocks] of types) {
        for (const { block, offsets } of blocks) this.#append.run(label, type, block, encode(offsets));
      }
    }
    this.clear();
  }

  /** Discards the positions added since the last flush. */
  clear(): void {
    this.#pending.clear();
  }

  /** Positions after `after` up to `upTo` that are in any of the lists, latest first. */
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
