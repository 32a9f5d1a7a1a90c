import { setTimeout as delay } from 'node:timers/promises';
import { type Position, position } from '../../domain/core/brands.ts';
import { CannotRebuild, type Comparison, type OnProgress } from '../rebuild.ts';
import { compareGenerations } from './compare.ts';
import { connect } from './connection.ts';
import { createGenerationBuilder } from './generationBuilder.ts';
import { Generations, type LogMark, SCRATCH_GENERATION } from './generations.ts';
import { type LogReader, openLogReader } from './logReader.ts';
import { behindMessage, locateInLog, REMOVAL_DELAY_MS } from './projector.ts';

export interface MongoRebuildOptions {
  readonly url: string;
  /** The file of the embedded log, or of a node's copy of EventStoreDB. */
  readonly logPath: string;
  /** Whether the file is a copy, which may be behind the log that other nodes projected. */
  readonly isCopy?: boolean;
  /** How long to wait for a copy that is behind. */
  readonly catchUpTimeoutMs?: number;
  readonly onProgress?: OnProgress;
  /** How long readers may still use the old generation after the switch. */
  readonly graceMs?: number;
}

const POLL_INTERVAL_MS = 20;
const END = position(Number.MAX_SAFE_INTEGER);

/**
 * Rebuilds the read models in collections of their own, then makes them the active ones. Nodes may run meanwhile: the projector
 * switches to the new ones within a second.
 * @returns the position that they reach
 * @throws CannotRebuild when another rebuild finished first
 */
export async function rebuildMongoReadModels(options: MongoRebuildOptions): Promise<Position> {
  return withGenerations(options, async (generations, source) => {
    const active = await generations.active();
    const next = active + 1;
    // Leftovers of cancelled rebuilds and removals.
    for (const generation of await generations.all()) if (generation !== active) await generations.remove(generation);
    const builder = await createGenerationBuilder(generations, source, next, options.onProgress);
    await builder.buildTo(END);
    // The live ones may be ahead by now; queries must not go back in time.
    const live = await generations.mark(active);
    if (live) await waitForLogCopy(source, live, options);
    if (live) await builder.buildTo(position(Math.max(live.position, source.head())));
    if (!(await generations.activate(next, active)))
      throw new CannotRebuild('Another rebuild finished before this one.');
    await delay(options.graceMs ?? REMOVAL_DELAY_MS);
    await generations.remove(active);
    return builder.mark.position;
  });
}

/**
 * Rebuilds the read models up to the position of the live ones, compares both and removes the new ones. The live ones are only
 * read, and may advance meanwhile.
 * @throws CannotRebuild when there is nothing to compare with
 */
export async function compareMongoReadModels(options: MongoRebuildOptions): Promise<Comparison> {
  return withGenerations(options, async (generations, source) => {
    const active = await generations.active();
    const live = await generations.mark(active);
    if (!live) throw new CannotRebuild('There are no read models in MongoDB to compare with.');
    await waitForLogCopy(source, live, options);
    const location = locateInLog(source, live);
    if (location === 'ahead' && options.isCopy) throw new CannotRebuild(behindMessage(source, live.position));
    if (location !== 'inside') {
      const difference = `the live read models end at position ${live.position} with event ${live.eventId}, which is not the event of the log there`;
      return { position: live.position, rows: 0, differences: [difference] };
    }
    const [{ signature: made }, { signature }] = [await generations.archive(active), source.archive.state()];
    if (made !== signature) {
      const difference = `the live read models have other archived days than the log, for which svc makes them again`;
      return { position: live.position, rows: 0, isOtherVersion: true, differences: [difference] };
    }
    await generations.remove(SCRATCH_GENERATION);
    try {
      const fresh = await createGenerationBuilder(
        generations,
        source,
        SCRATCH_GENERATION,
        options.onProgress,
        live.position,
      );
      await fresh.buildTo(live.position);
      const found = await compareGenerations(
        generations.collections(active),
        generations.collections(SCRATCH_GENERATION),
        fresh,
      );
      return { position: live.position, ...found };
    } finally {
      await generations.remove(SCRATCH_GENERATION);
    }
  });
}

/** Waits until this node's copy of the log reaches the read models, which another node may have projected further. */
async function waitForLogCopy(
  source: LogReader,
  live: LogMark,
  { isCopy, catchUpTimeoutMs = 5_000 }: MongoRebuildOptions,
) {
  const deadline = performance.now() + catchUpTimeoutMs;
  while (isCopy && source.head() < live.position && performance.now() < deadline) await delay(POLL_INTERVAL_MS);
}

async function withGenerations<Result>(
  { url, logPath }: MongoRebuildOptions,
  work: (generations: Generations, source: LogReader) => Promise<Result>,
): Promise<Result> {
  const { db, open, close } = connect(url);
  const source = openLogReader(logPath);
  try {
    await open();
    return await work(new Generations(db), source);
  } finally {
    source.close();
    await close();
  }
}
