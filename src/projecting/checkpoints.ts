import { type Instant, instant, type Position } from '../domain/brands.ts';
import type { RecordedEvent } from '../log/eventLog.ts';
import { HotState } from './hotState.ts';

/** The fold as it was at a position. */
export interface Checkpoint {
  readonly state: HotState;
  /** The latest time of any event up to there: no clock that lagged behind turns it back. */
  readonly latest: Instant;
}

/** At most so many, and so many subjects in all of them: beyond, every second one goes and they stand twice as far apart. */
const MOST = 1_000;
const MOST_SUBJECTS = 250_000;
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

  /** The latest time of any event folded so far. */
  get latest(): Instant {
    return this.#latest;
  }

  /** Told of every event, after `state` has folded it. */
  onFolded(state: HotState, { position, time }: RecordedEvent): void {
    if (time > this.#latest) this.#latest = time;
    if (position % this.#spacing !== 0) return;
    this.#kept.push({ state: copyOf(state), latest: this.#latest });
    this.#subjects += subjectsIn(state);
    if (this.#kept.length <= MOST && this.#subjects <= MOST_SUBJECTS) return;
    this.#spacing *= 2;
    this.#kept = this.#kept.filter((checkpoint) => checkpoint.state.position % this.#spacing === 0);
    this.#subjects = this.#kept.reduce((sum, checkpoint) => sum + subjectsIn(checkpoint.state), 0);
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

const subjectsIn = (state: HotState): number => MAPS.reduce((sum, name) => sum + state[name].size, state.counters.size);

/** Who is signed in, what is under way, which conversation is pinned where: no answer about the past is made from it. */
const LEFT_OUT: ReadonlySet<string> = new Set(['sessions', 'openRequests', 'pins', 'revisions']);
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
