import { BoundedCache, type CacheEntry, type CacheLimits } from '../requestBody/boundedCache.ts';
import { hasBytesAt } from '../requestBody/bytes.ts';
import { Byte } from '../requestBody/jsonScan.ts';
import type { JsonObject } from '../requestBody/parseJson.ts';
import type { Field } from './fields.ts';
import type { Member } from './scannedBody.ts';

/** A valid body without its `input` and its long values: they are slots, which have other values in other bodies. */
export interface BodyTemplate extends CacheEntry {
  /** The bytes outside the slots, concatenated. */
  readonly bytes: Buffer;
  readonly slots: readonly Slot[];
  /** Positions in the body that the template was made from; undefined when the provider accepts all but `input` unchanged. */
  readonly members: readonly Member[] | undefined;
  /** The values extracted from the members outside the slots, by name. */
  readonly values: Readonly<JsonObject>;
  /** Whether the body has the member `instructions`. */
  readonly hasInstructions: boolean;
}

/** A value of `field` belongs between `bytes[at - 1]` and `bytes[at]`. */
interface Slot {
  readonly at: number;
  readonly field: Field;
}

/** Shorter values are part of the template's bytes, unless they change every turn. */
const LONG_VALUE_BYTES = 128;

/** Common clients need some 300 bytes. */
const MAX_TEMPLATE_BYTES = 4_096;

/** Includes the extracted values, which are strings of two bytes per character, and the names of unknown members. */
const SIZE_PER_BYTE = 5;

/** Bytes of the objects that make up an entry, and of those for each member. */
const ENTRY_OVERHEAD = 800;
const MEMBER_OVERHEAD = 150;

/**
 * The templates of recent bodies. An agent sends the same members in every turn, so a few comparisons validate all of
 * them, instead of one or two for each.
 */
export class BodyTemplateCache {
  readonly #cache: BoundedCache<BodyTemplate>;

  constructor(limits: CacheLimits) {
    this.#cache = new BoundedCache(limits);
  }

  get size(): number {
    return this.#cache.size;
  }

  /** @returns a template whose bytes before the first and after the last slot match; those in between are not compared */
  find(hint: string, raw: Buffer): BodyTemplate | undefined {
    for (const template of this.#cache.get(hint)) {
      const { bytes, slots } = template;
      // The end first, because clients put the fields there that change from turn to turn.
      const { at } = slots[slots.length - 1] as Slot;
      const offset = raw.length - bytes.length;
      if (offset < 0 || !hasBytesAt(raw, offset, bytes, bytes.length, at)) continue;
      if (!hasBytesAt(raw, 0, bytes, (slots[0] as Slot).at)) continue;
      template.usedAt = this.#cache.tick();
      return template;
    }
    return undefined;
  }

  /** @param members all members of a valid body */
  remember(
    hint: string,
    raw: Buffer,
    members: readonly Member[],
    scanned: Pick<BodyTemplate, 'members' | 'values' | 'hasInstructions'>,
  ): void {
    const slots: Slot[] = [];
    const pieces: Buffer[] = [];
    let length = 0;
    let start = 0;
    for (const { field, valueStart, end } of members) {
      if (field.name !== 'input' && !isSlot(raw, field, valueStart, end)) continue;
      pieces.push(raw.subarray(start, valueStart));
      length += valueStart - start;
      slots.push({ at: length, field });
      start = end;
    }
    pieces.push(raw.subarray(start));
    length += raw.length - start;
    const size = length * SIZE_PER_BYTE + members.length * MEMBER_OVERHEAD + ENTRY_OVERHEAD;
    if (length > MAX_TEMPLATE_BYTES || !this.#cache.accepts(size)) return;
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for (const piece of pieces) at += piece.copy(bytes, at);
    // `find` only returns the first candidate, so the template may be cached already.
    for (const cached of this.#cache.get(hint)) if (isSameTemplate(cached, bytes, slots)) return;
    this.#cache.add(hint, { ...scanned, bytes, slots, size, usedAt: this.#cache.tick() });
  }
}

/**
 * @param ends where the values in the slots end in a body that matches the template
 * @returns the members of that body
 */
export function membersOf({ members, slots }: BodyTemplate, ends: readonly number[]): readonly Member[] | undefined {
  let slot = 0;
  let shift = 0;
  return members?.map(({ field, start, valueStart, end }) => {
    const newEnd = slots[slot]?.field === field ? (ends[slot++] as number) : end + shift;
    const member = { field, start: start + shift, valueStart: valueStart + shift, end: newEnd };
    shift = newEnd - end;
    return member;
  });
}

/** Only self-delimiting values from which nothing is extracted can be slots. */
function isSlot(raw: Buffer, { extract, changesEveryTurn }: Field, start: number, end: number): boolean {
  if (extract || (end - start <= LONG_VALUE_BYTES && !changesEveryTurn)) return false;
  const first = raw[start];
  return first === Byte.quote || first === Byte.openBrace || first === Byte.openBracket;
}

function isSameTemplate(template: BodyTemplate, bytes: Buffer, slots: readonly Slot[]): boolean {
  if (template.slots.length !== slots.length || !template.bytes.equals(bytes)) return false;
  return slots.every(({ at }, index) => at === template.slots[index]?.at);
}
