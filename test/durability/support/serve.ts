import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killGroup, startChild } from '../../e2e/support/child.ts';
import { COMPILED } from '../../support/compiled.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface ServeOptions {
  /** SVC_DATA_DIR. */
  readonly folder: string;
  readonly provider?: { readonly baseUrl: string; readonly authUrl: string };
  /** Settings besides, or instead of, the usual ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** No child of a test lives longer. */
  readonly boundMs?: number;
  /** What runs; `node src/app/cli.ts serve` otherwise. */
  readonly command?: readonly string[];
}

/** How a service ended. `exitCode` is null when a signal ended it. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** A service that was started; `await using` makes sure that it is gone. */
export interface Running extends AsyncDisposable {
  /** Resolves with its address once it listens. @throws with what it said when it ends before, or takes too long */
  listening(): Promise<string>;
  /** Stops it in order. */
  stop(): Promise<Ended>;
}

/** The real service in a process of its own. */
export interface Served extends Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves once a line of stdout matches. @throws when it ends before */
  saying(line: RegExp): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** `kill -9`, as of this very moment; resolves when it is gone. */
  kill(): Promise<Ended>;
}

const BOUND_MS = 60_000;

const NODE_24 = process.execPath;

/** A provider that nobody is to ask. */
const NONE = { baseUrl: 'http://127.0.0.1:9/backend-api', authUrl: 'http://127.0.0.1:9' };

/** The environment by which a service runs over the folder, on free ports. */
export const settingsFor = ({ folder, provider = NONE, env = {} }: ServeOptions): Readonly<Record<string, string>> => ({
  SVC_PORT: '0',
  SVC_OAUTH_CALLBACK_PORT: '0',
  SVC_DATA_DIR: folder,
  SVC_UPSTREAM_BASE_URL: provider.baseUrl,
  SVC_AUTH_BASE_URL: provider.authUrl,
  SVC_USAGE_REFRESH_SECONDS: '3600',
  ...env,
});

/** Starts `node src/app/cli.ts serve` on a free port over a data folder. */
export function serve(options: ServeOptions): Served {
  const { folder, boundMs = BOUND_MS, command = [NODE_24, 'src/app/cli.ts', 'serve'] } = options;
  const [program = NODE_24, ...args] = command;
  const child = startChild(program, args, {
    cwd: repository,
    env: { PATH: process.env.PATH ?? '', HOME: folder, NODE_COMPILE_CACHE: COMPILED, ...settingsFor(options) },
  });
  const said = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
      for (const look of [...watchers]) look();
    });
  }
  const bound = setTimeout(() => killGroup(child), boundMs);
  const ended = once(child, 'close').then(([exitCode]): Ended => {
    clearTimeout(bound);
    return { exitCode: exitCode as number | null, stdout: linesOf(said.stdout), stderr: linesOf(said.stderr) };
  });

  function find(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(said.stdout);
        if (!found) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
      void ended.then(({ exitCode }) =>
        reject(new Error(`ended with ${exitCode} before it said ${pattern}:\n${said.stdout}${said.stderr}`)),
      );
    });
  }

  const kill = (): Promise<Ended> => {
    child.kill('SIGKILL');
    return ended;
  };
  return {
    pid: child.pid as number,
    ended,
    kill,
    listening: async () => (await find(/listening on (http:\S+)\n/))[1] as string,
    saying: async (line) => void (await find(line)),
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

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
