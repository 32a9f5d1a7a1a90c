import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rebuildTree } from '../../src/integrity/tree/rebuildTree.ts';
import { removeTreeFile, TREE_FILE } from '../../src/integrity/tree/treeFile.ts';
import { rebuildReadModels } from '../../src/readModels/sqlite/rebuild.ts';
import { type VerifyFolderOptions, verifyFolder } from '../../src/verification/verifyFolder.ts';
import { fillLog } from '../startup/fillLog.ts';
import { measureFloor } from './floor.ts';
import { measureScanRates } from './scanRates.ts';

// `npm run bench:verify -- [--events 1000000] [--rounds 3] [--folder <kept>] [--no-tree]`: fills a log through the event sink, makes its
// tree and read models, then runs `svc verify` over the folder with one thread and with one for each core, by turns without what is not the
// log. The goal is 100,000 events/s a core: at most 10 us of CPU each. Each round begins with what Node takes for a row and its digests alone,
// and with what the first events take, with the start of the threads, and the later ones (with a tree, on Linux).

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

await mkdir(folder, { recursive: true });
try {
  await fillLog(path, { events: Number(values.events), clients: 2_000, print });
  if (values.tree) rebuildTree({ folder });
  else removeTreeFile(join(folder, TREE_FILE));
  const last = rebuildReadModels({ folder });
  print(`${((await stat(path)).size / 2 ** 20).toFixed(0)} MiB on disk`);
  // A part of a log has neither fold nor read models.
  const parts: readonly (readonly [string, Partial<VerifyFolderOptions>])[] = [
    [values.tree ? 'events, chains, tree' : 'events, chains', { to: last - 1, comparesReadModels: false }],
    ['and the fold', { comparesReadModels: false }],
    ['and the read models', {}],
  ];
  for (let round = 0; round < Number(values.rounds); round++) {
    const { read, hashes } = measureFloor(path, last);
    print(
      `floor: ${(read + hashes).toFixed(1)} us of CPU an event to read its row (${read.toFixed(1)}) and to hash it five times ` +
        `(${hashes.toFixed(1)}), ${Math.round(1e6 / (read + hashes))}/s a core; load ${loadavg()[0]?.toFixed(0)}`,
    );
    for (const threads of new Set([1, availableParallelism()])) {
      const ends = [20_000, 60_000, last / 2, last].filter((end, index) => index > 1 || end < last / 2);
      if (values.tree && process.platform === 'linux')
        for (const rate of await measureScanRates({ folder, upTo: last, threads, ends }))
          print(`${threads} threads, ${rate}`);
      for (const [name, options] of parts) await verify(name, { ...options, threads });
    }
  }
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

async function verify(name: string, options: Partial<VerifyFolderOptions>): Promise<void> {
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const { ok, events } = await verifyFolder({ folder, ...options });
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = (user + system) / events;
  print(
    `${options.threads} threads, ${name}: ${events} events in ${seconds.toFixed(1)} s, ${Math.round(events / seconds)}/s; ` +
      `${cpu.toFixed(1)} us of CPU each, ${Math.round(1e6 / cpu)}/s a core, ${(((cpu / 1e6) * events) / seconds).toFixed(2)} cores used; ` +
      `peak so far ${Math.round(process.resourceUsage().maxRSS / 1_024)} MiB; ${ok ? 'intact' : 'NOT INTACT'}, load ${loadavg()[0]?.toFixed(0)}`,
  );
}
