import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';

export interface RunningBuild {
  readonly ended: Promise<BuildOutcome>;
  /** Ends the build and waits for that. */
  stop(): Promise<void>;
}

export type BuildOutcome =
  /** `seconds` is undefined when another process has built it meanwhile. */
  { readonly kind: 'built'; readonly seconds?: number } | { readonly kind: 'failed'; readonly reason: string };

/** What dashboard/scripts/build.mjs sends. */
type Message =
  | { readonly kind: 'begun' }
  | { readonly kind: 'done'; readonly seconds?: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Twice what one process waits for another one that builds. */
const MAX_BUILD_MS = 30 * 60_000;
const KILL_AFTER_MS = 2_000;
const MAX_REASON_LENGTH = 400;

/**
 * Builds the dashboard in a process of its own, which ends with this one.
 * @param program path of dashboard/scripts/build.mjs
 * @param into folder that gets the build
 * @param onBegun called when the build begins, instead of waiting for that of another process
 */
export function runBuild(program: string, into: string, onBegun: () => void): RunningBuild {
  const child = fork(program, ['--into', into], {
    execArgv: [],
    env: environmentForBuild(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return {
    ended: outcomeOf(child, onBegun),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** No settings of svc, some of which are secrets; and what vite compiles is not worth keeping. */
const environmentForBuild = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    // biome-ignore lint/style/noProcessEnv: it is passed on, not read
    Object.entries(process.env).filter(([name]) => !/^(SVC_|FIREWALL_|NODE_COMPILE_CACHE$)/.test(name)),
  );

async function outcomeOf(child: ChildProcess, onBegun: () => void): Promise<BuildOutcome> {
  let outcome: BuildOutcome | undefined;
  let output = '';
  child.on('message', (message: Message) => {
    if (message.kind === 'begun') onBegun();
    else if (message.kind === 'failed') outcome = { kind: 'failed', reason: shortened(message.reason) };
    else outcome = { kind: 'built', ...(message.seconds !== undefined && { seconds: message.seconds }) };
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-10 * MAX_REASON_LENGTH);
  });
  const timer = setTimeout(() => {
    outcome = { kind: 'failed', reason: `it took more than ${MAX_BUILD_MS / 60_000} minutes` };
    child.kill('SIGKILL');
  }, MAX_BUILD_MS).unref();
  const ending = await new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (exitCode, signal) =>
      resolve(
        signal === null
          ? `it ended with ${exitCode}: ${output}`
          : `it was ended by ${signal}${signal === 'SIGKILL' ? ', perhaps for lack of memory' : ''}`,
      ),
    );
  });
  clearTimeout(timer);
  return outcome ?? { kind: 'failed', reason: shortened(ending) };
}

/** The beginning, on one line: vite shows the place in the source after it. */
function shortened(reason: string): string {
  const line = stripVTControlCharacters(reason).replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_REASON_LENGTH ? line : `${line.slice(0, MAX_REASON_LENGTH)} ...`;
}
