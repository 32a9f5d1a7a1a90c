import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepTree } from '../../src/integrity/tree/keepTree.ts';
import { TREE_FILE } from '../../src/integrity/tree/treeFile.ts';
import { fillLog } from '../startup/fillLog.ts';

// `npm run bench:tree -- [--events 1000000] [--rounds 3] [--folder <kept>]`: fills a log through the event sink, then lets the
// tree's thread make the tree of it, and reads proofs and tiles while it does nothing else.

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string' },
  },
});
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-tree-')));
const logPath = join(folder, 'log.sqlite');
const treePath = join(folder, TREE_FILE);
const print = (line: string) => process.stdout.write(`${line}\n`);
const sizeOf = async (path: string) => (await stat(path)).size;
const MIB = 2 ** 20;
const READS = 2_000;

try {
  await fillLog(logPath, { events: Number(values.events), clients: 2_000, print });
  for (let round = 0; round < Number(values.rounds); round++) await make();
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

async function make(): Promise<void> {
  await rm(treePath, { force: true });
  const memoryBefore = process.memoryUsage.rss();
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const tree = keepTree({ folder, logPath });
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const size = await tree.reached(Number(values.events), 3_600_000);
  clearInterval(sampling);
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const proofs = await timed(() => tree.inclusionProof(Math.floor(Math.random() * size), size));
  const tiles = await timed(() =>
    tree.tile({ level: 0, index: Math.floor(Math.random() * Math.floor(size / 256)), width: 256 }),
  );
  const bundles = await timed(() =>
    tree.tile({ level: 'entries', index: Math.floor(Math.random() * Math.floor(size / 256)), width: 256 }),
  );
  await tree.close();
  const [log, made] = [(await sizeOf(logPath)) / size, (await sizeOf(treePath)) / size];
  print(
    `${size} events in ${seconds.toFixed(1)} s, ${Math.round(size / seconds)}/s, ${((user + system) / size).toFixed(1)} us of CPU each; ` +
      `${log.toFixed(0)} bytes per event in the log, ${made.toFixed(0)} in the tree; ` +
      `${((peak - memoryBefore) / MIB).toFixed(0)} MiB more memory; ` +
      `a proof in ${proofs} us, a tile in ${tiles} us, a bundle in ${bundles} us`,
  );
}

/** Microseconds per read, one after the other. */
async function timed(read: () => Promise<unknown>): Promise<string> {
  const began = performance.now();
  for (let count = 0; count < READS; count++) await read();
  return (((performance.now() - began) / READS) * 1_000).toFixed(0);
}
