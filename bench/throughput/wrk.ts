import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RequestBody } from './bodies.ts';

/** What wrk measured. */
export interface LoadResult {
  readonly requests: number;
  readonly durationUs: number;
  /** From the first byte of the request to the last byte of the response. */
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly errors: Readonly<Record<'connect' | 'read' | 'write' | 'status' | 'timeout' | 'unfinished', number>>;
}

/** A load on one side. */
export interface Load {
  /** Folder written by `writeBodies`. */
  readonly bodies: string;
  readonly key: string;
  readonly connections: number;
  /** Mean requests per second of an open loop; without it every connection sends as soon as its response has ended. */
  readonly rate?: number;
}

/** Runs wrk with load.lua on one thread, because all share two cores. */
export async function wrk(url: string, seconds: number, { bodies, key, connections, rate }: Load): Promise<LoadResult> {
  const script = join(import.meta.dirname, 'load.lua');
  // At a rate, a second passes before the first request, and all responses arrive before wrk ends.
  const duration = rate === undefined ? seconds : seconds + 2;
  const args = ['-t1', `-c${connections}`, `-d${duration}s`, '--timeout', '10s', '-s', script, url, '--', bodies, key];
  const pace = rate === undefined ? {} : { BENCH_RATE: String(rate), BENCH_SECONDS: String(seconds) };
  const { stdout } = await promisify(execFile)('wrk', args, { env: { PATH: process.env.PATH, ...pace } });
  const result = stdout.match(/^result (.*)$/m)?.[1];
  if (result === undefined) throw new Error(`wrk printed no result:\n${stdout}`);
  return JSON.parse(result);
}

export const requestsPerSecond = ({ requests, durationUs }: LoadResult): number => requests / (durationUs / 1e6);

/** @returns the number of requests that failed in any way */
export const failuresOf = ({ errors }: LoadResult): number =>
  Object.values(errors).reduce((sum, count) => sum + count, 0);

/**
 * Writes the bodies to files, and an index with lines of `name session` (`-` for none), because the Lua of wrk has no JSON.
 * @returns the folder
 */
export function writeBodies(folder: string, bodies: readonly RequestBody[]): string {
  mkdirSync(folder);
  for (const [index, body] of bodies.entries()) writeFileSync(join(folder, `${index}.json`), body.json);
  const lines = bodies.map(({ session }, index) => `${index}.json ${session || '-'}\n`);
  writeFileSync(join(folder, 'index'), lines.join(''));
  return folder;
}
