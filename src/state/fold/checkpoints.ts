import type { PartOfLog, Stretch } from '../../domain/clock/stretches.ts';
import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import type { AnswerHistory } from './answerHistory.ts';
import { GROUP_SIZE, type GroupData, groupOf, stateIn } from './checkpointGroup.ts';
import { HotState, type HotStateData } from './hotState.ts';
import type { Pins } from './pins.ts';
import { type TimedEvent, Timeline } from './timeline.ts';

/** A copy of the fold at a position. */
export interface Checkpoint {
  readonly state: HotState;
  /** The latest time up to there, since the last jump of a clock. */
  readonly latest: Instant;
}

/** A checkpoint whose state may still be in the file of a snapshot. */
export interface LazyCheckpoint {
  readonly position: Position;
  /** As in `Checkpoint`. */
  readonly latest: Instant;
  /** @returns undefined when the file cannot be read, or was changed: an earlier checkpoint is then used */
  read(): HotState | undefined;
}

/** One of many, which are bounded by the number of their subjects. */
export interface KeptCheckpoint extends LazyCheckpoint {
  readonly subjects: number;
}

/** The parts of `Checkpoints`. */
export interface CheckpointsParts {
  readonly stretches: readonly Stretch[];
  readonly spacing: number;
  readonly kept: readonly KeptCheckpoint[];
  /** Where the fold began; absent for the beginning of the log. */
  readonly base?: Checkpoint | undefined;
}

/** Above these limits every second checkpoint is dropped and the spacing doubles. */
const MAX_CHECKPOINTS = 5_000;
/** In all checkpoints together. */
const MAX_SUBJECTS = 1_250_000;
const FIRST_SPACING = 1_000;
const EMPTY: Checkpoint = { state: new HotState(), latest: instant(Number.MIN_SAFE_INTEGER) };

/**
 * Copies of the live fold, taken while it advances. A query for a past state continues from the nearest one instead of
 * folding the log from its beginning. A copy shares all immutable values with the fold and takes microseconds.
 */
export class Checkpoints {
  #timeline = new Timeline();
  #spacing: number;
  #subjects = 0;
  #kept: KeptCheckpoint[] = [];
  #base: Checkpoint = EMPTY;

  constructor(spacing = FIRST_SPACING) {
    this.#spacing = spacing;
  }

  /** Of a fold that begins with a sealed state. @param state is copied */
  static behind(state: HotState, stretches: readonly Stretch[]): Checkpoints {
    const checkpoints = new Checkpoints();
    checkpoints.#timeline = new Timeline(stretches);
    checkpoints.#base = { state: copyState(state), latest: checkpoints.latest };
    return checkpoints;
  }

  static from({ stretches, spacing, kept, base = EMPTY }: CheckpointsParts): Checkpoints {
    const checkpoints = new Checkpoints(spacing);
    checkpoints.#timeline = new Timeline(stretches);
    checkpoints.#kept = [...kept];
    checkpoints.#base = base;
    checkpoints.#subjects = subjectsInAll(kept);
    return checkpoints;
  }

