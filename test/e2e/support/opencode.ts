import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildResult, runChild } from './child.ts';
import { clientEnvironment, opencodeBinary } from './clients.ts';
import { tempDir } from './tempDir.ts';

export type OpencodeOptions = {
  /** The URL before `/responses` or `/chat/completions`. */
  baseUrl: string;
  /** The SDK package: for the responses API (default), or for chat completions. */
  provider?: '@ai-sdk/openai' | '@ai-sdk/openai-compatible';
  prompt: string;
  model: string;
  /** Without one, opencode sends no credentials. */
  key?: string;
  /** Names the session with a second request. This is opencode's default. */
  title?: { model: string };
  timeoutMs?: number;
};

/** Runs `opencode run` once, in a new home directory. */
export async function runOpencode(options: OpencodeOptions): Promise<ChildResult> {
  await using home = await tempDir('opencode');
  const workspace = join(home.path, 'workspace');
  await mkdir(workspace);
  return await runChild(opencodeBinary(), ['run', options.prompt], {
    cwd: workspace,
    env: {
      ...clientEnvironment(home.path),
      XDG_CONFIG_HOME: join(home.path, 'config'),
      XDG_DATA_HOME: join(home.path, 'data'),
      XDG_CACHE_HOME: join(home.path, 'cache'),
      XDG_STATE_HOME: join(home.path, 'state'),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config(options)),
      OPENCODE_DISABLE_AUTOUPDATE: 'true',
      OPENCODE_DISABLE_MODELS_FETCH: 'true',
      OPENCODE_DISABLE_LSP_DOWNLOAD: 'true',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: 'true',
    },
    timeoutMs: options.timeoutMs ?? 90_000,
  });
}

const config = ({ baseUrl, provider = '@ai-sdk/openai', model, key, title }: OpencodeOptions) => ({
  model: `svc/${model}`,
  small_model: `svc/${title?.model ?? model}`,
  share: 'disabled',
  autoupdate: false,
  ...(title === undefined ? { agent: { title: { disable: true } } } : {}),
  provider: {
    svc: {
      npm: provider,
      name: 'svc',
      options: { baseURL: baseUrl, apiKey: key ?? '' },
      models: { [model]: { name: model }, ...(title === undefined ? {} : { [title.model]: { name: title.model } }) },
    },
  },
});
