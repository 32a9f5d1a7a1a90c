import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Consecutive positions that the index does not distinguish. */
export const BLOCK_SIZE = 256;
/** Blocks of one segment, one bit each. */
const BLOCKS_PER_SEGMENT = 64;
/** Consecutive positions that share one entry per fragment. */
export const SEGMENT_SIZE = BLOCK_SIZE * BLOCKS_PER_SEGMENT;

/** Hexadecimal digits of a fragment. */
const FRAGMENT_DIGITS = 4;
/** Fragments of a search text that are looked up: each further one reduces the blocks to a ninth. */
const MAX_FRAGMENTS_PER_SEARCH = 8;
/** Looking up an id in this many segments takes as long as another fragment. */
const FEW_SEGMENTS = 12;
const BYTES_OF_FRAGMENT = BLOCKS_PER_SEGMENT / 8;
const ROW_BYTES = 256 * BYTES_OF_FRAGMENT;

/**
 * For every fragment of four hexadecimal digits, the blocks of a segment with an id that contains it: one bit per block, one
 * row per pair of leading digits. A search by a part of an id then reads only the blocks that contain all of its fragments. Rows of a
 * pair are neighbours, so that a fragment is looked up in all segments at once.
 */
export class RequestIdFragments {
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor(database: DatabaseSync) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS idParts (stretch INTEGER, pair INTEGER, blocks BLOB NOT NULL,
        PRIMARY KEY (pair, stretch)) STRICT, WITHOUT ROWID`);
    this.#insert = database.prepare('INSERT INTO idParts (stretch, pair, blocks) VALUES (?, ?, ?)');
    this.#select = database.prepare(
      `SELECT stretch, substr(blocks, ?, ${BYTES_OF_FRAGMENT}) FROM idParts WHERE pair = ? AND stretch < ?`,
    );
    this.#select.setReturnArrays(true);
  }

  /** @param ids the ids of the segment with their positions */
  add(segment: number, ids: Iterable<readonly [position: number, id: string]>): void {
    const bits = new Uint8Array(256 * ROW_BYTES);
    for (const [position, id] of ids) {
      const block = Math.floor((position % SEGMENT_SIZE) / BLOCK_SIZE);
      const [byte, bit] = [block >> 3, 1 << (block & 7)];
      forEachFragment(id, (fragment) => {
        const at = fragment * BYTES_OF_FRAGMENT + byte;
        bits[at] = (bits[at] as number) | bit;
      });
    }
    for (let pair = 0; pair < 256; pair++) {
      this.#insert.run(segment, pair, bits.subarray(pair * ROW_BYTES, (pair + 1) * ROW_BYTES));
    }
  }

  /**
   * First positions of the blocks that may contain an id with this text, in their order.
   * @param text at least four hexadecimal digits
   * @param segments the number of segments, from the first one on
   */
  blocksWith(text: string, segments: number): number[] {
    const found: number[] = [];
    this.#blocks(text, segments, 0).forEach((byte, index) => {
      for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) found.push((index * 8 + bit) * BLOCK_SIZE);
    });
    return found;
  }

  /**
   * The segments that may contain an id with this text, in their order; all of them for a text without four hexadecimal digits in a row.
   * @param segments the number of segments, from the first one on
   */
  segmentsWith(text: string, segments: number): number[] {
    return segmentsOf(this.#blocks(text, segments, FEW_SEGMENTS));
  }

  /**
   * One bit for each block that may contain an id with this text.
   * @param enough fragments are looked up until no more segments than this have such blocks
   */
  #blocks(text: string, segments: number, enough: number): Uint8Array {
    const all: number[] = [];
    forEachFragment(text, (fragment) => all.push(fragment));
    const fragments = all.filter((_, index) => index % Math.ceil(all.length / MAX_FRAGMENTS_PER_SEARCH) === 0);
    const common = new Uint8Array(segments * BYTES_OF_FRAGMENT).fill(0xff);
    for (const fragment of fragments) {
      if (segmentsOf(common).length <= enough) break;
      const own = new Uint8Array(common.length);
      const rows = this.#select.all((fragment & 0xff) * BYTES_OF_FRAGMENT + 1, fragment >> 8, segments);
      for (const [segment, blocks] of rows as unknown as Iterable<readonly [number, Uint8Array]>)
        own.set(blocks, segment * BYTES_OF_FRAGMENT);
      for (let index = 0; index < common.length; index++)
        common[index] = (common[index] as number) & (own[index] as number);
    }
    return common;
  }
}

/** The segments of which any block has its bit set. */
function segmentsOf(blocks: Uint8Array): number[] {
  const found: number[] = [];
  for (let first = 0; first < blocks.length; first += BYTES_OF_FRAGMENT)
    if (blocks.subarray(first, first + BYTES_OF_FRAGMENT).some((byte) => byte !== 0))
      found.push(first / BYTES_OF_FRAGMENT);
  return found;
}

/** Calls back with every fragment of a text, as a number. */
function forEachFragment(text: string, callback: (fragment: number) => void): void {
  let [value, digits] = [0, 0];
  for (let index = 0; index < text.length; index++) {
    const digit = hexDigit(text.charCodeAt(index));
    digits = digit === -1 ? 0 : digits + 1;
    value = ((value << 4) | digit) & 0xffff;
    if (digits >= FRAGMENT_DIGITS) callback(value);
  }
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}
