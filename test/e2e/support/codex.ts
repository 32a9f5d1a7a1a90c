import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildResult, runChild } from './child.ts';
import { type CodexVersion, clientEnvironment, closedPort, codexBinary } from './clients.ts';
import { tempDir } from './tempDir.ts';

/** The credentials of Codex. */
export type CodexSignIn =
  /** No credentials. */
  | { as: 'anonymous' }
  /** A provider entry with `env_key`: the key is the bearer token. */
  | { as: 'key'; key: string }
  /**
   * Signed in with ChatGPT: the account's access token is the bearer token, and bodies are compressed with zstd, because
   * the provider entry is named "OpenAI" or is the built-in one with another base URL
   * (docs/clients.md#codex-configurations-and-their-requests).
   */
  | { as: 'chatgpt'; authFile: object; provider: 'named OpenAI' | 'built-in' };

export type CodexOptions = {
  /** The URL before `/responses`. */
  baseUrl: string;
  prompt: string;
  /** Further prompts in the same session: one run of `codex exec resume` for each. */
  followUps?: readonly string[];
  /** Runs commands of tools without the sandbox, which may not be available in a container. */
  allowsCommands?: boolean;
  version?: CodexVersion;
  /** Lines at the top of `config.toml`. */
  settings?: readonly string[];
  model: string;
  signIn: CodexSignIn;
  /**
   * False disables retries; by default Codex sends a failed request six times. Not available for the built-in provider.
   */
  retries?: boolean;
  timeoutMs?: number;
};

export type CodexRun = ChildResult & { finalMessage: string };

/** Runs `codex exec` once for each prompt, in a new home directory. @returns the last run */
export async function runCodex(options: CodexOptions): Promise<CodexRun> {
  const { prompt, followUps = [], signIn, version, allowsCommands: runsCommands = false, timeoutMs = 60_000 } = options;
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
  let result = await exec(['--color', 'never', ...flags, prompt]);
  for (const next of followUps) {
    if (result.exitCode !== 0) break;
    result = await exec(['resume', '--last', ...flags, next]);
  }
  return { ...result, finalMessage: await readFile(finalMessage, 'utf8').catch(() => '') };
}

function config({ baseUrl, model, signIn, version, retries = true, settings = [] }: CodexOptions): string {
  const builtIn = signIn.as === 'chatgpt' && signIn.provider === 'built-in';
  return [
    `model = ${toml(model)}`,
    ...settings,
    ...(builtIn ? [`openai_base_url = ${toml(baseUrl)}`] : ['model_provider = "svc"']),
    // Calls of Codex other than to the provider must neither leave this machine nor reach the service.
    `chatgpt_base_url = ${toml(`${closedPort}/backend-api`)}`,
    'check_for_update_on_startup = false',
    '[features]',
    'plugins = false',
    'apps = false',
    // Enabled by default in old versions, but svc rejects the tool (README, "Point clients at it").
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
