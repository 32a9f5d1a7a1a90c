import type { FollowedArchive } from '../eventLog/archive/followedArchive.ts';
import type { Finding, FindingKind } from './finding.ts';
import { scanSource } from './scanSource.ts';
import { openExtent } from './sqliteRanges.ts';

export interface OlderRowsOptions {
  /** Path or `file:` URI of the log. */
  readonly log: string;
  readonly archive: FollowedArchive;
  /** Position of the last event that is older. */
  readonly upTo: number;
  readonly signal?: AbortSignal | undefined;
  readonly threads?: number | undefined;
}

/** What rows say by themselves; where others are missing, the ranges of the archive tell. */
const OF_ROWS: ReadonlySet<FindingKind> = new Set([
  'edited',
  'rehashed',
  'forked',
  'inserted',
  'bytes not canonical',
  'reordered',
]);

/**
 * Checks the rows that remain among archived events, which are administrative ones: each by itself, by the chain of its stream, and that none is
 * missing. Reads no leaf entries, so it takes as long as there are rows.
 */
export async function checkOlderRows({ log, archive, upTo, signal, threads }: OlderRowsOptions): Promise<Finding[]> {
  const extent = openExtent(log);
  const gaps: (readonly [first: number, last: number])[] = [];
  let last = 0;
  const gapUntil = (after: number, next: number) => {
    if (next > after + 1) gaps.push([after + 1, next - 1]);
  };
  try {
    const { findings } = await scanSource({
      source: { kind: 'sqlite', location: log },
      ranges: () => extent.ranges(0, upTo),
      after: 0,
      wanted: [],
      onProgress: () => undefined,
      onPart(part) {
        if (part.events === 0) return;
        gapUntil(last, part.first);
        for (const [before, at] of part.jumps) gapUntil(before, at);
        last = part.last;
      },
      signal,
      threads,
    });
    gapUntil(last, upTo + 1);
    const missing = archive.read((archived) => gaps.filter(([first, end]) => archived?.covers(first, end) !== true));
    return [...findings.filter(({ kind }) => OF_ROWS.has(kind)), ...missing.map(missingEvents)];
  } finally {
    extent.close();
  }
}

const missingEvents = ([first, last]: readonly [first: number, last: number]): Finding => ({
  kind: 'deleted',
  position: first,
  stream: null,
  expected: `rows or archived events at positions ${first} to ${last}`,
  found: 'not all of them',
});
