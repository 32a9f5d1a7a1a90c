import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { killChildren, start } from '../throughput/child.ts';
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
const print = (line: string) => process.stdout.write(`${line}\n`);
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
  for (const share of bare ? [0.5, 0.99, 0.999] : []) {
    print(`ADDED p${share * 100}: ${(percentile(product, share) - percentile(bare ?? [], share)).toFixed(2)} ms`);
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
        `p50 ${percentile(sorted, 0.5).toFixed(2)} p99 ${percentile(sorted, 0.99).toFixed(2)} ms, ${megabytesOf(side.pid)} MB`,
    );
  }
  await side.stop();
  delays.sort((a, b) => a - b);
  const percentiles = [0.5, 0.99, 0.999].map((share) => `p${share * 100} ${percentile(delays, share).toFixed(2)} ms`);
  print(`${side.name}: ${delays.length} events while all were open, ${percentiles.join(', ')}`);
  return delays;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Resident set size. */
function megabytesOf(pid: number): number {
  const [, kilobytes = '0'] = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+) kB$/m) ?? [];
  return Math.round(Number(kilobytes) / 1_000);
}
