import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { FollowedArchive } from '../eventLog/archive/followedArchive.ts';
import { leafEntryOf } from '../integrity/leaf/leafEntry.ts';
import { serveThread } from '../lib/threads/serveThread.ts';
import type { CompareTreeThread } from './compareTreeThread.ts';
import type { Finding } from './finding.ts';
import { PartLeaves } from './partLeaves.ts';
import { openRangeReader } from './readRange.ts';
import { openExtent } from './sqliteRanges.ts';
import { TreeComparer } from './treeComparer.ts';
import { treeFindings } from './treeFindings.ts';

// Program of a thread that compares the log of a running service with its tree once.

/** Pauses four times as long as it works: a fifth of a core at most, also where the priority does not apply. */
const PAUSE_FACTOR = 4;

// Requests have priority. Only Linux applies this to the thread alone; elsewhere it would affect the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

await serveThread<CompareTreeThread>(() => ({ requests: { compare } }));

async function compare({ log, archive, tree }: Parameters<CompareTreeThread['requests']['compare']>[0]) {
  const archived = new FollowedArchive(archive);
  const reader = openRangeReader({ kind: 'sqlite', location: log, archive });
  const extent = openExtent(log, archived);
  const comparer = new TreeComparer(tree);
  try {
    const findings: Finding[] = [];
    const entryAt = (position: number) => archived.read((current) => current?.entryAt(position));
    // Whether they are the sealed ones is found by "svc verify".
    const files = { log, tree, archived: { entryAt, areSealed: false } };
    for (const range of extent.ranges(0, extent.last)) {
      const since = performance.now();
      const leaves = new PartLeaves(comparer);
      for (const event of reader.withArchived(range)) {
        if (!Array.isArray(event)) {
          leaves.add(event.position, event.text);
          continue;
        }
        const [position, stream, revision, id, type, version, time, data, metadata] = event;
        leaves.add(position, leafEntryOf({ position, stream, revision, id, type, version, time, data, metadata }));
      }
      const differing = leaves.leaves()?.differing ?? [];
      // What follows may only follow from it.
      if (differing.length > 0) {
        findings.push(...treeFindings({ ...files, differing, tileRoots: Buffer.alloc(0), vouchedTo: 0 }));
        if (findings.length > 0) return findings;
      }
      await delay(PAUSE_FACTOR * (performance.now() - since));
    }
    return findings;
  } finally {
    comparer.close();
    extent.close();
    reader.close();
    archived.close();
  }
}
