import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Child extends AsyncDisposable {
  /** Returns the next lines that the process prints. @throws Error when it ends before */
  take(count: number): Promise<string[]>;
  /** Returns all further lines, once the process has ended. */
  rest(): Promise<string[]>;
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
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${program} ended by itself: ${child.exitCode ?? child.signalCode}`);
    return value;
  };
  return {
    async take(count) {
      const taken: string[] = [];
      while (taken.length < count) taken.push(await next());
      return taken;
    },
    rest: () => Array.fromAsync({ [Symbol.asyncIterator]: () => lines }),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
