import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** How a child process ended. `exitCode` is null after a signal; `timedOut` if that was our time-out. */
export type ChildResult = { exitCode: number | null; timedOut: boolean; stdout: string; stderr: string };

/** @param timeoutMs the child's process group is killed after it */
export type ChildOptions = { cwd: string; env: Record<string, string>; timeoutMs: number };

/**
 * Runs a program to its end, without stdin, until the time-out at most. The child leads its own process group, so that
 * its remaining children are killed with it.
 */
export async function runChild(program: string, args: readonly string[], options: ChildOptions): Promise<ChildResult> {
  const child = startChild(program, args, options);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  let timedOut = false;
  const timeout = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, options.timeoutMs);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(timeout);
  return { exitCode, timedOut, ...output };
}

/**
 * Starts a program as the leader of a process group that does not outlive this process, however it ends: a watcher in
 * the group reads from a pipe that only this process has open, and kills the group when the pipe is closed.
 *
 * @param input whether the child gets a stdin
 */
export function startChild(
  program: string,
  args: readonly string[],
  { cwd, env, input = false }: Omit<ChildOptions, 'timeoutMs'> & { input?: boolean },
) {
  const shellArgs = ['-c', '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-', 'sh', program, ...args];
  const child = spawn('/bin/sh', shellArgs, {
    cwd,
    env,
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // The watcher and other remaining processes of the group would keep the pipes open and delay `close`.
  child.once('exit', () => killGroup(child));
  return child as ChildProcess & { stdout: Readable; stderr: Readable };
}

/** Kills a child and its process group; does nothing when all have ended. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
