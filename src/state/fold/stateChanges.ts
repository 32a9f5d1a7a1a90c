import { isDeepStrictEqual } from 'node:util';
import type { HotStateData } from './hotState.ts';

/** The parts of a state as plain data. */
export type StateData = Partial<HotStateData>;

/** How a state differs from the one before it. */
export interface StateChanges {
  /** Parts that have another value. */
  readonly parts: Readonly<Record<string, unknown>>;
  /** Parts that are maps of which a few entries differ. */
  readonly maps: Readonly<Record<string, MapChanges>>;
}

interface MapChanges {
  readonly removed: readonly unknown[];
  readonly set: readonly (readonly [key: unknown, value: unknown])[];
}

type AnyMap = ReadonlyMap<unknown, unknown>;

/** The changes with which `withChanges` makes `after` of `before`. Values are shared with `after`. */
export function changesBetween(before: StateData, after: StateData): StateChanges {
  const parts: Record<string, unknown> = {};
  const maps: Record<string, MapChanges> = {};
  const earlier = before as Record<string, unknown>;
  for (const [name, value] of Object.entries(after)) {
    const was = earlier[name];
    if (value === was) continue;
    const changes = value instanceof Map && was instanceof Map ? mapChanges(was, value) : undefined;
    if (!changes) parts[name] = value;
    else if (changes.removed.length + changes.set.length > 0) maps[name] = changes;
  }
  return { parts, maps };
}

/** The state after changes in their order. Values are shared with `before` and the changes; maps are not. */
export function withChanges(before: StateData, changes: readonly StateChanges[]): StateData {
  const after: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(before)) after[name] = copyOfMap(value);
  for (const { parts, maps } of changes) {
    for (const [name, value] of Object.entries(parts)) after[name] = copyOfMap(value);
    for (const [name, { removed, set }] of Object.entries(maps)) {
      const map = after[name] as Map<unknown, unknown>;
      for (const key of removed) map.delete(key);
      for (const [key, value] of set) map.set(key, value);
    }
  }
  return after;
}

const copyOfMap = (value: unknown): unknown => (value instanceof Map ? new Map(value as AnyMap) : value);

/**
 * One walk through both maps, which have nearly all keys in common: a live fold does it for thousands of entries.
 * @returns undefined when the changes would give another order of the entries
 */
function mapChanges(before: AnyMap, after: AnyMap): MapChanges | undefined {
  const removed: unknown[] = [];
  const set: [key: unknown, value: unknown][] = [];
  const earlier = before.entries();
  let was = earlier.next();
  for (const [key, value] of after) {
    while (!was.done && was.value[0] !== key && !after.has(was.value[0])) {
      removed.push(was.value[0]);
      was = earlier.next();
    }
    if (was.done) {
      if (before.has(key)) return undefined;
      set.push([key, value]);
      continue;
    }
    if (was.value[0] !== key) return undefined;
    if (!isSame(was.value[1], value)) set.push([key, value]);
    was = earlier.next();
  }
  for (; !was.done; was = earlier.next()) removed.push(was.value[0]);
  return { removed, set };
}

/** Most values are the same objects; counters are copies, of which few differ. */
const isSame = (left: unknown, right: unknown): boolean => left === right || isDeepStrictEqual(left, right);
