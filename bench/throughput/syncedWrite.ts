import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from './figures.ts';

/** What a commit of the log writes for one request at least: a page. */
const BYTES = 8_192;
const COUNT = 400;

/**
 * Appends pages to a file and syncs each, as many per second as requests would come: what the disk alone adds to an answer,
 * because its end waits for a synced commit. A disk that rests in between is slower than one that is kept busy.
 * @param rate writes per second at most
 * @returns the time of one in milliseconds at percentiles, for example `at(50)`
 */
export async function measureSyncedWrite(folder: string, rate: number): Promise<(percent: number) => number> {
  const path = join(folder, 'synced-write');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(BYTES, 1);
  const times: number[] = [];
  try {
    const begin = performance.now();
    for (let index = 0; index < COUNT; index++) {
      const ahead = begin + (index * 1_000) / rate - performance.now();
      if (ahead > 0) await wait(ahead);
      const start = performance.now();
      writeSync(file, page);
      fdatasyncSync(file);
      times.push(performance.now() - start);
    }
  } finally {
    closeSync(file);
    rmSync(path);
  }
  times.sort((a, b) => a - b);
  return (percent) => percentile(times, percent);
}
