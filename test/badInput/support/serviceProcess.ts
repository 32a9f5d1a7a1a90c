import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { COMPILED } from '../../support/compiled.ts';
import type { Provider } from '../../support/provider/provider.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const KIB = 1_024;
const MIB = 1_048_576;

export interface ServiceProcessOptions {
  /** Command line flags for Node. */
  readonly flags?: readonly string[];
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the service in its own process, so that its memory can be measured, and imports an account of the provider. */
export async function startServiceProcess(provider: Provider, { flags = [], env = {} }: ServiceProcessOptions = {}) {
  const data = mkdtempSync(join(tmpdir(), 'svc-process-'));
  const child = spawn(process.execPath, [...flags, 'src/start.mjs', 'serve'], {
    cwd: repository,
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: COMPILED,
      SVC_PORT: '0',
      SVC_DATA_DIR: data,
      SVC_UPSTREAM_BASE_URL: provider.baseUrl,
      SVC_AUTH_BASE_URL: provider.authUrl,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listening = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /listening on (http:\/\/\S+)/.exec(output)?.[1];
      if (url !== undefined) listening.resolve(url);
    });
  }
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  void ended.then((code) => listening.reject(new Error(`the service ended with ${code}:\n${output}`)));
  const url = await listening.promise;
  // What operators use starts after the port is open, and the token of the first sign-in is printed then.
  const lastLineOfStart = /setup_token \S+\n/;
  await vi.waitUntil(() => lastLineOfStart.test(output), { timeout: 30_000, interval: 10 });
  const start = output.search(lastLineOfStart) + (lastLineOfStart.exec(output)?.[0].length ?? 0);

  const form = new FormData();
  const account = provider.addAccount();
  form.set('auth_json', new Blob([JSON.stringify(account.authFile())]), 'auth.json');
  const imported = await fetch(`${url}/api/accounts/import`, { method: 'POST', body: form });
  if (!imported.ok) throw new Error(`the import responded ${imported.status}: ${await imported.text()}`);

  /** A value of /proc/<pid>/status in MiB; undefined except on Linux. */
  const memory = (line: 'VmRSS' | 'VmHWM'): number | undefined => {
    if (process.platform !== 'linux') return undefined;
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const kib = Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    return Math.round((kib * KIB) / MIB);
  };

  return {
    url,
    account,
    /** Sends the process a signal. */
    signal: (name: NodeJS.Signals) => child.kill(name),
    /** All output after the lines of the start. */
    output: () => output.slice(start).trim(),
    memoryNow: () => memory('VmRSS'),
    /** The maximum so far. */
    memoryPeak: () => memory('VmHWM'),
    /** @returns the exit code */
    async stop() {
      child.kill('SIGTERM');
      const code = await ended;
      rmSync(data, { recursive: true, force: true });
      return code;
    },
  };
}

export type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>;
