import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** How a bounded child ended. `exitCode` is null when a signal ended it; `timedOut` when that signal was ours. */
export type Ended = { exitCode: number | null; timedOut: boolean; stdout: string; stderr: string };

/** @param timeoutMs after it the child's whole process group is killed */
export type ChildOptions = { cwd: string; env: Record<string, string>; timeoutMs: number };

/**
 * Runs a program to its end, without stdin, and never longer than its bound. The child leads a process group of its
 * own, so that helpers which it leaves behind end with it.
 */
export async function runChild(program: string, args: readonly string[], options: ChildOptions): Promise<Ended> {
  const child = startChild(program, args, options);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  let timedOut = false;
  const bound = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, options.timeoutMs);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(bound);
  return { exitCode, timedOut, ...output };
}

/**
 * Starts a program as the leader of a process group that does not outlive this process, however it ends: a watcher
 * beside it reads from a pipe that only we hold open, and kills the group when that pipe breaks.
 */
export function startChild(program: string, args: readonly string[], { cwd, env }: Omit<ChildOptions, 'timeoutMs'>) {
  const watched = ['-c', '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-', 'sh', program, ...args];
  const child = spawn('/bin/sh', watched, { cwd, env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true });
  // The watcher, and whatever else is left of the group, would keep the pipes open and `close` from coming.
  child.once('exit', () => killGroup(child));
  return child as ChildProcess & { stdout: Readable; stderr: Readable };
}

/** Kills a child and what it started, by its own id; nothing happens when all of them are gone. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
