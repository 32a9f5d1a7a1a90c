import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';

/** A program that this run has started. */
export interface Child {
  readonly pid: number;
  /** Resolves with the first match in the output. */
  line(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>;
  /** Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when the process has ended. */
  stop(graceMs?: number): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Kills the processes that this run has started; called when it fails. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a program with this environment only, so that the developer's shell does not affect a measurement. */
export function start(command: string, args: readonly string[], env: Record<string, string>, logFile: string): Child {
  const child = spawn(command, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const log = createWriteStream(logFile);
  let output = '';
  const onOutput = (chunk: Buffer) => {
    log.write(chunk);
    if (output.length < 100_000) output += chunk;
  };
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  const ended = once(child, 'close').finally(() => running.delete(child));
  ended.catch(() => {}); // `line` reports it, which every start awaits

  return {
    pid: child.pid ?? 0,
    async line(pattern, timeoutMs = 30_000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const match = output.match(pattern);
        if (match) return match;
        if (!running.has(child) || Date.now() > deadline) throw new Error(startFailure(command, args, logFile));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async stop(graceMs = 10_000) {
      if (!running.has(child)) return;
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(hard);
    },
  };
}

function startFailure(command: string, args: readonly string[], logFile: string): string {
  const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  return `${command} ${args.join(' ')} did not start:\n${tail}`;
}
