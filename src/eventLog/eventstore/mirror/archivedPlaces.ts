import type { ArchivedEvents } from '../../archive/archivedEvents.ts';
import type { PositionRange } from '../../archive/segment.ts';

/**
 * The places of archived events that a mirror has not read. `$all` may have them or not, because a scavenge of EventStoreDB frees
 * their space chunk by chunk: every other event has the position that it has in a mirror that read them all.
 */
export class ArchivedPlaces {
  /** The last archived revision of each stream. */
  readonly #revisions = new Map<string, number>();
  /** In order, without overlap. */
  readonly #ranges: PositionRange[] = [];

  private constructor(archived: ArchivedEvents, after: number) {
    const ranges: PositionRange[] = [];
    for (const { number, status, header } of archived.segments()) {
      if (status !== 'archived' || header.last <= after) continue;
      for (const [stream, , revision] of header.streams)
        this.#revisions.set(stream, Math.max(revision, this.#revisions.get(stream) ?? -1));
      for (const range of archived.rangesOf(number)) if (range.last > after) ranges.push(range);
    }
    for (const { first, last } of ranges.toSorted((left, right) => left.first - right.first)) {
      const before = this.#ranges.at(-1);
      if (before && first <= before.last + 1)
        this.#ranges[this.#ranges.length - 1] = { first: before.first, last: Math.max(before.last, last) };
      else this.#ranges.push({ first, last });
    }
  }

  /** @param after position of the last mirrored event @returns undefined when nothing behind it is archived */
  static behind(archived: ArchivedEvents, after: number): ArchivedPlaces | undefined {
    const places = new ArchivedPlaces(archived, after);
    return places.#ranges.length === 0 ? undefined : places;
  }

  /** Whether an event that was not read before is archived. */
  has(stream: string, revision: number): boolean {
    return revision <= (this.#revisions.get(stream) ?? -1);
  }

  /** The first position after `after` that is not archived. */
  next(after: number): number {
    const range = this.#ranges[this.#lastBegunBy(after + 1)];
    return range && range.last > after ? range.last + 1 : after + 1;
  }

  /** Index of the last range that begins at or before a position; -1 when there is none. */
  #lastBegunBy(position: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle] as PositionRange).first <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
