import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceIo } from '../../../src/app/wiring/foundation.ts';
import { killGroup, startChild } from '../../e2e/support/child.ts';
import { COMPILED } from '../../support/compiled.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface ServeOptions {
  /** SVC_DATA_DIR. */
  readonly folder: string;
  readonly provider?: { readonly baseUrl: string; readonly authUrl: string };
  /** Environment variables added to the defaults, or replacing them. */
  readonly env?: Readonly<Record<string, string>>;
  /** The process is killed after this time. */
  readonly timeoutMs?: number;
  /** Program and arguments; default `node src/start.mjs serve`. */
  readonly command?: readonly string[];
  /** Shorter times of websockets; in this process only. */
  readonly socketTimes?: ServiceIo['socketTimes'];
}

/** How a service ended. `exitCode` is null when a signal ended it. */
export interface ServiceExit {
  readonly exitCode: number | null;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** A started service; `await using` stops it. */
export interface RunningService extends AsyncDisposable {
  /** Resolves with the service's URL once it listens. @throws Error with its output when it exits before that */
  listening(): Promise<string>;
  /** Shuts the service down in order. */
  stop(): Promise<ServiceExit>;
}

/** The service in a process of its own. */
export interface ServiceProcess extends RunningService {
  readonly pid: number;
  readonly ended: Promise<ServiceExit>;
  /** Resolves once a line of stdout matches. @throws Error when the process exits before that */
  printed(line: RegExp): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGKILL immediately; resolves when the process has exited. */
  kill(): Promise<ServiceExit>;
}

const DEFAULT_TIMEOUT_MS = 120_000;

const NODE_24 = process.execPath;

/** The address of a provider for tests that send it no request: no server listens there. */
const UNUSED_PROVIDER = { baseUrl: 'http://127.0.0.1:9/backend-api', authUrl: 'http://127.0.0.1:9' };

/** The environment variables of a service over a data folder, on free ports. */
export const environmentFor = ({
  folder,
  provider = UNUSED_PROVIDER,
  env = {},
}: ServeOptions): Readonly<Record<string, string>> => ({
  SVC_PORT: '0',
  SVC_OAUTH_CALLBACK_PORT: '0',
  SVC_DATA_DIR: folder,
  SVC_UPSTREAM_BASE_URL: provider.baseUrl,
  SVC_AUTH_BASE_URL: provider.authUrl,
  SVC_USAGE_REFRESH_SECONDS: '3600',
  ...env,
});

/** Starts `node src/start.mjs serve` on a free port over a data folder. */
export function serve(options: ServeOptions): ServiceProcess {
  const { folder, timeoutMs: boundMs = DEFAULT_TIMEOUT_MS, command = [NODE_24, 'src/start.mjs', 'serve'] } = options;
  const [program = NODE_24, ...args] = command;
  const child = startChild(program, args, {
    cwd: repository,
    env: { PATH: process.env.PATH ?? '', HOME: folder, NODE_COMPILE_CACHE: COMPILED, ...environmentFor(options) },
  });
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const notify of [...watchers]) notify();
    });
  }
  const timer = setTimeout(() => killGroup(child), boundMs);
  const ended = once(child, 'close').then(([exitCode]): ServiceExit => {
    clearTimeout(timer);
    return { exitCode: exitCode as number | null, stdout: linesOf(output.stdout), stderr: linesOf(output.stderr) };
  });

  function find(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = pattern.exec(output.stdout);
        if (!found) return;
        watchers.delete(check);
        resolve(found);
      };
      watchers.add(check);
      check();
      void ended.then(({ exitCode }) =>
        reject(new Error(`exited with ${exitCode} before it printed ${pattern}:\n${output.stdout}${output.stderr}`)),
      );
    });
  }

  const kill = (): Promise<ServiceExit> => {
    child.kill('SIGKILL');
    return ended;
  };
  return {
    pid: child.pid as number,
    ended,
    kill,
    listening: async () => (await find(/listening on (http:\S+)\n/))[1] as string,
    printed: async (line) => void (await find(line)),
    signal: (name) => void child.kill(name),
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async [Symbol.asyncDispose]() {
      await kill();
    },
  };
}

/** Lines without the time, the level and the fields that the log of the service adds. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z [a-z]+ +/, '').replace(/ \[(\w+=("(\\"|[^"])*"|\S+) ?)+\]$/, ''),
    );
