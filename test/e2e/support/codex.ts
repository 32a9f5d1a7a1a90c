import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ChildResult, killGroup, runChild, startChild } from './child.ts';
import { codexBinary } from './clients.ts';
import { type CodexOptions, createCodexHome } from './codexHome.ts';

export type CodexRun = ChildResult & { finalMessage: string };

/** Runs `codex exec` once for each prompt, in a new home directory. @returns the last run */
export async function runCodex(
  options: CodexOptions & {
    prompt: string;
    /** Further prompts in the same session: one run of `codex exec resume` for each. */
    followUps?: readonly string[];
    /** Runs commands of tools without the sandbox, which may not be available in a container. */
    allowsCommands?: boolean;
    timeoutMs?: number;
  },
): Promise<CodexRun> {
  const { prompt, followUps = [], version, allowsCommands: runsCommands = false, timeoutMs = 60_000 } = options;
  await using home = await createCodexHome(options);
  const finalMessage = join(home.path, 'final-message.txt');
  const flags = [
    '--skip-git-repo-check',
    ...(runsCommands ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
    ...['--output-last-message', finalMessage],
  ];
  const exec = (args: string[]) =>
    runChild(codexBinary(version), ['exec', ...args], { cwd: home.workspace, env: home.env, timeoutMs });
  let result = await exec(['--color', 'never', ...flags, prompt]);
  for (const next of followUps) {
    if (result.exitCode !== 0) break;
    result = await exec(['resume', '--last', ...flags, next]);
  }
  return { ...result, finalMessage: await readFile(finalMessage, 'utf8').catch(() => '') };
}

/** A response of `account/read`. */
export type AccountRead = { result: object | undefined; error: { message: string } | undefined };

/**
 * Asks `codex app-server` for its account, as the terminal interface and editors do at their start; after an error they do not
 * start.
 */
export async function readCodexAccount(options: CodexOptions & { timeoutMs?: number }): Promise<AccountRead> {
  await using home = await createCodexHome(options);
  const server = startChild(codexBinary(), ['app-server'], { cwd: home.workspace, env: home.env, input: true });
  const timeout = setTimeout(() => killGroup(server), options.timeoutMs ?? 60_000);
  const send = (message: object) => server.stdin?.write(`${JSON.stringify(message)}\n`);
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  try {
    const clientInfo = { name: 'svc-e2e', title: null, version: '1' };
    send({ id: 0, method: 'initialize', params: { clientInfo, capabilities: { experimentalApi: true } } });
    for await (const line of createInterface({ input: server.stdout })) {
      const { id, result, error } = JSON.parse(line) as Partial<AccountRead> & { id?: number };
      if (id === 0) {
        send({ method: 'initialized' });
        send({ id: 1, method: 'account/read', params: { refreshToken: false } });
      }
      if (id === 1) return { result, error };
    }
  } finally {
    clearTimeout(timeout);
    killGroup(server);
  }
  throw new Error(`codex app-server ended without a response: ${errors}`);
}
