import { BoundedPools, type PoolEntry, type PoolsOptions } from '../requestBody/boundedPools.ts';
import { Byte } from '../requestBody/jsonScan.ts';
import { holdsBytes } from '../requestBody/ownedBytes.ts';
import type { JsonObject } from '../requestBody/parseJson.ts';
import type { Member } from './envelope.ts';
import type { Field } from './fields.ts';

/** A body without its `input` and its long values, which are kept elsewhere: gaps that other bodies fill. */
export interface KnownFrame extends PoolEntry {
  /** The bytes outside the gaps, one piece after the other. */
  readonly bytes: Buffer;
  readonly gaps: readonly Gap[];
  /** Where they stood when the frame was remembered; undefined when the provider accepts all but `input` as they are. */
  readonly members: readonly Member[] | undefined;
  /** What is read of the members outside the gaps, by their names. */
  readonly values: Readonly<JsonObject>;
  /** It has instructions in their own member. */
  readonly isInstructed: boolean;
}

/** A value of this member comes behind `bytes` up to `at`. */
interface Gap {
  readonly at: number;
  readonly field: Field;
}

/** What is shorter is compared with what stands around it, unless it changes from turn to turn. */
const LONG = 128;

/** Clients of today need some 300 bytes. */
const MAX_FRAME_BYTES = 4_096;

/** What is read of the bytes is counted with them: strings of two bytes a character, and the names of unknown members. */
const BYTES_EACH = 5;

/** Objects that an entry consists of besides its bytes, and what each member adds. */
const OVERHEAD = 800;
const MEMBER_OVERHEAD = 150;

/**
 * What surrounds the conversations of recent bodies. An agent sends the same members in every turn: a few comparisons prove
 * them all, instead of one or two for each.
 */
export class KnownFrames {
  readonly #pools: BoundedPools<KnownFrame>;

  constructor(options: PoolsOptions) {
    this.#pools = new BoundedPools(options);
  }

  get size(): number {
    return this.#pools.size;
  }

  /** @returns the frame whose last piece ends `raw` and whose first piece starts it; what is between is not looked at */
  find(hint: string, raw: Buffer): KnownFrame | undefined {
    for (const frame of this.#pools.entriesOf(hint)) {
      const { bytes, gaps } = frame;
      // The end first: what a client changes from turn to turn stands there.
      const { at } = gaps[gaps.length - 1] as Gap;
      const offset = raw.length - bytes.length;
      if (offset < 0 || !holdsBytes(raw, offset, bytes, bytes.length, at)) continue;
      if (!holdsBytes(raw, 0, bytes, (gaps[0] as Gap).at)) continue;
      frame.usedAt = this.#pools.tick();
      return frame;
    }
    return undefined;
  }

  /** @param members all of a good body */
  remember(
    hint: string,
    raw: Buffer,
    members: readonly Member[],
    found: Pick<KnownFrame, 'members' | 'values' | 'isInstructed'>,
  ): void {
    const gaps: Gap[] = [];
    const pieces: Buffer[] = [];
    let length = 0;
    let start = 0;
    for (const { field, valueStart, end } of members) {
      if (field.name !== 'input' && !isApart(raw, field, valueStart, end)) continue;
      pieces.push(raw.subarray(start, valueStart));
      length += valueStart - start;
      gaps.push({ at: length, field });
      start = end;
    }
    pieces.push(raw.subarray(start));
    length += raw.length - start;
    const size = length * BYTES_EACH + members.length * MEMBER_OVERHEAD + OVERHEAD;
    if (length > MAX_FRAME_BYTES || !this.#pools.takes(size)) return;
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for (const piece of pieces) at += piece.copy(bytes, at);
    // The same around another input, which was longer or shorter or not yet known.
    for (const known of this.#pools.entriesOf(hint)) if (isSame(known, bytes, gaps)) return;
    this.#pools.add(hint, { ...found, bytes, gaps, size, usedAt: this.#pools.tick() });
  }
}

/** @returns the members of a body of that frame, in which the gaps are filled up to `ends` */
export function membersIn({ members, gaps }: KnownFrame, ends: readonly number[]): readonly Member[] | undefined {
  let gap = 0;
  let shift = 0;
  return members?.map(({ field, start, valueStart, end }) => {
    const newEnd = gaps[gap]?.field === field ? (ends[gap++] as number) : end + shift;
    const moved = { field, start: start + shift, valueStart: valueStart + shift, end: newEnd };
    shift = newEnd - end;
    return moved;
  });
}

/** Only of what ends where it ends, and of which nothing is read. */
function isApart(raw: Buffer, { read, isVaried }: Field, start: number, end: number): boolean {
  if (read || (end - start <= LONG && !isVaried)) return false;
  const first = raw[start];
  return first === Byte.quote || first === Byte.openBrace || first === Byte.openBracket;
}

function isSame(known: KnownFrame, bytes: Buffer, gaps: readonly Gap[]): boolean {
  if (known.gaps.length !== gaps.length || !known.bytes.equals(bytes)) return false;
  return gaps.every(({ at }, index) => at === known.gaps[index]?.at);
}
