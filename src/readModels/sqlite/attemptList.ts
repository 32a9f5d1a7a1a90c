import type { Instant } from '../../domain/core/brands.ts';
import { indexOf } from '../columns/chunkRanges.ts';

/** Requests that tried an account before the one that served them, each once, in the order of their times and positions. */
export interface AttemptList {
  readonly times: Float64Array;
  readonly positions: Float64Array;
  /** Ids of the kinds of the requests. */
  readonly kinds: Uint32Array;
}

const NONE: AttemptList = {
  times: new Float64Array(0),
  positions: new Float64Array(0),
  kinds: new Uint32Array(0),
};

/** The requests of several lists; one that is in several of them is there once. */
export function mergedAttempts(lists: readonly AttemptList[]): AttemptList {
  const [first = NONE, ...others] = lists.filter(({ times }) => times.length > 0).sort(shortestFirst);
  return others.reduce(mergedPair, first);
}

const shortestFirst = (a: AttemptList, b: AttemptList): number => a.times.length - b.times.length;

function mergedPair(left: AttemptList, right: AttemptList): AttemptList {
  const room = left.times.length + right.times.length;
  const [times, positions, kinds] = [new Float64Array(room), new Float64Array(room), new Uint32Array(room)];
  let [own, other, length] = [0, 0, 0];
  while (own < left.times.length || other < right.times.length) {
    const order = compare(left, own, right, other);
    const [from, index] = order <= 0 ? [left, own] : [right, other];
    times[length] = from.times[index] as number;
    positions[length] = from.positions[index] as number;
    kinds[length++] = from.kinds[index] as number;
    if (order <= 0) own++;
    if (order >= 0) other++;
  }
  return length === room
    ? { times, positions, kinds }
    : { times: times.slice(0, length), positions: positions.slice(0, length), kinds: kinds.slice(0, length) };
}

/** Negative where the entry of the first list is before that of the second one. */
function compare(left: AttemptList, own: number, right: AttemptList, other: number): number {
  if (own >= left.times.length) return 1;
  if (other >= right.times.length) return -1;
  return (
    (left.times[own] as number) - (right.times[other] as number) ||
    (left.positions[own] as number) - (right.positions[other] as number)
  );
}

/** Which requests of a list are wanted; `to` is exclusive, `upTo` is not. */
export interface WantedAttempts {
  readonly from: Instant;
  readonly to: Instant;
  readonly upTo: number;
  /** One byte for each kind, which are numbered from 1 on: 1 for those that are wanted. */
  readonly bytes: Uint8Array;
}

/** Passes on the time and the kind of each wanted request, in the order of times. */
export function forEachAttempt(
  { times, positions, kinds }: AttemptList,
  { from, to, upTo, bytes }: WantedAttempts,
  visit: (at: number, kindId: number) => void,
): void {
  const end = indexOf(times, to, 0);
  for (let index = indexOf(times, from, 0); index < end; index++) {
    const kind = kinds[index] as number;
    if (bytes[kind - 1] === 1 && (positions[index] as number) <= upTo) visit(times[index] as number, kind);
  }
}
