import type { DatabaseSync } from 'node:sqlite';
import { type Instant, instant, type Position, position } from '../../domain/core/brands.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { type LogBreak, LogBroken } from '../../eventLog/continuity.ts';
import type { StoredEvent } from '../../eventLog/eventLog.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { createReader, type Reader } from '../../eventLog/sqlite/reader.ts';
import { type Checkpoint, Checkpoints, checkpointOf, copyState, type LazyCheckpoint } from '../fold/checkpoints.ts';
import { emptyFold, type Fold } from '../fold/fold.ts';
import { HotState } from '../fold/hotState.ts';
import { latestAfter } from '../fold/timeline.ts';
import { foldFile } from '../pages/foldFile.ts';
import { continueShortFold, MAX_PARSED_EVENTS, ParsedPages } from '../pages/parsedPages.ts';
import { readSealedFold, sealedFolds } from '../snapshots/sealedFold.ts';
import type { OpenSnapshot } from '../snapshots/snapshotFile.ts';
import { LogRows } from './logRows.ts';
import { nearestSnapshot, type SnapshotPlace } from './nearestSnapshot.ts';
import { type Moment, MomentArchived, type MomentQuery, recorded } from './past.ts';

export interface FilePastOptions {
  /** What SQLite opens: a path, or a `file:` URI. */
  readonly location: string;
  /** `archive.sqlite`, if it is not beside the log. */
  readonly archive?: string | undefined;
  /** Without it, the log is folded from its beginning. */
  readonly snapshots?: SnapshotPlace | undefined;
}

/** An event that a walk has come to. */
export interface WalkedEvent {
  readonly event: StoredEvent;
  /** The state before the event, until `apply` was called; then the one after it. It changes with the next event. */
  readonly state: HotState;
  apply(): void;
}

const BEFORE_ALL = instant(Number.MIN_SAFE_INTEGER);

const copyFold = ({ state, checkpoints }: Fold): Fold => copyOf({ state, latest: checkpoints.latest });

/** A copy of the fold that can be continued, and the latest time up to there. */
const copyOf = ({ state, latest }: Checkpoint): Fold => ({
  state: copyState(state),
  checkpoints: Checkpoints.from({
    stretches: [{ after: state.position, from: latest, latest }],
    spacing: 1_000,
    kept: [],
  }),
});

/**
 * Earlier states from the log's file alone, without a running service: folds on from the nearest state that is known, of a
 * snapshot, a sealed day, or what was asked for before. States lack what `copyState` leaves out, and must not be changed.
 */
export class FilePast {
  readonly #options: FilePastOptions;
  readonly #archivePath: string;
  readonly #database: DatabaseSync;
  readonly #rows: LogRows;
  readonly #pages: ParsedPages;
  readonly #reader: Reader;
  readonly #snapshot: OpenSnapshot | undefined;
  readonly #sealed: Fold | undefined;
  /** Of the snapshot, or of what was sealed if that is further. */
  readonly #checkpoints: Checkpoints;
  /** The end of the snapshot, and of what is sealed. */
  readonly #ends: readonly LazyCheckpoint[];
  #whole: Fold | undefined;
  /** The last fold of an earlier state: the next one is often behind it. */
  #last: Fold | undefined;
  #broken: LogBreak | undefined;
  /** Position of the last event when it was opened; 0 when there is none. */
  readonly head: Position;

  /** @throws ArchiveDamaged, SealedStateUnreadable, and what opening the file throws */
  constructor(options: FilePastOptions) {
    const { location, archive = archivePathOf(location), snapshots } = options;
    this.#options = options;
    this.#archivePath = archive;
    this.#database = openForReading(location);
    this.#rows = new LogRows(this.#database, archive);
    this.#reader = createReader(location);
    this.#pages = new ParsedPages(this.#database, archive);
    this.head = this.#reader.head();
    const snapshot = snapshots && nearestSnapshot(this.#reader, snapshots);
    const sealed = readSealedFold(location, archive)?.fold;
    [this.#snapshot, this.#sealed] = [snapshot, sealed];
    this.#ends = [
      ...(snapshot ? [endOf(snapshot)] : []),
      ...(sealed ? [checkpointOf(copyState(sealed.state), sealed.checkpoints.latest)] : []),
    ];
    this.#checkpoints = this.#continuable?.checkpoints ?? sealed?.checkpoints ?? new Checkpoints();
  }

  /** Rows behind the sealed state may be archived, so that a snapshot before it cannot be continued. */
  get #continuable(): OpenSnapshot | undefined {
    const sealedUpTo = this.#sealed?.state.position ?? 0;
    return this.#snapshot && this.#snapshot.position > sealedUpTo ? this.#snapshot : undefined;
  }

