import { randomUUID } from 'node:crypto';
import type { Position } from '../../domain/core/brands.ts';
import type { ArchiveState } from '../archiveReader.ts';
import type { OnProgress } from '../rebuild.ts';
import { BatchWriter } from './batchWriter.ts';
import { changesOf } from './changes.ts';
import { loadNames } from './chosenNames.ts';
import type { Fence, Generations, LogMark } from './generations.ts';
import type { LogReader } from './logReader.ts';
import { withoutArchived, writeArchive } from './writeArchive.ts';

/** Builds one generation batch by batch, outside of the node that serves it. */
export interface GenerationBuilder {
  /** How far the generation reaches. */
  readonly mark: LogMark;
  /** The archived segments whose roll-ups it has. */
  readonly archive: ArchiveState;
  /** @param isCancelled asked between two batches */
  buildTo(end: Position, isCancelled?: () => boolean): Promise<void>;
}

/** Larger than while serving: the same sums are written less often. */
const BATCH_EVENTS = 10_000;

/** @param end for the progress: where the build will end; the end of the log when undefined */
export async function createGenerationBuilder(
  generations: Generations,
  log: LogReader,
  generation: number,
  onProgress?: OnProgress,
  end?: Position,
): Promise<GenerationBuilder> {
  // Of two rebuilds at the same time the later one takes the generation over, and the earlier one is fenced.
  const fence: Fence = { by: `rebuild ${randomUUID()}`, epoch: 1 };
  let mark = await generations.claim(generation, fence);
  const writer = new BatchWriter(generations.collections(generation));
  const names = await loadNames(generations.collections(generation));
  const archive = await writeArchive(generations, log, generation, fence, writer, names);
  return {
    get mark() {
      return mark;
    },
    archive,
    async buildTo(target, isCancelled = () => false) {
      while (!isCancelled()) {
        const page = log.read(mark.position, Math.min(BATCH_EVENTS, target - mark.position));
        // Archived events leave gaps.
        const events = page.filter(({ position }) => position <= target);
        const last = events.at(-1);
        if (last) {
          const changes = changesOf(mark, withoutArchived(log, archive, events), names, last);
          await writer.write(changes);
          await generations.advance(generation, fence, mark, changes.to);
          mark = changes.to;
        }
        const of = end ?? log.head();
        if (mark.position <= of) onProgress?.(mark.position, of);
        if (events.length === 0 || mark.position >= target) return;
      }
    },
  };
}
