import { type Instant, instant, iso } from '../../domain/core/brands.ts';
import type { LeaseEntry } from '../../eventLog/leaseStreams.ts';
import type { Faults } from '../../lib/faults.ts';
import type { HotRunner } from '../hotRunner.ts';
import type { LiveNodes } from '../leases/liveNodes.ts';
import { type Jump, LimitClock, MAX_CLOCK_DIFFERENCE_MS } from './limitClock.ts';
import { type Comparison, NodeClocks } from './nodeClocks.ts';

export interface ClockWatchOptions {
  readonly hot: Pick<HotRunner, 'state' | 'checkpoints'>;
  /** The clock of this machine. */
  readonly now: () => Instant;
  readonly monotonicNow?: () => number;
  readonly faults: Faults;
  /** Whether other nodes may write to the same log. */
  readonly sharesLog: boolean;
}

type RecordJump = (jump: Jump) => Promise<unknown>;

/** A start this long after the last event is reported: rather the clock is wrong than the service was away. */
const MAX_ABSENCE_MS = 31 * 86_400_000;
/** An operator should find a jump in the status for this long. */
const JUMP_SHOWN_MS = 3_600_000;
const CHECK_EVERY_MS = 1_000;
/** Entries of other nodes may be late for a moment, after this node or another one had lost the store. */
const MIN_DIFFERENCE_LASTS_MS = 10_000;
/** A node that is alive has sent an entry by then. */
const ALONE_AFTER_MS = 20_000;

/**
 * Watches the clock of this machine: reports and records jumps, and says while the windows of limits do not follow it
 * (docs/decisions/0057-clock-of-limit-windows.md).
 */
export class ClockWatch {
  readonly limitClock: LimitClock;
  readonly #options: ClockWatchOptions;
  #record: RecordJump | undefined;
  /** Not recorded yet. */
  #jumps: Jump[] = [];
  #jumpShownUntil: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #monotonicNow: () => number;
  readonly #nodes: NodeClocks;
  #live: Pick<LiveNodes, 'names' | 'isKnown'> | undefined;
  /** Since when the windows do not follow the clock of this machine. */
  #heldSince: number | undefined;
  /** Since when the clock of a node has differed; '' is this node's, from most others. */
  readonly #differsSince = new Map<string, number>();
  #named: readonly string[] = [];
  /** The clock that is held since then is in the log as one that jumped. */
  #isHeldRecorded = false;
  /** Whether the times in the log were compared with the clocks of other nodes. */
  #isLogCompared = false;

  constructor(options: ClockWatchOptions) {
    const { hot, now, monotonicNow, sharesLog } = options;
    this.#options = options;
    this.#monotonicNow = monotonicNow ?? (() => performance.now());
    this.#nodes = new NodeClocks(now);
    this.limitClock = new LimitClock({
      hot: hot.state,
      now,
      monotonicNow: this.#monotonicNow,
      holdsOnJump: sharesLog,
      onJump: (jump) => this.#onJump(jump),
    });
    if (sharesLog) this.#holdUntilConfirmed();
    else this.#compareWithLog();
  }

