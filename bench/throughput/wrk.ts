import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RequestBody } from './bodies.ts';

export interface LoadResult {
  readonly requests: number;
  readonly durationUs: number;
  /** From the request's first byte out to the answer's last byte in. */
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly errors: Readonly<Record<'connect' | 'read' | 'write' | 'status' | 'timeout' | 'unfinished', number>>;
}

export interface Load {
  /** Folder with one file a body, as `writeBodies` leaves it. */
  readonly bodies: string;
  readonly key: string;
  readonly connections: number;
  /** Mean requests per second of an open loop; without it every connection sends again as soon as its answer ended. */
  readonly rate?: number;
}

/** Runs wrk with load.lua. One wrk thread: there are two cores for all. */
export async function wrk(url: string, seconds: number, { bodies, key, connections, rate }: Load): Promise<LoadResult> {
  const script = join(import.meta.dirname, 'load.lua');
  // at a rate a second passes before the first request, and all answers come in before wrk ends
  const duration = rate === undefined ? seconds : seconds + 2;
  const args = ['-t1', `-c${connections}`, `-d${duration}s`, '--timeout', '10s', '-s', script, url, '--', bodies, key];
  const pace = rate === undefined ? {} : { BENCH_RATE: String(rate), BENCH_SECONDS: String(seconds) };
  const { stdout } = await promisify(execFile)('wrk', args, { env: { PATH: process.env.PATH, ...pace } });
  const result = stdout.match(/^result (.*)$/m)?.[1];
  if (result === undefined) throw new Error(`wrk said no result:\n${stdout}`);
  return JSON.parse(result);
}

export const requestsPerSecond = ({ requests, durationUs }: LoadResult): number => requests / (durationUs / 1e6);

export const failures = ({ errors }: LoadResult): number =>
  Object.values(errors).reduce((sum, count) => sum + count, 0);

/** wrk's Lua has no JSON: the bodies reach it as files and an index of `name session` lines. */
export function writeBodies(folder: string, bodies: readonly RequestBody[]): string {
  mkdirSync(folder);
  for (const [index, body] of bodies.entries()) writeFileSync(join(folder, `${index}.json`), body.json);
  writeFileSync(join(folder, 'index'), bodies.map(({ session }, index) => `${index}.json ${session}\n`).join(''));
  return folder;
}
