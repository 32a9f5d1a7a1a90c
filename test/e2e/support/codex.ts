import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ended, runChild } from './child.ts';
import { clientEnvironment, closedPort, codexBinary } from './clients.ts';
import { tempDir } from './tempDir.ts';

/** Who Codex says it is. */
export type CodexSignIn =
  /** No credential at all. */
  | { as: 'nobody' }
  /** A provider entry with `env_key`: the key goes out as the bearer token. */
  | { as: 'key'; key: string }
  /**
   * Signed in with ChatGPT: the account's own access token goes out as the bearer token, and bodies are compressed with
   * zstd, because the provider entry is named "OpenAI" or is the built-in one at another address (clients.md 1.1).
   */
  | { as: 'chatgpt'; authFile: object; provider: 'named OpenAI' | 'built-in' };

export type CodexOptions = {
  /** What stands before `/responses`. */
  baseUrl: string;
  prompt: string;
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

/** Runs `codex exec` once, in a home of its own. */
export async function runCodex(options: CodexOptions): Promise<CodexRun> {
  const { prompt, signIn, timeoutMs = 60_000 } = options;
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
  const ended = await runChild(
    codexBinary(),
    ['exec', '--skip-git-repo-check', '--color', 'never', '--output-last-message', finalMessage, prompt],
    {
      cwd: workspace,
      env: {
        ...clientEnvironment(home.path),
        CODEX_HOME: codexHome,
        ...(signIn.as === 'key' ? { SVC_API_KEY: signIn.key } : {}),
      },
      timeoutMs,
    },
  );
  return { ...ended, finalMessage: await readFile(finalMessage, 'utf8').catch(() => '') };
}

function config({ baseUrl, model, signIn, retries = true }: CodexOptions): string {
  const builtIn = signIn.as === 'chatgpt' && signIn.provider === 'built-in';
  return [
    `model = ${toml(model)}`,
    ...(builtIn ? [`openai_base_url = ${toml(baseUrl)}`] : ['model_provider = "svc"']),
    // Calls that Codex makes beside the provider: none may leave this machine, none may reach the service.
    `chatgpt_base_url = ${toml(`${closedPort}/backend-api`)}`,
    'check_for_update_on_startup = false',
    '[features]',
    'plugins = false',
    'apps = false',
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
