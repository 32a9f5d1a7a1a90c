import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSqliteVault } from '../../src/vault/sqliteVault.ts';
import { startOnFolder } from '../throughput/startOnFolder.ts';
import { fillDays } from './fillDays.ts';

// `npm run bench:archive -- [--requests 10000000] [--days 120] [--keep 30] [--rounds 2] [--parent <folder>] [--folder <kept>]`: writes a
// log of that many requests, one part a day up to yesterday, archives all days but the last ones with `svc archive --compact`, and prints
// before and after: disk, the fold from nothing, and how long `svc serve` takes until it listens. Needs 1.6 kB of disk a request, and half
// as much again while it compacts. A log that `--folder` has already is used as it is. With `--part 10` it writes ten days at a time and
// archives what is older than the kept days before it goes on, as a service with a retention does: then the disk of the kept days is enough,
// and nothing is measured before.

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000000' },
    days: { type: 'string', default: '120' },
    keep: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '2' },
    parent: { type: 'string', default: tmpdir() },
    folder: { type: 'string' },
    part: { type: 'string' },
  },
});
const [requests, days, keep, rounds] = [values.requests, values.days, values.keep, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
];
const folder = values.folder ?? (await mkdtemp(join(values.parent, 'svc-bench-archive-')));
const path = join(folder, 'log.sqlite');
const print = (line: string) => process.stdout.write(`${line}\n`);
const CLI = new URL('../../src/start.mjs', import.meta.url).pathname;
const HOUR_MS = 3_600_000;

try {
  if (!readdirSync(folder).includes('log.sqlite')) {
    // The service does not start over a log without a vault.
    openSqliteVault({ folder }).close();
    if (values.part === undefined) fillDays(path, { requests, days, now: Date.now(), print });
    else await fillInParts(Number(values.part));
  }
  if (values.part === undefined) {
    await measure('before');
    await archive(['--days', String(keep), '--compact']);
  }
  await measure('after');
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

/** Removes what is derived, so that both times begin with the same. */
async function clean(): Promise<void> {
  for (const name of ['snapshots', 'tree.sqlite', 'readmodels.sqlite']) {
    for (const suffix of ['', '-wal', '-shm', '.new'])
      await rm(join(folder, name + suffix), { recursive: true, force: true });
  }
}

async function measure(when: string): Promise<void> {
  await clean();
  for (let round = 0; round < rounds; round += 1) await fold(when);
  for (let round = 0; round < rounds; round += 1) {
    await serve(when);
    await clean();
  }
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = names.map(({ parentPath, name }) => [name, statSync(join(parentPath, name)).size] as const);
  const of = (part: RegExp) => sizes.reduce((sum, [name, size]) => (part.test(name) ? sum + size : sum), 0) / 2 ** 20;
  print(
    `${when}: log ${of(/^log\.sqlite/).toFixed(0)} MiB, archive.sqlite ${of(/^archive\.sqlite/).toFixed(0)} MiB, ` +
      `archive files ${of(/\.svcarchive$/).toFixed(0)} MiB`,
  );
}

async function fillInParts(size: number): Promise<void> {
  const now = Date.now();
  for (let from = 0; from < days; from += size) {
    const to = Math.min(from + size, days);
    fillDays(path, { requests, days, now, print, part: [from, to] });
    const until = new Date(now - (days - to + keep + 1) * 24 * HOUR_MS).toISOString().slice(0, 10);
    await archive(['--until', until]);
  }
}

async function archive(args: readonly string[]): Promise<void> {
  const since = performance.now();
  const run = startOnFolder(folder, 'archive', [CLI, 'archive', ...args]);
  await run.line(args.includes('--compact') ? /^The log has \d+ bytes/m : /^(No day|\d+ events of)/m, 10 * HOUR_MS);
  await run.stop();
  print(`svc archive ${args.join(' ')} took ${((performance.now() - since) / 1_000).toFixed(0)} s`);
}

async function fold(when: string): Promise<void> {
  const program = startOnFolder(folder, 'fold', [new URL('../startup/fold.ts', import.meta.url).pathname, path]);
  print(`${when}: ${(await program.line(/^\d+ events.*$/m, HOUR_MS))[0]}`);
  await program.stop();
}

async function serve(when: string): Promise<void> {
  const since = performance.now();
  const service = startOnFolder(folder, 'serve', [CLI, 'serve']);
  await service.line(/listening on/, HOUR_MS);
  print(`${when}: svc serve listens after ${((performance.now() - since) / 1_000).toFixed(2)} s`);
  await service.stop();
}