  /** What `from` makes equal checkpoints of. */
  get parts(): CheckpointsParts {
    const base = this.#base === EMPTY ? undefined : this.#base;
    return { stretches: [...this.#timeline.stretches], spacing: this.#spacing, kept: this.#kept, base };
  }

  /** The latest time of any event folded since the last jump of a clock. */
  get latest(): Instant {
    return this.#timeline.latest;
  }

  /** The parts of the log between jumps of clocks: a further jump may change what a time means. */
  get stretches(): readonly Stretch[] {
    return this.#timeline.stretches;
  }

  /** Called for every event, after `state` has folded it. */
  onFolded(state: HotState, event: TimedEvent): void {
    this.#timeline.onFolded(event);
    if (event.position % this.#spacing !== 0) return;
    const kept = checkpointOf(copyState(state), this.latest);
    this.#kept.push(kept);
    this.#subjects += kept.subjects;
    this.#group();
    if (this.#kept.length <= MAX_CHECKPOINTS && this.#subjects <= MAX_SUBJECTS) return;
    this.#spacing *= 2;
    this.#kept = this.#kept.filter(({ position }) => position % this.#spacing === 0);
    this.#subjects = subjectsInAll(this.#kept);
  }

  /** Replaces the last checkpoints by a group once there are enough of them. */
  #group(): void {
    const last = this.#kept.slice(-GROUP_SIZE);
    const whole = last.flatMap((kept) => (kept instanceof WholeCheckpoint ? [kept] : []));
    if (whole.length < GROUP_SIZE) return;
    const data = groupOf(whole.map(({ state }) => checkpointDataOf(state)));
    const grouped = whole.map((kept, index) => new GroupedCheckpoint(kept, data, index));
    this.#kept.splice(-GROUP_SIZE, GROUP_SIZE, ...grouped);
  }

  /** The last checkpoint at or before a position; where the fold began if that is behind it. */
  atPosition(wanted: Position): Checkpoint {
    return this.#last(({ position }) => position <= wanted);
  }

  /** The checkpoints at or before a position, and where the fold began. */
  upTo(wanted: Position): LazyCheckpoint[] {
    const base = checkpointOf(this.#base.state, this.#base.latest);
    return [base, ...this.#kept].filter(({ position }) => position <= wanted);
  }

  /** Where in the log the events up to `time` are, and the last checkpoint among them. */
  atTime(time: Instant): { readonly part: PartOfLog; readonly checkpoint: Checkpoint } {
    const part = this.#timeline.partAt(time);
    const belongs = ({ position, latest }: LazyCheckpoint) =>
      position <= part.after || (position <= part.until && latest <= time);
    return { part, checkpoint: this.#last(belongs) };
  }

  #last(belongs: (checkpoint: LazyCheckpoint) => boolean): Checkpoint {
    for (const kept of this.#kept.toReversed()) {
      const state = belongs(kept) ? kept.read() : undefined;
      if (state) return { state, latest: kept.latest };
    }
    return this.#base;
  }
}

/** A checkpoint in memory. */
export const checkpointOf = (state: HotState, latest: Instant): WholeCheckpoint => new WholeCheckpoint(state, latest);

class WholeCheckpoint implements KeptCheckpoint {
  readonly state: HotState;
  readonly latest: Instant;
  readonly subjects: number;

  constructor(state: HotState, latest: Instant) {
    this.state = state;
    this.latest = latest;
    this.subjects = subjectsIn(state);
  }

  get position(): Position {
    return this.state.position;
  }

  read(): HotState {
    return this.state;
  }
}

/** One in memory that holds only what it changed: a copy of its own would repeat an allowlist and all that did not change. */
class GroupedCheckpoint implements KeptCheckpoint {
  readonly position: Position;
  readonly latest: Instant;
  readonly subjects: number;
  readonly #group: GroupData;
  readonly #index: number;

  constructor({ position, latest, subjects }: KeptCheckpoint, group: GroupData, index: number) {
    this.position = position;
    this.latest = latest;
    this.subjects = subjects;
    this.#group = group;
    this.#index = index;
  }

  read(): HotState {
    return stateIn(this.#group, this.#index);
  }
}

const subjectsInAll = (kept: readonly KeptCheckpoint[]): number =>
  kept.reduce((sum, { subjects }) => sum + subjects, 0);

const subjectsIn = (state: HotState): number =>
  COPIED_MAPS.reduce((sum, name) => sum + state[name].size, state.counters.size);

// biome-ignore lint/suspicious/noExplicitAny: maps of any key and value
type Mutable = Map<any, any> | Pins | AnswerHistory;
type MutablePart = { [Name in keyof HotState]: HotState[Name] extends Mutable ? Name : never }[keyof HotState];

/** How a copy treats the parts that the fold changes in place. No query for a past state reads the omitted ones. */
const MUTABLE_PARTS = {
  accounts: 'copied',
  links: 'copied',
  tokens: 'copied',
  usage: 'copied',
  coolDowns: 'copied',
  health: 'copied',
  apiKeys: 'copied',
  keyIdByHash: 'copied',
  counters: 'copied deeply',
  owners: 'copied',
  teams: 'copied',
  passkeyUses: 'copied',
  sessions: 'copied',
  openRequests: 'copied',
  lateAnnouncements: 'copied',
  pins: 'omitted',
  answers: 'omitted',
  revisions: 'omitted',
} as const satisfies Record<MutablePart, 'copied' | 'copied deeply' | 'omitted'>;

type CopiedMap = {
  [Name in MutablePart]: (typeof MUTABLE_PARTS)[Name] extends 'copied' ? Name : never;
}[MutablePart];
const partsTreatedAs = (treatment: string): string[] =>
  Object.entries(MUTABLE_PARTS).flatMap(([name, value]) => (value === treatment ? [name] : []));
const COPIED_MAPS = partsTreatedAs('copied') as readonly CopiedMap[];
const OMITTED_PARTS: ReadonlySet<string> = new Set(partsTreatedAs('omitted'));

/** The state of a checkpoint as plain data. */
export const checkpointDataOf = (state: HotState): Partial<HotStateData> =>
  Object.fromEntries(Object.entries(state).filter(([name]) => !OMITTED_PARTS.has(name)));

/** A copy that can be folded on independently, without the parts in `OMITTED_PARTS`. */
export function copyState(state: HotState): HotState {
  const copy = new HotState();
  state.beforeSharing();
  for (const [name, value] of Object.entries(state)) {
    if (!(name in MUTABLE_PARTS)) Object.assign(copy, { [name]: value });
  }
  for (const name of COPIED_MAPS) {
    const target: Map<unknown, unknown> = copy[name];
    for (const [id, value] of state[name]) target.set(id, value);
  }
  for (const [keyId, { byRule, lastUsedAt }] of state.counters) {
    const counters = [...byRule].map(([ruleId, counter]) => [ruleId, [...counter]] as [number, number[]]);
    copy.counters.set(keyId, { byRule: new Map(counters), lastUsedAt });
  }
  return copy;
}
