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
  const [ownLength, otherLength] = [left.times.length, right.times.length];
  const room = ownLength + otherLength;
  const [times, positions, kinds] = [new Float64Array(room), new Float64Array(room), new Uint32Array(room)];
  let [own, other, length] = [0, 0, 0];
  while (own < ownLength && other < otherLength) {
    const [at, otherAt] = [left.times[own] as number, right.times[other] as number];
    const [place, otherPlace] = [left.positions[own] as number, right.positions[other] as number];
    const isOwn = at < otherAt || (at === otherAt && place <= otherPlace);
    times[length] = isOwn ? at : otherAt;
    positions[length] = isOwn ? place : otherPlace;
    kinds[length++] = (isOwn ? left.kinds[own++] : right.kinds[other++]) as number;
    if (isOwn && place === otherPlace) other++;
  }
  const [rest, from] = own < ownLength ? [left, own] : [right, other];
  times.set(rest.times.subarray(from), length);
  positions.set(rest.positions.subarray(from), length);
  kinds.set(rest.kinds.subarray(from), length);
  length += rest.times.length - from;
  return {
    times: times.subarray(0, length),
    positions: positions.subarray(0, length),
    kinds: kinds.subarray(0, length),
  };
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

/** The wanted requests of a page, the latest first, and the number of all wanted ones. */
export function pageOfAttempts(
  { times, positions, kinds }: AttemptList,
  { from, to, upTo, bytes }: WantedAttempts,
  limit: number,
  offset: number,
): { readonly positions: number[]; readonly total: number } {
  const found: number[] = [];
  let total = 0;
  const first = indexOf(times, from, 0);
  for (let index = indexOf(times, to, 0) - 1; index >= first; index--) {
    if (bytes[(kinds[index] as number) - 1] !== 1 || (positions[index] as number) > upTo) continue;
    if (total >= offset && found.length < limit) found.push(positions[index] as number);
    total++;
  }
  return { positions: found, total };
}
