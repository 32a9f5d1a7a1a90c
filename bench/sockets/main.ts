import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { killChildren, start } from '../throughput/child.ts';
import { integer, percentile, print } from '../throughput/figures.ts';
import type { Provider } from '../throughput/provider.ts';
import { type Side, startProduct } from '../throughput/side.ts';

// `npm run bench:sockets -- [--idle 1800] [--busy 200] [--requests 20]`: what a websocket costs. Memory of a pair, the delay of
// an event against SSE while others are idle, and requests per second and CPU per request against POST.

const { values } = parseArgs({
  options: {
    idle: { type: 'string', default: '1800' },
    busy: { type: 'string', default: '200' },
    requests: { type: 'string', default: '20' },
    deltas: { type: 'string', default: '100' },
    every: { type: 'string', default: '100' },
    entry: { type: 'string', default: join(import.meta.dirname, '../../src/start.mjs') },
  },
});
/** A key may have 64 sockets. */
const SOCKETS_OF_A_KEY = 60;
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-sockets-'));
const [idle, busy] = [Number(values.idle), Number(values.busy)];

try {
  const provider = await startProvider();
  const product = await startProduct(provider, { entry: values.entry, folder, label: 'product' });
  const keys = await newKeys(product, Math.ceil((idle + busy) / SOCKETS_OF_A_KEY) + 1);
  const delays = { deltas: Number(values.deltas), everyMs: Number(values.every), conversations: busy, requests: 1 };
  const load = { deltas: 20, everyMs: 0, conversations: Math.min(busy, 64), requests: Number(values.requests) };
  const warmUp = { ...load, requests: 5, idle: 0 };
  for (const transport of ['http', 'websocket'] as const) await run(product, keys, { transport, ...warmUp });
  for (const transport of ['http', 'websocket', 'http', 'websocket'] as const) {
    const cpuBefore = cpuMs(product.pid);
    const { seconds } = await run(product, keys, { transport, ...load, idle: 0 });
    const requests = load.conversations * load.requests;
    const cpu = (cpuMs(product.pid) - cpuBefore) / requests;
    print(`${transport}: ${integer(requests / seconds)} requests a second, ${cpu.toFixed(2)} ms of CPU each`);
  }
  const before = megabytesOf(product.pid);
  for (const transport of ['http', 'websocket'] as const) {
    const { delaysMs, readyMb, stillOpen } = await run(product, keys, { transport, ...delays, idle });
    const sorted = delaysMs.toSorted((a, b) => a - b);
    const [p50, p99] = [50, 99].map((percent) => percentile(sorted, percent).toFixed(2));
    const kb = (((readyMb - before) * 1_000) / idle).toFixed(0);
    print(
      `${transport}: ${integer(delaysMs.length)} events, p50 ${p50} ms, p99 ${p99} ms beside ${stillOpen} idle sockets, ` +
        `which took ${kb} kB each (${before} -> ${readyMb} MB)`,
    );
  }
  await product.stop();
  await provider.stop();
} finally {
  killChildren();
  rmSync(folder, { recursive: true });
}

async function startProvider(): Promise<Provider> {
  const child = start(process.execPath, [join(import.meta.dirname, 'provider.ts')], {}, join(folder, 'provider.log'));
  const [, url = ''] = await child.line(/listening on (http:\/\/\S+)/);
  return { url, pid: child.pid, stop: () => child.stop() };
}

async function newKeys({ base, key }: Side, count: number): Promise<string[]> {
  const keys = [key];
  while (keys.length < count) {
    const response = await fetch(`${base}/api/api-keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: `bench ${keys.length}` }),
    });
    keys.push(((await response.json()) as { key: string }).key);
  }
  return keys;
}

interface Load {
  readonly transport: 'http' | 'websocket';
  readonly conversations: number;
  readonly requests: number;
  readonly idle: number;
  readonly everyMs: number;
  readonly deltas: number;
}

/** @returns what the clients measured, and the memory of the service once the idle sockets are open */
async function run({ url, pid }: Side, keys: readonly string[], load: Load) {
  const order = JSON.stringify({ url, keys, ...load });
  const client = spawn(process.execPath, [join(import.meta.dirname, 'client.ts'), order], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let readyMb = 0;
  let report: { seconds: number; stillOpen: number; delaysMs: number[] } | undefined;
  for await (const line of createInterface(client.stdout)) {
    const said = JSON.parse(line);
    if (said.ready) readyMb = megabytesOf(pid);
    else {
      report = said;
      client.stdin.end();
    }
  }
  if (!report) throw new Error('the clients failed');
  return { ...report, readyMb };
}

/** User and system time of a process so far. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** @returns the resident set size of a process */
function megabytesOf(pid: number): number {
  const [, kilobytes = '0'] = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+) kB$/m) ?? [];
  return Math.round(Number(kilobytes) / 1_000);
}
