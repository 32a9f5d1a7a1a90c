import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { killChildren, start } from '../throughput/child.ts';
import { percentile, print } from '../throughput/figures.ts';
import type { Provider } from '../throughput/provider.ts';
import { type Side, startBare, startProduct } from '../throughput/side.ts';

// `npm run bench:streams -- [--streams 2000] [--every 1000] [--seconds 90]`: open streams with an event every `--every` ms
// each, through a bare pass-through and then through the service with every feature enabled. Goals: an added
// delay per event of p99 5 ms; 300 MB, flat over time (docs/decisions/0003-performance-goals.md).

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '2000' },
    every: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '90' },
    entry: { type: 'string', default: join(import.meta.dirname, '../../src/start.mjs') },
    'product-only': { type: 'boolean', default: false },
  },
});
const RAMP_SECONDS = 15;
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-streams-'));

interface ClientReport {
  readonly open: number;
  readonly ended: number;
  readonly broken: number;
  readonly delaysMs: readonly number[];
}

try {
  const provider = await startProvider();
  const bare = values['product-only'] ? undefined : await measure(await startBare(provider, folder));
  const product = await measure(await startProduct(provider, { entry: values.entry, folder, label: 'product' }));
  for (const percent of bare ? [50, 99, 99.9] : []) {
    print(`ADDED p${percent}: ${(percentile(product, percent) - percentile(bare ?? [], percent)).toFixed(2)} ms`);
  }
  await provider.stop();
} finally {
  killChildren();
  rmSync(folder, { recursive: true });
}

async function startProvider(): Promise<Provider> {
  const args = [join(import.meta.dirname, 'provider.ts'), values.every, values.seconds];
  const child = start(process.execPath, args, {}, join(folder, 'provider.log'));
  const [, url = ''] = await child.line(/listening on (http:\/\/\S+)/);
  return { url, pid: child.pid, stop: () => child.stop() };
}

/** @returns the sorted delays of events while all streams were open */
async function measure(side: Side): Promise<number[]> {
  const args = [join(import.meta.dirname, 'client.ts'), side.url, side.key, values.streams, String(RAMP_SECONDS)];
  const client = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const delays: number[] = [];
  print(`${side.name}: ${megabytesOf(side.pid)} MB before the first stream`);
  for await (const line of createInterface(client.stdout)) {
    const { open, ended, broken, delaysMs } = JSON.parse(line) as ClientReport;
    const sorted = delaysMs.toSorted((a, b) => a - b);
    if (open === Number(values.streams)) delays.push(...delaysMs);
    print(
      `${side.name}: ${open} open, ${ended} completed, ${broken} broken, ${delaysMs.length} events, ` +
        `p50 ${percentile(sorted, 50).toFixed(2)} p99 ${percentile(sorted, 99).toFixed(2)} ms, ${megabytesOf(side.pid)} MB`,
    );
  }
  await side.stop();
  delays.sort((a, b) => a - b);
  const percentiles = [50, 99, 99.9].map((percent) => `p${percent} ${percentile(delays, percent).toFixed(2)} ms`);
  print(`${side.name}: ${delays.length} events while all were open, ${percentiles.join(', ')}`);
  return delays;
}

/** @returns the resident set size of a process */
function megabytesOf(pid: number): number {
  const [, kilobytes = '0'] = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+) kB$/m) ?? [];
  return Math.round(Number(kilobytes) / 1_000);
}
