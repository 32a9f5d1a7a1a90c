import { setTimeout as delay } from 'node:timers/promises';
import { type Position, position } from '../../domain/core/brands.ts';
import { Continuity, type EventLink, type LogBreak } from '../../eventLog/continuity.ts';
import type { StoredEvent } from '../../eventLog/eventLog.ts';
import { continuedHash } from '../../eventLog/hashChain.ts';
import { sleep } from '../../lib/sleep.ts';
import type { LeaseTerm } from '../../state/leases/leaseTerm.ts';
import { type ActiveGeneration, POINTER_CACHE_MS } from './activeGeneration.ts';
import { ArchiveRemake } from './archiveRemake.ts';
import type { AutoResetEvent } from './autoResetEvent.ts';
import { BatchWriter } from './batchWriter.ts';
import { changesOf } from './changes.ts';
import { loadNames } from './chosenNames.ts';
import type { FailureReporter } from './failureReporter.ts';
import { BEGINNING, type Fence, Fenced, type Generations, type LogMark } from './generations.ts';
import type { LogReader } from './logReader.ts';
import { withoutArchived, writeArchive } from './writeArchive.ts';

/** Events per batch: some ten thousand documents, a fraction of a second. */
export const BATCH_EVENTS = 2_000;
/** How long new events wait for more of them, unless a query is waiting. */
const GATHER_MS = 100;
const POLL_INTERVAL_MS = 1_000;
/** When an old generation is removed after a switch: readers that have not noticed the switch may still query it. */
export const REMOVAL_DELAY_MS = 10 * POINTER_CACHE_MS;

/** This node's copy of the log is behind the read models, which another node projected. */
class LogCopyBehind extends Error {
  override readonly name = 'LogCopyBehind';
}

export interface ProjectionOptions {
  /** Called before each attempt: see `Connection.open`. */
  readonly open: () => Promise<void>;
  readonly generations: Generations;
  readonly active: ActiveGeneration;
  readonly log: LogReader;
  /** Identifies the lease of the epochs: see `Fence`. */
  readonly fencedBy: string;
  /** Whether the log is a copy, which may be behind the log that other nodes projected. */
  readonly isCopy: boolean;
  readonly failures: FailureReporter;
  /** Set when events were appended. */
  readonly newEvents: AutoResetEvent;
  /** Set when a query waits for new events. */
  readonly waitingQuery: AutoResetEvent;
  readonly onReached: (position: Position) => void;
  /** Called with lines for the operator. */
  readonly report?: ((line: string) => void) | undefined;
  /** Called with events that do not continue the log before them. */
  readonly onBreak?: ((found: LogBreak) => void) | undefined;
  readonly batchEvents?: number;
}

/** Projects the log into the active generation during a lease term, through outages and switches of the generation. */
export async function projectDuringTerm(options: ProjectionOptions, term: LeaseTerm): Promise<void> {
  while (!term.signal.aborted) {
    try {
      await options.open();
      await projectGeneration(options, term);
    } catch (error) {
      if (term.signal.aborted) return;
      // Both resolve themselves: this node will notice the loss of its lease, and the copy of the log will catch up.
      const isTransient = error instanceof Fenced || error instanceof LogCopyBehind;
      const pauseMs = isTransient
        ? options.failures.onTransientFailure(error)
        : options.failures.onFailure(error as Error);
      await sleep(pauseMs, term.signal);
    }
  }
}

/** Resolves when another generation has become active, or the term has ended. */
async function projectGeneration(options: ProjectionOptions, term: LeaseTerm): Promise<void> {
  const {
    generations,
    active,
    log,
    failures,
    newEvents,
    waitingQuery,
    onReached,
    batchEvents = BATCH_EVENTS,
  } = options;
  const generation = await generations.active();
  const fence: Fence = { by: options.fencedBy, epoch: term.epoch };
  // Before claiming: the epochs of read models of another history are not comparable.
  const location = locateInLog(log, (await generations.mark(generation)) ?? BEGINNING);
  if (location === 'diverged' || (location === 'ahead' && !options.isCopy)) {
    options.report?.(
      'The read models in MongoDB include events that the log does not have. They are rebuilt from the log.',
    );
    return startOver(options, generation);
  }
  let mark = await generations.claim(generation, fence);
  if (locateInLog(log, mark) === 'ahead') throw new LogCopyBehind(behindMessage(log, mark.position));
  const writer = new BatchWriter(generations.collections(generation));
  const names = await loadNames(generations.collections(generation));
  const archive =
    mark.position === BEGINNING.position
      ? await writeArchive(generations, log, generation, fence, writer, names)
      : await generations.archive(generation);
  const reached = (to: LogMark) => {
    mark = to;
    active.setReached(generation, to.position, archive);
    onReached(to.position);
  };
  reached(mark);
  failures.onSuccess();
  const continuity = new Continuity(mark.position, log.hashAt, (first, last) => log.archive.covers(first, last));
  const remaking = new ArchiveRemake({ generations, log, generation, archive, report: options.report }, term);

  try {
    while (term.isHeld() && (await active.current()).generation === generation) {
      remaking.check();
      // The sums of archived events that are not projected yet are in the next generation only.
      if (remaking.isBehindArchive(mark.position)) {
        await newEvents.wait(POLL_INTERVAL_MS, term.signal);
        continue;
      }
      const events = log.read(mark.position, batchEvents);
      if (events.length === 0) {
        await newEvents.wait(POLL_INTERVAL_MS, term.signal);
        await waitingQuery.wait(GATHER_MS, term.signal);
        continue;
      }
      for (const event of events) {
        const found = continuity.check(linkOf(event));
        if (found && found.position > log.acceptedUpTo()) options.onBreak?.(found);
      }
      const changes = changesOf(mark, withoutArchived(log, archive, events), names, events.at(-1));
      if (!term.isHeld()) return;
      await writer.write(changes);
      await generations.advance(generation, fence, mark, changes.to);
      reached(changes.to);
    }
  } finally {
    await remaking.stop();
  }
}

function linkOf(event: StoredEvent): EventLink {
  const { position: at, stream, revision, metadata } = event;
  return { position: at, stream, revision, previousHash: metadata.previousHash, hash: continuedHash(event) };
}

/**
 * Where read models end in a log: inside it; ahead of it, because the log was restored from a backup or is a copy that is
 * behind; or at a position with another event, because they belong to another history.
 */
export function locateInLog(log: LogReader, { position: at, eventId }: LogMark): 'inside' | 'ahead' | 'diverged' {
  if (at === BEGINNING.position) return 'inside';
  const [event] = log.read(position(at - 1), 1);
  if (event?.position !== at && log.archive.idAt(at) === eventId) return 'inside';
  if (!event) return 'ahead';
  return event.position === at && event.id === eventId ? 'inside' : 'diverged';
}

/** Tells the operator that the copy of the log ends before the read models. */
export const behindMessage = (log: LogReader, reached: Position): string =>
  `The copy of the log in this data folder ends at position ${log.head()}, the read models reach ${reached}. ` +
  'It catches up while svc runs; if EventStoreDB was restored from an older backup, run "svc rebuild".';

async function startOver({ generations }: ProjectionOptions, generation: number): Promise<void> {
  await generations.remove(generation + 1);
  if (await generations.activate(generation + 1, generation)) {
    void delay(REMOVAL_DELAY_MS, undefined, { ref: false })
      .then(() => generations.remove(generation))
      // The next rebuild removes the rest.
      .catch(() => undefined);
  }
}
