import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Rows next to each other that are told apart no further. */
export const BLOCK_SIZE = 256;
/** Blocks of one stretch, a bit each. */
const BLOCKS_PER_SEGMENT = 64;
/** So many neighbouring positions share one entry for each part. */
export const SEGMENT_SIZE = BLOCK_SIZE * BLOCKS_PER_SEGMENT;

/** Hexadecimal digits of a part that is looked up by itself. */
const FRAGMENT_DIGITS = 4;
/** Parts of one search that are looked up: each further one leaves a ninth of the blocks. */
const MAX_FRAGMENTS_PER_SEARCH = 8;
const ROW_BYTES = (256 * BLOCKS_PER_SEGMENT) / 8;

/**
 * In which blocks of a stretch any four neighbouring hexadecimal digits stand within an id: a bit for each block, a row
 * for each pair of first digits. A search by a part of an id then reads the few blocks that have all of its digits.
 */
export class RequestIdFragments {
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor(database: DatabaseSync) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS idParts (stretch INTEGER, pair INTEGER, blocks BLOB NOT NULL,
        PRIMARY KEY (stretch, pair)) STRICT, WITHOUT ROWID`);
    this.#insert = database.prepare('INSERT INTO idParts VALUES (?, ?, ?)');
    this.#select = database.prepare(
      `SELECT substr(blocks, ?, ${BLOCKS_PER_SEGMENT / 8}) AS blocks FROM idParts WHERE stretch = ? AND pair = ?`,
    );
  }

  /** @param ids of the stretch, with their positions */
  add(stretch: number, ids: Iterable<readonly [position: number, id: string]>): void {
    const bits = new Uint8Array(256 * ROW_BYTES);
    for (const [position, id] of ids) {
      const block = Math.floor((position % SEGMENT_SIZE) / BLOCK_SIZE);
      const [byte, bit] = [block >> 3, 1 << (block & 7)];
      forEachFragment(id, (part) => {
        const at = part * (BLOCKS_PER_SEGMENT / 8) + byte;
        bits[at] = (bits[at] as number) | bit;
      });
    }
    for (let pair = 0; pair < 256; pair++) {
      this.#insert.run(stretch, pair, bits.subarray(pair * ROW_BYTES, (pair + 1) * ROW_BYTES));
    }
  }

  /** First positions of the blocks of a stretch that may hold an id with this part, of at least four digits. */
  blocksWith(text: string, stretch: number): number[] {
    const all: number[] = [];
    forEachFragment(text, (part) => all.push(part));
    const parts = all.filter((_, index) => index % Math.ceil(all.length / MAX_FRAGMENTS_PER_SEARCH) === 0);
    let common: Uint8Array | undefined;
    for (const part of parts) {
      const row = this.#select.get((part & 0xff) * (BLOCKS_PER_SEGMENT / 8) + 1, stretch, part >> 8);
      const blocks = row?.blocks as Uint8Array;
      common = common ? common.map((byte, index) => byte & (blocks[index] as number)) : blocks;
      if (common.every((byte) => byte === 0)) return [];
    }
    return Array.from({ length: BLOCKS_PER_SEGMENT }, (_, block) => block)
      .filter((block) => ((common?.[block >> 3] as number) >> (block & 7)) & 1)
      .map((block) => stretch * SEGMENT_SIZE + block * BLOCK_SIZE);
  }
}

/** Every four neighbouring hexadecimal digits, as numbers. */
function forEachFragment(text: string, tell: (part: number) => void): void {
  let [value, digits] = [0, 0];
  for (let index = 0; index < text.length; index++) {
    const digit = hexDigit(text.charCodeAt(index));
    digits = digit === -1 ? 0 : digits + 1;
    value = ((value << 4) | digit) & 0xffff;
    if (digits >= FRAGMENT_DIGITS) tell(value);
  }
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}
