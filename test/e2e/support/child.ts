import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a bounded child ended. `exitCode` is null when a signal ended it; `timedOut` when that signal was ours. */
export type Ended = { exitCode: number | null; timedOut: boolean; stdout: string; stderr: string };

/** @param timeoutMs after it the child's whole process group is killed */
export type ChildOptions = { cwd: string; env: Record<string, string>; timeoutMs: number };

/**
 * Runs a program to its end, without stdin, and never longer than its bound. The child leads a process group of its own,
 * so that helpers which it leaves behind end with it.
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
  try {
    const [exitCode] = (await once(child, 'close')) as [number | null];
    return { exitCode, timedOut, ...output };
  } finally {
    clearTimeout(bound);
    killGroup(child);
  }
}

/** Starts a program as the leader of a process group that does not outlive this process. */
export function startChild(program: string, args: readonly string[], { cwd, env }: Omit<ChildOptions, 'timeoutMs'>) {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const killAtExit = () => killGroup(child);
  process.once('exit', killAtExit);
  child.once('close', () => process.off('exit', killAtExit));
  return child;
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
