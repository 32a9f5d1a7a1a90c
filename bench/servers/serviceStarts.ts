import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { start } from '../throughput/child.ts';
import { fixed } from '../throughput/figures.ts';
import { MALLOC_ENVIRONMENT, NODE_OPTIONS } from '../throughput/npmStart.ts';
import { threadTimes, total, waitUntilIdle } from '../throughput/threadTimes.ts';
import { measure } from './measure.ts';

export interface ServiceStartsOptions {
  /** The data folder, created here. */
  readonly folder: string;
  /** Connection string of EventStoreDB. */
  readonly url: string;
  readonly events: number;
  readonly print: (line: string) => void;
}

const SOURCES = join(import.meta.dirname, '../../src');
const LISTEN_TIMEOUT_MS = 600_000;
const STOP_TIMEOUT_MS = 60_000;
/** With fewer events svc takes no snapshot. */
const MIN_SNAPSHOT_EVENTS = 100_000;

/** Measures how long `svc serve` takes to listen: with an empty data folder, with a mirror, and with a snapshot as well. */
export async function measureServiceStarts({ folder, url, events, print }: ServiceStartsOptions): Promise<void> {
  await mkdir(folder);
  const snapshots = join(folder, 'snapshots');
  const env = {
    ...MALLOC_ENVIRONMENT,
    PATH: process.env.PATH ?? '',
    SVC_DATA_DIR: folder,
    SVC_PORT: '0',
    SVC_OAUTH_CALLBACK_PORT: '0',
    SVC_UPSTREAM_BASE_URL: 'http://127.0.0.1:9/backend-api',
    SVC_EVENTSTORE_URL: url,
    SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    // As in `npm start` after `npm ci`.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  };

  async function startUntilListening(label: string) {
    const service = start(
      process.execPath,
      [...NODE_OPTIONS, join(SOURCES, 'start.mjs'), 'serve'],
      env,
      join(folder, 'serve.txt'),
    );
    await measure(`svc serve listens, ${label}`, events, print, () => service.line(/listening on/, LISTEN_TIMEOUT_MS));
    print(`  ${fixed(total(threadTimes(service.pid)) / 1e6, 1)} s of CPU in all its threads`);
    return service;
  }

  execFileSync(process.execPath, [...NODE_OPTIONS, join(SOURCES, 'app/compileAhead.mjs')], { env });
  const first = await startUntilListening('no copy of the log');
  // Until read models, tree, snapshot and verification are done, one after the other.
  await waitUntilIdle(first.pid);
  print(`  peak of ${peakMiB(first.pid)} MiB until it rests`);
  await first.stop(STOP_TIMEOUT_MS);
  await rm(snapshots, { recursive: true, force: true });
  const second = await startUntilListening('with a copy');
  if (events < MIN_SNAPSHOT_EVENTS) return second.stop(STOP_TIMEOUT_MS);
  while (!existsSync(snapshots) || readdirSync(snapshots).length === 0) await delay(100);
  await second.stop(STOP_TIMEOUT_MS);
  const third = await startUntilListening('with a snapshot');
  await third.stop(STOP_TIMEOUT_MS);
}

/** The most memory that a process has had at once, without what was swapped out. */
function peakMiB(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1_024);
}