  /** @param record makes a jump an event */
  start(record: RecordJump): void {
    this.#record = record;
    this.#recordJumps();
    this.check();
    this.#timer = setInterval(() => this.check(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks for a jump, and brings the faults up to date. */
  check(): void {
    const { hot, now, faults } = this.#options;
    this.limitClock.shown();
    const behindMs = hot.state.windowsClock.time - now();
    if (behindMs > MAX_CLOCK_DIFFERENCE_MS) {
      const reached = iso(hot.state.windowsClock.time);
      faults.raise({
        code: 'clock_behind_limits',
        cause:
          `The clock of this node is ${shownDuration(behindMs)} behind the time up to which limits have counted, ${reached}. ` +
          'They go on in the windows of that time, so a limit that is used up opens later than it should.',
        remedy: `If the clock is right now, accept it: ${HOW_TO_ACCEPT}. Otherwise correct it; this ends when it reaches that time.`,
      });
    } else faults.clear('clock_behind_limits');
    if (this.#jumpShownUntil !== undefined && this.#monotonicNow() > this.#jumpShownUntil) this.#clearJump();
    if (this.#options.sharesLog) this.#compareWithNodes();
  }

  /** What an entry of this node's lease says about its clock. */
  stamp(): Pick<LeaseEntry, 'time' | 'isClockHeld'> {
    return { time: this.#options.now(), isClockHeld: this.limitClock.isHeld };
  }

  /** Called with each entry of another node's lease. */
  onEntry({ type, node, time, isClockHeld = false }: LeaseEntry, live: Pick<LiveNodes, 'names' | 'isKnown'>): void {
    this.#live = live;
    if (time !== undefined && type !== 'LeaseReleased') this.#nodes.onReading({ node, time, isHeld: isClockHeld });
  }

  /** @param live the nodes that are alive, also while there is no other one */
  follow(live: Pick<LiveNodes, 'names' | 'isKnown'>): void {
    this.#live = live;
  }

  /** How the clocks of other live nodes differ from this one, by node; undefined unless most of them do. */
  get disagreement(): string | undefined {
    if (!this.#live) return undefined;
    const { nodes, agreeing, agreeingHeld } = this.#nodes.compare(this.#live.names.slice(1));
    return nodes.length > agreeing + agreeingHeld ? describeDifferences(nodes) : undefined;
  }

  /** An operator has accepted the clock. */
  onAccepted(): void {
    this.#clearJump();
    this.check();
  }

  /** With other nodes, a start by a clock that is not that of the windows waits for a node that agrees. */
  #holdUntilConfirmed(): void {
    const { hot, now } = this.#options;
    const { time } = hot.state.windowsClock;
    if (time > 0 && Math.abs(now() - time) > MAX_CLOCK_DIFFERENCE_MS) this.limitClock.holdAt(time);
  }

  #compareWithNodes(): void {
    const live = this.#live;
    const at = this.#monotonicNow();
    this.#heldSince = this.limitClock.isHeld ? (this.#heldSince ?? at) : undefined;
    if (!this.limitClock.isHeld) this.#isHeldRecorded = false;
    if (!live) return;
    const comparison = this.#nodes.compare(live.names.slice(1));
    if (this.#heldSince !== undefined) this.#releaseIfConfirmed(comparison, live, at - this.#heldSince);
    else this.#holdIfAhead(comparison, at);
    this.#compareLogOnce(comparison);
    this.#nameNodes(comparison, at);
    this.#sayWhetherHeld(comparison, at);
  }

  #releaseIfConfirmed(
    { agreeing, agreeingHeld, differing, nodes }: Comparison,
    { names, isKnown }: Pick<LiveNodes, 'names' | 'isKnown'>,
    heldMs: number,
  ): void {
    const isConfirmed = agreeing > 0 ? agreeing >= differing : agreeingHeld > 0 && differing === 0;
    const isAlone = isKnown && names.length === 1 && heldMs >= ALONE_AFTER_MS;
    if (!isConfirmed && !isAlone) {
      // The held time may drift as well.
      this.#holdAtOthers(nodes);
      return;
    }
    this.limitClock.release();
    this.#heldSince = undefined;
    // Without another node only the log can show that this clock is wrong.
    if (isAlone) this.#compareWithLog();
  }

  /** A clock that drifted ahead of the others moves their windows no further. */
  #holdIfAhead({ behind, agreeing, nodes }: Comparison, at: number): void {
    if (!this.#lasts('', behind > agreeing, at)) return;
    this.#differsSince.delete('');
    this.#heldSince = at;
    this.#holdAtOthers(nodes);
  }

  /** Goes on from the time of the others that are behind, whichever of them is nearest. */
  #holdAtOthers(nodes: Comparison['nodes']): void {
    const behindMs = nodes.map(({ byMs }) => byMs).filter((byMs) => byMs < 0);
    if (behindMs.length === 0) return;
    const time = this.#options.now() + Math.max(...behindMs);
    const heldAt = this.#options.now() - this.limitClock.heldByMs;
    if (time < heldAt) this.limitClock.holdAt(instant(time));
  }

  /**
   * A node that was ahead may have stopped without a jump back in the log, whose later events would be hidden from past times
   * until then. A node that starts with a clock that others confirm ends that.
   */
  #compareLogOnce({ agreeing, agreeingHeld }: Comparison): void {
    const { hot, now } = this.#options;
    if (this.#isLogCompared || this.#heldSince !== undefined || agreeing + agreeingHeld === 0) return;
    this.#isLogCompared = true;
    const [from, to] = [hot.checkpoints.latest, now()];
    if (from - to > MAX_CLOCK_DIFFERENCE_MS) this.#recordJump({ from, to });
  }

  #nameNodes({ nodes, agreeing, agreeingHeld }: Comparison, at: number): void {
    const { faults } = this.#options;
    // Where most others agree with each other, it is this node's clock that is wrong.
    const isOwn = nodes.length >= 2 && nodes.length > agreeing + agreeingHeld;
    const named = isOwn ? [] : nodes.filter(({ node }) => this.#lasts(node, true, at));
    for (const { node, byMs } of named) {
      faults.raise({
        code: 'clock_of_node_differs',
        subject: node,
        cause: `The clock of node ${node} is ${shownDuration(Math.abs(byMs))} ${byMs > 0 ? 'ahead of' : 'behind'} the clock of this node. It does not move the windows of limits; keys and sessions expire there by its own time.`,
        remedy: 'Synchronise the clocks of both machines; this ends when they agree.',
      });
    }
    const names = named.map(({ node }) => node);
    for (const node of this.#named) if (!names.includes(node)) faults.clear('clock_of_node_differs', node);
    this.#named = names;
    const differing = nodes.map(({ node }) => node);
    for (const node of this.#differsSince.keys())
      if (node !== '' && !differing.includes(node)) this.#differsSince.delete(node);
  }

  #sayWhetherHeld({ nodes }: Comparison, at: number): void {
    const { faults } = this.#options;
    if (this.#heldSince === undefined || at - this.#heldSince < MIN_DIFFERENCE_LASTS_MS) {
      faults.clear('clock_held');
      return;
    }
    if (nodes.length > 0 && !this.#isHeldRecorded) {
      this.#isHeldRecorded = true;
      const to = this.#options.now();
      this.#recordJump({ from: instant(to - this.limitClock.heldByMs), to });
    }
    const others = describeDifferences(nodes);
    faults.raise({
      code: 'clock_held',
      cause:
        `The windows of limits do not follow the clock of this node, which no other node confirms${others === '' ? '' : `: ${others}`}. ` +
        'They go on from the time of the log.',
      remedy: `Synchronise the clocks; this ends when one of them agrees. If this one is right, accept it: "Accept clock" in the dashboard of this node.`,
    });
  }

  /** @returns whether a difference has lasted long enough to be no late entry */
  #lasts(node: string, differs: boolean, at: number): boolean {
    if (!differs) {
      this.#differsSince.delete(node);
      return false;
    }
    const since = this.#differsSince.get(node) ?? at;
    this.#differsSince.set(node, since);
    return at - since >= MIN_DIFFERENCE_LASTS_MS;
  }

  #compareWithLog(): void {
    const { hot, now } = this.#options;
    const { latest } = hot.checkpoints;
    const [from, to] = [latest, now()];
    if (latest < 0) return;
    if (from - to > MAX_CLOCK_DIFFERENCE_MS || to - from > MAX_ABSENCE_MS) this.#onJump({ from, to });
  }

  #onJump(jump: Jump): void {
    const { faults } = this.#options;
    const byMs = jump.to - jump.from;
    // Raised again with new times, because it is another jump.
    this.#clearJump();
    faults.raise({
      code: 'clock_jumped',
      cause:
        `The clock of this node jumped ${byMs < 0 ? 'back' : 'ahead'} by ${shownDuration(Math.abs(byMs))}, ` +
        `from ${iso(jump.from)} to ${iso(jump.to)}. Keys and sessions expire by the new time; the windows of limits do not go back.`,
      remedy: 'Check that the time of the machine is synchronised. This is shown for an hour.',
    });
    this.#jumpShownUntil = this.#monotonicNow() + JUMP_SHOWN_MS;
    this.#nodes.clear();
    this.#isHeldRecorded = true;
    this.#recordJump(jump);
  }

  #recordJump(jump: Jump): void {
    this.#jumps.push(jump);
    this.#recordJumps();
  }

  #clearJump(): void {
    this.#options.faults.clear('clock_jumped');
    this.#jumpShownUntil = undefined;
  }

  /** A jump that could not be recorded is recorded with the next one, or not at all: it is reported in any case. */
  #recordJumps(): void {
    const record = this.#record;
    if (!record) return;
    const jumps = this.#jumps;
    this.#jumps = [];
    for (const jump of jumps) record(jump).catch(() => this.#jumps.push(jump));
  }
}

const HOW_TO_ACCEPT = '"Accept clock" in the dashboard, or "svc accept-clock" while svc is stopped';

const describeDifferences = (nodes: Comparison['nodes']): string =>
  nodes
    .map(
      ({ node, byMs }) => `that of node ${node} is ${shownDuration(Math.abs(byMs))} ${byMs > 0 ? 'ahead' : 'behind'}`,
    )
    .join(', ');

function shownDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
