import { setTimeout as delay } from 'node:timers/promises';
import { type Position, position } from '../../domain/core/brands.ts';
import { sleep } from '../../lib/sleep.ts';
import type { LeaseTerm } from '../../state/leases/leaseTerm.ts';
import { type ActiveGeneration, POINTER_CACHE_MS } from './activeGeneration.ts';
import type { AutoResetEvent } from './autoResetEvent.ts';
import { BatchWriter } from './batchWriter.ts';
import { changesOf } from './changes.ts';
import type { FailureReporter } from './failureReporter.ts';
import { BEGINNING, type Fence, Fenced, type Generations, type LogMark } from './generations.ts';
import type { LogReader } from './logReader.ts';

/** So many events are one batch: some ten thousand documents, a fraction of a second. */
export const BATCH_EVENTS = 2_000;
/** News wait this long for more of their kind, unless somebody asks for them. */
const GATHER_MS = 100;
const POLL_INTERVAL_MS = 1_000;
/** A reader that does not know of a switch yet may still be in the middle of a query. */
export const REMOVAL_DELAY_MS = 10 * POINTER_CACHE_MS;

/** This node's copy of the log does not hold yet what another node made the read models from. */
class LogCopyBehind extends Error {
  override readonly name = 'Behind';
}

export interface ProjectingOptions {
  /** Before each attempt: see `Connection`. */
  readonly open: () => Promise<void>;
  readonly generations: Generations;
  readonly readers: ActiveGeneration;
  readonly source: LogReader;
  /** Names whoever gives out tenures: see `Fence`. */
  readonly fencedBy: string;
  /** The source may be behind what other nodes made the read models from; otherwise nothing can be ahead of it. */
  readonly isCopy: boolean;
  readonly outage: FailureReporter;
  /** Something was appended; somebody waits for it. */
  readonly news: AutoResetEvent;
  readonly urgent: AutoResetEvent;
  readonly onReached: (position: Position) => void;
  readonly batchEvents?: number;
}

/** Folds the log into the active generation for as long as the tenure lasts, through outages and switches. */
export async function projectDuringTerm(options: ProjectingOptions, tenure: LeaseTerm): Promise<void> {
  while (!tenure.signal.aborted) {
    try {
      await options.open();
      await projectGeneration(options, tenure);
    } catch (error) {
      if (tenure.signal.aborted) return;
      // Whoever has a later epoch is known by the lease as well, soon; and a copy of the log comes on.
      const passes = error instanceof Fenced || error instanceof LogCopyBehind;
      const pauseMs = passes ? options.outage.onTransientFailure(error) : options.outage.onFailure(error as Error);
      await sleep(pauseMs, tenure.signal);
    }
  }
}

/** @returns when another generation is the active one, or the tenure is over */
async function projectGeneration(options: ProjectingOptions, tenure: LeaseTerm): Promise<void> {
  const { generations, readers, source, outage, news, urgent, onReached, batchEvents = BATCH_EVENTS } = options;
  const generation = await generations.active();
  const fence: Fence = { by: options.fencedBy, epoch: tenure.epoch };
  // Of another history are its epochs as well, so this comes before they are asked for.
  const standing = locateInLog(source, (await generations.mark(generation)) ?? BEGINNING);
  if (standing === 'elsewhere' || (standing === 'ahead' && !options.isCopy)) return startOver(options, generation);
  let mark = await generations.claim(generation, fence);
  if (locateInLog(source, mark) === 'ahead') throw new LogCopyBehind(behindMessage(source, mark.position));
  const writer = new BatchWriter(generations.collections(generation));
  const reached = (to: LogMark) => {
    mark = to;
    readers.setReached(generation, to.position);
    onReached(to.position);
  };
  reached(mark);
  outage.onSuccess();

  while (tenure.isHeld() && (await readers.current()).generation === generation) {
    const events = source.read(mark.position, batchEvents);
    if (events.length === 0) {
      await news.wait(POLL_INTERVAL_MS, tenure.signal);
      await urgent.wait(GATHER_MS, tenure.signal);
      continue;
    }
    const changes = changesOf(mark, events);
    if (!tenure.isHeld()) return;
    await writer.write(changes);
    await generations.advance(generation, fence, mark, changes.to);
    reached(changes.to);
  }
}

/**
 * Where read models end in a log: inside it; ahead of it, because it was restored, or is a copy that is behind; or it has
 * something else there, and they are of another history.
 */
export function locateInLog(source: LogReader, { position: at, eventId }: LogMark): 'inside' | 'ahead' | 'elsewhere' {
  if (at === BEGINNING.position) return 'inside';
  const [event] = source.read(position(at - 1), 1);
  if (!event) return 'ahead';
  return event.position === at && event.id === eventId ? 'inside' : 'elsewhere';
}

export const behindMessage = (source: LogReader, reached: Position): string =>
  `The copy of the log in this data folder ends at position ${source.head()}, the read models reach ${reached}. ` +
  'It catches up while svc runs; if EventStoreDB was restored from an older backup, run "svc rebuild".';

async function startOver({ generations }: ProjectingOptions, generation: number): Promise<void> {
  await generations.remove(generation + 1);
  if (await generations.activate(generation + 1, generation)) {
    void delay(REMOVAL_DELAY_MS, undefined, { ref: false })
      .then(() => generations.remove(generation))
      // What is left of it goes with the next rebuild.
      .catch(() => undefined);
  }
}
