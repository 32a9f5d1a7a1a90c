import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ended, runChild } from './child.ts';
import { type CodexVersion, clientEnvironment, closedPort, codexBinary } from './clients.ts';
import { tempDir } from './tempDir.ts';

/** Who Codex says it is. */
export type CodexSignIn =
  /** No credential at all. */
  | { as: 'nobody' }
  /** A provider entry with `env_key`: the key goes out as the bearer token. */
  | { as: 'key'; key: string }
  /**
   * Signed in with ChatGPT: the account's own access token goes out as the bearer token, and bodies are compressed with
   * zstd, because the provider entry is named "OpenAI" or is the built-in one at another address
   * (docs/clients.md#codex-configurations-and-their-requests).
   */
  | { as: 'chatgpt'; authFile: object; provider: 'named OpenAI' | 'built-in' };

export type CodexOptions = {
  /** What stands before `/responses`. */
  baseUrl: string;
  prompt: string;
  /** What is asked next in the same session, by `codex exec resume`: one run for each. */
  afterwards?: readonly string[];
  /** Commands of tools run without the sandbox, which a container may not offer. */
  runsCommands?: boolean;
  version?: CodexVersion;
  /** Lines for the top of `config.toml`. */
  settings?: readonly string[];
  model: string;
  signIn: CodexSignIn;
  /**
   * False gives up at the first failure; by default Codex sends a refused request six times. The built-in provider
   * has no such switch.
   */
  retries?: boolean;
  timeoutMs?: number;
};

export type CodexRun = Ended & { finalMessage: string };

/** Runs `codex exec` once for each prompt, in a home of its own. @returns the last run */
export async function runCodex(options: CodexOptions): Promise<CodexRun> {
  const { prompt, afterwards = [], signIn, version, runsCommands = false, timeoutMs = 60_000 } = options;
  await using home = await tempDir('codex');
  const codexHome = join(home.path, '.codex');
  const workspace = join(home.path, 'workspace');
  const finalMessage = join(home.path, 'final-message.txt');
  await mkdir(codexHome);
  await mkdir(workspace);
  await writeFile(join(codexHome, 'config.toml'), config(options));
  if (signIn.as === 'chatgpt') {
    await writeFile(join(codexHome, 'auth.json'), JSON.stringify(signIn.authFile), { mode: 0o600 });
  }
  const env = {
    ...clientEnvironment(home.path),
    CODEX_HOME: codexHome,
    ...(signIn.as === 'key' ? { SVC_API_KEY: signIn.key } : {}),
  };
  const flags = [
    '--skip-git-repo-check',
    ...(runsCommands ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
    ...['--output-last-message', finalMessage],
  ];
  const exec = (args: string[]) =>
    runChild(codexBinary(version), ['exec', ...args], { cwd: workspace, env, timeoutMs });
  let ended = await exec(['--color', 'never', ...flags, prompt]);
  for (const next of afterwards) {
    if (ended.exitCode !== 0) break;
    ended = await exec(['resume', '--last', ...flags, next]);
  }
  return { ...ended, finalMessage: await readFile(finalMessage, 'utf8').catch(() => '') };
}

function config({ baseUrl, model, signIn, version, retries = true, settings = [] }: CodexOptions): string {
  const builtIn = signIn.as === 'chatgpt' && signIn.provider === 'built-in';
  return [
    `model = ${toml(model)}`,
    ...settings,
    ...(builtIn ? [`openai_base_url = ${toml(baseUrl)}`] : ['model_provider = "svc"']),
    // Calls that Codex makes beside the provider: none may leave this machine, none may reach the service.
    `chatgpt_base_url = ${toml(`${closedPort}/backend-api`)}`,
    'check_for_update_on_startup = false',
    '[features]',
    'plugins = false',
    'apps = false',
    // It is on in old versions, and svc refuses the tool (README, "Point clients at it").
    ...(version === 'old' ? ['image_generation = false'] : []),
    '[analytics]',
    'enabled = false',
    '[otel]',
    'metrics_exporter = "none"',
    ...(builtIn ? [] : providerEntry(baseUrl, signIn, retries)),
    '',
  ].join('\n');
}

const providerEntry = (baseUrl: string, signIn: CodexSignIn, retries: boolean): string[] => [
  '[model_providers.svc]',
  `name = ${toml(signIn.as === 'chatgpt' ? 'OpenAI' : 'svc')}`,
  `base_url = ${toml(baseUrl)}`,
  'wire_api = "responses"',
  ...(signIn.as === 'chatgpt' ? ['requires_openai_auth = true'] : []),
  ...(signIn.as === 'key' ? ['env_key = "SVC_API_KEY"'] : []),
  ...(retries ? [] : ['request_max_retries = 0', 'stream_max_retries = 0']),
];

/** A TOML basic string escapes as JSON does. */
const toml = (text: string): string => JSON.stringify(text);
