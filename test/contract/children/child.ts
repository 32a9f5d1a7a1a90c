import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Child extends AsyncDisposable {
  /** The lines that the process prints. */
  readonly lines: AsyncIterator<string>;
  /** Sends SIGKILL and waits until the process has ended. */
  kill(): Promise<void>;
}

/** Starts one of the programs of this folder with the Node that runs the tests. */
export function startChild(program: string, ...args: string[]): Child {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return { lines: createInterface(child.stdout)[Symbol.asyncIterator](), kill, [Symbol.asyncDispose]: kill };
}
