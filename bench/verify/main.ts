import { mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rebuildTree } from '../../src/integrity/tree/rebuildTree.ts';
import { removeTreeFile, TREE_FILE } from '../../src/integrity/tree/treeFile.ts';
import { verifyFolder } from '../../src/verification/verifyFolder.ts';
import { fillLog } from '../startup/fillLog.ts';

// `npm run bench:verify -- [--events 1000000] [--rounds 3] [--folder <kept>] [--no-tree]`: fills a log through the event sink, makes its
// tree, then runs `svc verify` over the folder with one thread and with one for each core. The goal is 100,000 events/s a core: at most
// 10 us of CPU each, fold and comparison with the tree included.

const { values } = parseArgs({
  allowNegative: true,
  options: {
    events: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string' },
    tree: { type: 'boolean', default: true },
  },
});
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-verify-')));
const path = join(folder, 'log.sqlite');
const print = (line: string) => process.stdout.write(`${line}\n`);

try {
  await fillLog(path, { events: Number(values.events), clients: 2_000, print });
  if (values.tree) rebuildTree({ folder });
  else removeTreeFile(join(folder, TREE_FILE));
  print(`${((await stat(path)).size / 2 ** 20).toFixed(0)} MiB on disk`);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const threads of new Set([1, availableParallelism()])) await verify(threads);
  }
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

async function verify(threads: number): Promise<void> {
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  let steps = '';
  let stepBegan = began;
  const onStep = (step: string) => {
    const now = performance.now();
    steps += `, ${((now - stepBegan) / 1_000).toFixed(1)} s until "${step}"`;
    stepBegan = now;
  };
  const { ok, events, root } = await verifyFolder({ folder, threads, onStep });
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = ((user + system) / events).toFixed(1);
  print(
    `${threads} threads: ${events} events in ${seconds.toFixed(1)} s, ${Math.round(events / seconds)}/s, ${cpu} us of CPU each, ` +
      `${ok ? 'intact' : 'NOT INTACT'}, root ${root?.slice(0, 8)}${steps}`,
  );
}
