import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ProxyProgramOptions } from './proxyProgram.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** A proxy program in a process of its own. */
export interface ProxyProcess {
  /** With the credentials. */
  readonly url: string;
  /** Host and port. */
  readonly name: string;
  /** Kills the process, with all connections. */
  kill(): Promise<void>;
  /** Stops the process from doing anything, without closing its port or connections. */
  freeze(): void;
}

/** @throws Error when the process ends before it listens */
export async function startProxyProcess(options: ProxyProgramOptions): Promise<ProxyProcess> {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [MAIN, JSON.stringify(options)]);
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += String(text);
  });
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), exited.then(() => undefined)]);
  if (!line) throw new Error(`the proxy program ended: ${errors}`);
  const { url, name } = JSON.parse(String(line[0])) as { url: string; name: string };
  return {
    url,
    name,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    freeze: () => void child.kill('SIGSTOP'),
  };
}
