import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';

export interface Child {
  readonly pid: number;
  /** Resolves with the match of the first line of output that fits. */
  line(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>;
  /** SIGTERM, then SIGKILL after `graceMs`. Resolves once the process is gone. */
  stop(graceMs?: number): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Ends what this run has started and nothing else; for the way out when something threw. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a program with exactly this environment, so that settings of the developer's shell do not change a measurement. */
export function start(command: string, args: readonly string[], env: Record<string, string>, logFile: string): Child {
  const child = spawn(command, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const log = createWriteStream(logFile);
  let output = '';
  const heard = (chunk: Buffer) => {
    log.write(chunk);
    if (output.length < 100_000) output += chunk;
  };
  child.stdout.on('data', heard);
  child.stderr.on('data', heard);
  const gone = once(child, 'close').finally(() => running.delete(child));
  gone.catch(() => {}); // told by `line`, which is what a start waits for

  return {
    pid: child.pid ?? 0,
    async line(pattern, timeoutMs = 30_000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const match = output.match(pattern);
        if (match) return match;
        if (!running.has(child) || Date.now() > deadline) throw new Error(failure(command, args, logFile));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async stop(graceMs = 10_000) {
      if (!running.has(child)) return;
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await gone;
      clearTimeout(hard);
    },
  };
}

function failure(command: string, args: readonly string[], logFile: string): string {
  const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  return `${command} ${args.join(' ')} did not start:\n${tail}`;
}
