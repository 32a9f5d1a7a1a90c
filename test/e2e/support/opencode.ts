import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ended, runChild } from './child.ts';
import { clientEnvironment, opencodeBinary } from './clients.ts';
import { tempDir } from './tempDir.ts';

export type OpencodeOptions = {
  /** What stands before `/responses` or `/chat/completions`. */
  baseUrl: string;
  /** The package that speaks to the service: over responses unless told otherwise, over chat completions. */
  provider?: '@ai-sdk/openai' | '@ai-sdk/openai-compatible';
  prompt: string;
  model: string;
  /** Without one, opencode has no credential to send. */
  key?: string;
  /** Names the session with a second request, beside the prompt's own; opencode does so unless told otherwise. */
  title?: { model: string };
  timeoutMs?: number;
};

/** Runs `opencode run` once, in a home of its own. */
export async function runOpencode(options: OpencodeOptions): Promise<Ended> {
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
