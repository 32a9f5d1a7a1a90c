import { join } from 'node:path';
import { TREE_FILE } from '../../src/integrity/tree/treeFile.ts';
import { LogTree } from '../../src/verification/logTree.ts';
import { scanSource } from '../../src/verification/scanSource.ts';
import { openExtent } from '../../src/verification/sqliteRanges.ts';
import { threadTimes, total, usedBetween } from '../throughput/threadTimes.ts';

export interface ScanRates {
  readonly folder: string;
  /** Position of the last event. */
  readonly upTo: number;
  readonly threads: number;
  /** Positions at which a part of the scan ends. */
  readonly ends: readonly number[];
}

/**
 * Scans a log once, with its tree, and returns what each part of it took: CPU in us an event by kind of thread. The first part has the start
 * of the threads and code that V8 has not compiled yet; the last one is the rate of a large log. Parts end with the next range that is joined.
 */
export async function measureScanRates({ folder, upTo, threads, ends }: ScanRates): Promise<string[]> {
  const path = join(folder, 'log.sqlite');
  const [extent, tree, rates, remaining] = [openExtent(path), new LogTree(), [] as string[], [...ends]];
  let [before, from] = [threadTimes(process.pid), 0];
  try {
    await scanSource({
      source: { kind: 'sqlite', location: path, tree: join(folder, TREE_FILE) },
      ranges: () => extent.ranges(0, upTo),
      after: 0,
      wanted: [],
      threads,
      onPart: ({ leaves }) => tree.add(leaves),
      onProgress(events) {
        if (events < (remaining[0] ?? Number.POSITIVE_INFINITY)) return;
        remaining.shift();
        const now = threadTimes(process.pid);
        const used = usedBetween(before, now);
        const shown = [...used].flatMap(([name, us]) => {
          const each = (us / (events - from)).toFixed(1);
          return each === '0.0' ? [] : [`${name.replace(/ \d+$/, '')} ${each}`];
        });
        const sum = (total(used) / (events - from)).toFixed(1);
        rates.push(`events ${from + 1} to ${events}: ${sum} us of CPU each (${shown.join(', ')})`);
        [before, from] = [now, events];
      },
    });
  } finally {
    extent.close();
  }
  return rates;
}
