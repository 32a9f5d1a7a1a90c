import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { HotState, type HotStateData } from './hotState.ts';

/** The fold as it was at a position. */
export interface Checkpoint {
  readonly state: HotState;
  /** The latest time of any event up to there: no clock that lagged behind turns it back. */
  readonly latest: Instant;
}

/** What a snapshot holds of checkpoints. */
export interface CheckpointsData {
  readonly latest: Instant;
  readonly spacing: number;
  readonly kept: readonly { readonly state: Partial<HotStateData>; readonly latest: Instant }[];
}

interface Bounds {
  readonly checkpoints: number;
  /** In all of them together. */
  readonly subjects: number;
}
/** Beyond, every second one goes and they stand twice as far apart. */
const IN_MEMORY: Bounds = { checkpoints: 1_000, subjects: 250_000 };
/** Fewer, so that a start reads them in a tenth of a second. */
const IN_SNAPSHOT: Bounds = { checkpoints: 250, subjects: 60_000 };
const FIRST_SPACING = 1_000;
const BEGINNING: Checkpoint = { state: new HotState(), latest: instant(Number.MIN_SAFE_INTEGER) };

/**
 * Copies of the live fold, taken as it goes by: whoever asks for the past folds on from the nearest one instead of from
 * the beginning. A copy shares all immutable values with the fold and costs microseconds.
 */
export class Checkpoints {
  #latest: Instant = BEGINNING.latest;
  #spacing: number;
  #subjects = 0;
  #kept: Checkpoint[] = [];

  constructor(spacing = FIRST_SPACING) {
    this.#spacing = spacing;
  }

  static from({ latest, spacing, kept }: CheckpointsData): Checkpoints {
    const checkpoints = new Checkpoints(spacing);
    checkpoints.#latest = latest;
    checkpoints.#kept = kept.map((one) => ({ state: HotState.from(one.state), latest: one.latest }));
    checkpoints.#subjects = subjectsInAll(checkpoints.#kept);
    return checkpoints;
  }

  /** For a snapshot: those that stand far enough apart. */
  data(): CheckpointsData {
    let [spacing, kept] = [this.#spacing, this.#kept];
    while (isTooMuch(kept, subjectsInAll(kept), IN_SNAPSHOT)) {
      spacing *= 2;
      kept = thinned(kept, spacing);
    }
    const data = kept.map(({ state, latest }) => ({ state: pastDataOf(state), latest }));
    return { latest: this.#latest, spacing: this.#spacing, kept: data };
  }

  /** The latest time of any event folded so far. */
  get latest(): Instant {
    return this.#latest;
  }

  /** Told of every event, after `state` has folded it. */
  onFolded(state: HotState, { position, time }: Pick<RecordedEvent, 'position' | 'time'>): void {
    if (time > this.#latest) this.#latest = time;
    if (position % this.#spacing !== 0) return;
    this.#kept.push({ state: copyOf(state), latest: this.#latest });
    this.#subjects += subjectsIn(state);
    if (!isTooMuch(this.#kept, this.#subjects, IN_MEMORY)) return;
    this.#spacing *= 2;
    this.#kept = thinned(this.#kept, this.#spacing);
    this.#subjects = subjectsInAll(this.#kept);
  }

  /** The last one at or before a position. */
  atPosition(wanted: Position): Checkpoint {
    return this.#kept.findLast(({ state }) => state.position <= wanted) ?? BEGINNING;
  }

  /** The last one by which no event was later than `time`. */
  atTime(time: Instant): Checkpoint {
    return this.#kept.findLast(({ latest }) => latest <= time) ?? BEGINNING;
  }
}

const isTooMuch = (kept: readonly Checkpoint[], subjects: number, bounds: Bounds) =>
  kept.length > bounds.checkpoints || subjects > bounds.subjects;

const thinned = (kept: readonly Checkpoint[], spacing: number): Checkpoint[] =>
  kept.filter(({ state }) => state.position % spacing === 0);

const subjectsInAll = (kept: readonly Checkpoint[]): number =>
  kept.reduce((sum, { state }) => sum + subjectsIn(state), 0);

const subjectsIn = (state: HotState): number => MAPS.reduce((sum, name) => sum + state[name].size, state.counters.size);

/** Who is signed in, what is under way, which conversation is pinned where: no answer about the past is made from it. */
const LEFT_OUT: ReadonlySet<string> = new Set(['sessions', 'openRequests', 'pins', 'revisions']);

/** A state of the past as plain data. */
export const pastDataOf = (state: HotState): Partial<HotStateData> =>
  Object.fromEntries(Object.entries(state).filter(([name]) => !LEFT_OUT.has(name)));
const MAPS = ['accounts', 'links', 'tokens', 'usage', 'apiKeys', 'keyIdByHash'] as const;
const COPIED: ReadonlySet<string> = new Set([...MAPS, 'counters']);

/** A fold that can go on by itself, without what `LEFT_OUT` names. */
export function copyOf(state: HotState): HotState {
  const copy = new HotState();
  for (const [name, value] of Object.entries(state)) {
    if (!LEFT_OUT.has(name) && !COPIED.has(name)) Object.assign(copy, { [name]: value });
  }
  for (const name of MAPS) {
    const target: Map<unknown, unknown> = copy[name];
    for (const [id, value] of state[name]) target.set(id, value);
  }
  for (const [keyId, { byRule, lastUsedAt }] of state.counters) {
    const counters = [...byRule].map(([ruleId, counter]) => [ruleId, { ...counter }] as const);
    copy.counters.set(keyId, { byRule: new Map(counters), lastUsedAt });
  }
  return copy;
}
