import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CodexVersion, clientEnvironment, closedPort } from './clients.ts';
import { tempDir } from './tempDir.ts';

/** The credentials of Codex. */
export type CodexSignIn =
  /** No credentials. */
  | { as: 'anonymous' }
  /** A provider entry with `env_key`: the key is the bearer token. */
  | { as: 'key'; key: string }
  /** Signed in with an API key, for the built-in provider with another base URL. */
  | { as: 'api key'; key: string }
  /**
   * Signed in with ChatGPT: the account's access token is the bearer token, and bodies are compressed with zstd, because
   * the provider entry is named "OpenAI" or is the built-in one with another base URL
   * (docs/clients.md#codex-configurations-and-their-requests).
   */
  | { as: 'chatgpt'; authFile: object; provider: 'named OpenAI' | 'built-in' }
  /** Signed in with ChatGPT, but a provider entry with `env_key`, which goes before the sign-in. */
  | { as: 'chatgpt and key'; authFile: object; key: string };

export type CodexOptions = {
  /** The URL before `/responses`. */
  baseUrl: string;
  /**
   * Where Codex asks for everything but models and responses, with all its features on. By default they are off, and what it asks
   * nevertheless ends at a closed port.
   */
  chatgptBaseUrl?: string;
  /** A certificate authority to trust, in PEM. */
  trusts?: string;
  version?: CodexVersion;
  /** Lines at the top of `config.toml`. */
  settings?: readonly string[];
  model: string;
  signIn: CodexSignIn;
  /** A provider entry says that its provider serves websockets; the built-in one always tries. */
  sockets?: boolean;
  /**
   * False disables retries; by default Codex sends a failed request six times. Not available for the built-in provider.
   */
  retries?: boolean;
};

/** Where Codex would refresh the token of its own sign-in, on the host of `chatgptBaseUrl`. */
export const REFRESH_PATH = '/oauth/token';

/** Creates a home directory with the configuration and sign-in of Codex, which `await using` removes. */
export async function createCodexHome(options: CodexOptions) {
  const { signIn, trusts, chatgptBaseUrl } = options;
  const home = await tempDir('codex');
  const folder = join(home.path, '.codex');
  const workspace = join(home.path, 'workspace');
  await mkdir(folder);
  await mkdir(workspace);
  await writeFile(join(folder, 'config.toml'), config(options));
  const authFile = authFileOf(signIn);
  if (authFile) await writeFile(join(folder, 'auth.json'), JSON.stringify(authFile), { mode: 0o600 });
  const authorities = join(home.path, 'authorities.pem');
  if (trusts !== undefined) await writeFile(authorities, trusts);
  const env: Record<string, string> = {
    ...clientEnvironment(home.path),
    CODEX_HOME: folder,
    ...(trusts === undefined ? {} : { SSL_CERT_FILE: authorities }),
    ...('key' in signIn && signIn.as !== 'api key' ? { SVC_API_KEY: signIn.key } : {}),
    ...(chatgptBaseUrl === undefined
      ? {}
      : { CODEX_REFRESH_TOKEN_URL_OVERRIDE: new URL(REFRESH_PATH, chatgptBaseUrl).href }),
  };
  return { path: home.path, workspace, env, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

function authFileOf(signIn: CodexSignIn): object | undefined {
  if (signIn.as === 'api key') return { auth_mode: 'apikey', OPENAI_API_KEY: signIn.key };
  return 'authFile' in signIn ? signIn.authFile : undefined;
}

function config(options: CodexOptions): string {
  const { baseUrl, chatgptBaseUrl, model, signIn, version, retries = true, sockets = false, settings = [] } = options;
  const builtIn = signIn.as === 'api key' || (signIn.as === 'chatgpt' && signIn.provider === 'built-in');
  const asks = chatgptBaseUrl !== undefined;
  return [
    `model = ${toml(model)}`,
    ...settings,
    ...(builtIn ? [`openai_base_url = ${toml(baseUrl)}`] : ['model_provider = "svc"']),
    // Calls of Codex other than to the provider must neither leave this machine nor, unless the test wants it, reach the service.
    `chatgpt_base_url = ${toml(chatgptBaseUrl ?? `${closedPort}/backend-api`)}`,
    'check_for_update_on_startup = false',
    '[features]',
    ...(asks ? [] : ['plugins = false', 'apps = false']),
    // Enabled by default in old versions, but svc rejects the tool (README, "Point clients at it").
    ...(version === 'old' ? ['image_generation = false'] : []),
    ...(asks ? [] : ['[analytics]', 'enabled = false']),
    '[otel]',
    'metrics_exporter = "none"',
    ...(builtIn ? [] : providerEntry(baseUrl, signIn, retries)),
    ...(sockets && !builtIn ? ['supports_websockets = true'] : []),
    '',
  ].join('\n');
}

const providerEntry = (baseUrl: string, signIn: CodexSignIn, retries: boolean): string[] => [
  '[model_providers.svc]',
  `name = ${toml(signIn.as === 'chatgpt' ? 'OpenAI' : 'svc')}`,
  `base_url = ${toml(baseUrl)}`,
  'wire_api = "responses"',
  ...(signIn.as === 'chatgpt' ? ['requires_openai_auth = true'] : []),
  ...('key' in signIn ? ['env_key = "SVC_API_KEY"'] : []),
  ...(retries ? [] : ['request_max_retries = 0', 'stream_max_retries = 0']),
];

/** A TOML basic string escapes as JSON does. */
const toml = (text: string): string => JSON.stringify(text);
