import { serve } from '../../durability/support/serve.ts';

type Environment = Readonly<Record<string, string>>;

/** A command of svc in a process of its own. */
export const startSvc = (folder: string, args: readonly string[], env: Environment = {}) =>
  serve({ folder, env, timeoutMs: 180_000, command: [process.execPath, 'src/start.mjs', ...args] });

/** Runs a command of svc in a process of its own, to its end. */
export const runSvc = (folder: string, args: readonly string[], env: Environment = {}) =>
  startSvc(folder, args, env).ended;

/** Runs a command that must succeed. @returns the lines of its standard output */
export async function mustRun(folder: string, args: readonly string[], env: Environment = {}) {
  const { exitCode, stdout, stderr } = await runSvc(folder, args, env);
  if (exitCode !== 0) throw new Error(`svc ${args[0]} ended with ${exitCode}:\n${[...stdout, ...stderr].join('\n')}`);
  return { stdout, stderr };
}
