import { TILE_WIDTH } from '../merkle/merkleTree.ts';

/** A tile of hashes, or a bundle of entries, as https://c2sp.org/tlog-tiles names it. */
export interface TileName {
  readonly level: number | 'entries';
  readonly index: number;
  /** 1 to 256; 256 for a full tile. */
  readonly width: number;
}

const LEVEL = /^(?:0|[1-9]\d?)$/;
const INDEX = /^(?:x\d{3}\/)*\d{3}$/;
const WIDTH = /^[1-9]\d{0,2}$/;
const MAX_LEVEL = 63;

/** For example `tile/0/x001/x234/067` or `tile/entries/003.p/12`. */
export const tilePath = ({ level, index, width }: TileName): string =>
  `tile/${level}/${encodeIndex(index)}${width === TILE_WIDTH ? '' : `.p/${width}`}`;

/** @returns undefined for any other path, also for another spelling of the same tile */
export function parseTilePath(path: string): TileName | undefined {
  const match = /^tile\/([^/]+)\/(.+?)(?:\.p\/(.+))?$/.exec(path);
  const [, levelText = '', indexText = '', widthText] = match ?? [];
  if (levelText !== 'entries' && !(LEVEL.test(levelText) && Number(levelText) <= MAX_LEVEL)) return undefined;
  if (!INDEX.test(indexText)) return undefined;
  const index = Number(indexText.replace(/[x/]/g, ''));
  if (!Number.isSafeInteger(index) || encodeIndex(index) !== indexText) return undefined;
  const width = widthText === undefined ? TILE_WIDTH : WIDTH.test(widthText) ? Number(widthText) : 0;
  if (width === 0 || (widthText !== undefined && width >= TILE_WIDTH)) return undefined;
  return { level: levelText === 'entries' ? 'entries' : Number(levelText), index, width };
}

/** The width that a tile has in a tree of this size; 0 when the tree has no such tile. */
export function tileWidth(level: number | 'entries', index: number, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level));
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** All tiles and bundles of a tree of this size, each in its width at that size. */
export function* tilesOf(size: number): Generator<TileName> {
  for (const level of ['entries', 0] as const) yield* tilesOfLevel(level, size);
  for (let level = 1; Math.floor(size / TILE_WIDTH ** level) > 0; level += 1) yield* tilesOfLevel(level, size);
}

function* tilesOfLevel(level: number | 'entries', size: number): Generator<TileName> {
  for (let index = 0; ; index += 1) {
    const width = tileWidth(level, index, size);
    if (width === 0) return;
    yield { level, index, width };
  }
}

function encodeIndex(index: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  return groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
}