  /** A fold that is continued up to the end of the log when that is asked for. */
  get #first(): Fold {
    const state = this.#whole ? undefined : this.#continuable?.state();
    this.#whole ??= state ? { state, checkpoints: this.#checkpoints } : (this.#sealed ?? emptyFold());
    return this.#whole;
  }

  /** The first event that does not continue the log before it; undefined while none was met. */
  get broken(): LogBreak | undefined {
    return this.#broken;
  }

  close(): void {
    this.#snapshot?.close();
    this.#reader.close();
    this.#database.close();
  }

  /** The state at the end of the log. @param now the clock of the reader */
  async current(now: Instant): Promise<Moment> {
    const { state } = await this.#foldAll();
    return { state, now };
  }

  /**
   * The state at a moment: right after the event at a position, or the last one that was written by a time.
   * @param when not beyond `head`
   * @throws MomentArchived when events that it depends on are archived; what reading the log throws
   */
  async at(when: MomentQuery): Promise<Moment> {
    const wanted = 'time' in when ? await this.positionAt(when.time) : when.position;
    const { state, checkpoints } = await this.#foldTo(wanted);
    if ('time' in when) return { state, now: when.time };
    return { state, now: checkpoints.latest < 0 ? instant(0) : checkpoints.latest };
  }

  /** Position of the last event that was written by a time, also where a clock jumped; 0 when there is none. It may be an archived one. */
  async positionAt(time: Instant): Promise<Position> {
    // A later jump of a clock changes what a time means.
    const { checkpoints } = await this.#foldAll();
    const { part, checkpoint } = checkpoints.atTime(time);
    const isIn = (at: number, latest: Instant) => at <= part.after || (at <= part.until && latest <= time);
    const begin = [checkpointOf(checkpoint.state, checkpoint.latest), ...this.#ends]
      .filter(({ position, latest }) => isIn(position, latest))
      .toSorted(byPosition)
      .at(-1);
    let [found, latest] = [begin?.position ?? position(0), begin?.latest ?? BEFORE_ALL];
    for (const event of this.#rows.times(found, position(Math.min(part.until, this.head)))) {
      latest = latestAfter(latest, event);
      if (!isIn(event.position, latest)) break;
      found = event.position;
    }
    return found;
  }

  /**
   * Goes through events in ascending order. Their states are one that is folded on, so that each costs the events since the one
   * before.
   * @throws as `at`
   */
  async *walk(positions: Iterable<Position>): AsyncGenerator<WalkedEvent> {
    let fold: Fold | undefined;
    for (const at of positions) {
      const before = position(at - 1);
      fold ??= copyFold(await this.#foldTo(before));
      const from = fold.state.position;
      const isWhole = this.#rows.hasAll(from, at);
      if (!isWhole) this.#rows.require(from, at);
      await this.#continue(fold, before);
      const [event] = this.#reader.storedPage(before, at);
      // A service may have archived them since.
      if (isWhole && (!event || before > from)) this.#rows.require(from, at);
      if (!event) continue;
      const { state } = fold;
      // Those right before the event, which the fold did not meet.
      if (!isWhole) {
        const { stream, revision } = event;
        this.#broken ??= { position: at, stream, revision, reason: `follows position ${state.position}` };
      }
      yield { event, state, apply: () => state.apply(recorded(event)) };
      if (state.position < at) state.apply(recorded(event));
    }
  }

  /** The fold at a position, as `at`. It must not be changed. */
  foldAt(wanted: Position): Promise<Fold> {
    return this.#foldTo(wanted);
  }

  async #foldTo(wanted: Position): Promise<Fold> {
    const fold = copyOf(this.#nearest(wanted));
    await this.#continue(fold, wanted);
    this.#last = fold;
    return fold;
  }

  /** The last known state at or before a position. */
  #nearest(wanted: Position): Checkpoint {
    const last = this.#last && [
      checkpointOf(this.#last.state, this.#last.checkpoints.latest),
      ...this.#last.checkpoints.upTo(wanted),
    ];
    const known = [...this.#checkpoints.upTo(wanted), ...this.#ends, ...(last ?? [])];
    const found = lastReadable(known.filter(({ position }) => position <= wanted));
    if (this.#rows.hasAll(found.state.position, wanted)) return found;
    const sealed = this.#sealedBefore(wanted, found);
    this.#rows.require(sealed.state.position, wanted);
    return sealed;
  }

  #sealedBefore(wanted: Position, other: Checkpoint): Checkpoint {
    for (const { state, checkpoints } of sealedFolds(this.#options.location, this.#archivePath)) {
      if (state.position <= wanted && state.position > other.state.position)
        return { state, latest: checkpoints.latest };
    }
    return other;
  }

  /** The fold up to the end of the log. */
  async #foldAll(): Promise<Fold> {
    const from = this.#first.state.position;
    try {
      await this.#continue(this.#first, this.head);
    } catch (error) {
      if (!(error instanceof MomentArchived)) throw error;
      // A service has archived them meanwhile, and sealed the state behind them.
      const sealed = readSealedFold(this.#options.location, this.#archivePath)?.fold;
      if (!sealed || sealed.state.position <= from) throw error;
      this.#whole = sealed;
      return this.#foldAll();
    }
    return this.#first;
  }

  /**
   * A log whose start is refused because events are missing in it is read, and what is missing is named.
   * @throws MomentArchived when a service has archived some of the events meanwhile
   */
  async #continue(fold: Fold, upTo: Position): Promise<void> {
    const from = fold.state.position;
    if (upTo <= from) return;
    const broken =
      upTo - from <= MAX_PARSED_EVENTS
        ? continueShortFold(fold, this.#pages, upTo)
        : await foldFile(fold, this.#options.location, upTo, undefined, this.#archivePath).then(
            () => undefined,
            breakIn,
          );
    if (broken || fold.state.position < upTo) this.#rows.require(from, upTo);
    this.#broken ??= broken;
  }
}

function breakIn(error: unknown): LogBreak {
  if (!(error instanceof LogBroken)) throw error;
  return error.found;
}

const NOTHING: Checkpoint = { state: new HotState(), latest: BEFORE_ALL };

const byPosition = (left: LazyCheckpoint, right: LazyCheckpoint): number => left.position - right.position;

/** One that cannot be read, or was changed, is passed over. */
function lastReadable(checkpoints: readonly LazyCheckpoint[]): Checkpoint {
  for (const checkpoint of checkpoints.toSorted(byPosition).toReversed()) {
    const state = checkpoint.read();
    if (state) return { state, latest: checkpoint.latest };
  }
  return NOTHING;
}

const endOf = ({ position, checkpoints: { latest }, state }: OpenSnapshot): LazyCheckpoint => ({
  ...{ position, latest },
  read: state,
});
