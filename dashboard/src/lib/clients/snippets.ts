export interface Snippet {
  readonly client: string;
  /** The file it belongs in, or what it is. */
  readonly title: string;
  readonly code: string;
  /** One sentence to show below. */
  readonly note?: string;
}

export interface SnippetOptions {
  /** Origin of this installation, e.g. `https://svc.example.com`. */
  readonly origin: string;
  readonly model: string;
  /** Whether requests without a key are refused. */
  readonly needsKey: boolean;
}

/** Configuration of each client for this installation. Keys come from SVC_API_KEY, so that they are in no file. */
export const snippets = (options: SnippetOptions): readonly Snippet[] => [
  codex(options),
  opencode(options),
  python(options),
  typescript(options),
  curl(options),
];

const codex = ({ origin, model, needsKey }: SnippetOptions): Snippet => ({
  client: 'Codex CLI',
  title: '~/.codex/config.toml',
  code: [
    `model = "${model}"`,
    'model_provider = "svc"',
    '',
    '[model_providers.svc]',
    'name = "svc"',
    `base_url = "${origin}/backend-api/svc"`,
    'wire_api = "responses"',
    'supports_websockets = true',
    ...(needsKey ? ['env_key = "SVC_API_KEY"'] : []),
  ].join('\n'),
  note: needsKey
    ? 'Without env_key, Codex sends the token of its own sign-in, which svc rejects.'
    : 'Once keys are required, add the line env_key = "SVC_API_KEY".',
});

const opencode = ({ origin, model }: SnippetOptions): Snippet => ({
  client: 'opencode',
  title: 'opencode.json',
  code: JSON.stringify(
    {
      $schema: 'https://opencode.ai/config.json',
      model: `svc/${model}`,
      small_model: `svc/${model}`,
      provider: {
        svc: {
          npm: '@ai-sdk/openai',
          name: 'svc',
          options: { baseURL: `${origin}/v1`, apiKey: '{env:SVC_API_KEY}' },
          models: { [model]: { name: model } },
        },
      },
    },
    undefined,
    2,
  ),
});

const python = ({ origin, model }: SnippetOptions): Snippet => ({
  client: 'Python',
  title: 'OpenAI SDK, Python',
  code: `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ.get("SVC_API_KEY", "none"))
response = client.responses.create(model="${model}", input="Say hi")
print(response.output_text)`,
});

const typescript = ({ origin, model }: SnippetOptions): Snippet => ({
  client: 'TypeScript',
  title: 'OpenAI SDK, TypeScript',
  code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.SVC_API_KEY ?? 'none' });
const response = await client.responses.create({ model: '${model}', input: 'Say hi' });
console.log(response.output_text);`,
});

const curl = ({ origin, model, needsKey }: SnippetOptions): Snippet => ({
  client: 'curl',
  title: 'curl',
  code: [
    `curl -s ${origin}/v1/responses \\`,
    ...(needsKey ? ['  -H "authorization: Bearer $SVC_API_KEY" \\'] : []),
    "  -H 'content-type: application/json' \\",
    `  -d '{"model": "${model}", "input": "Say hi"}'`,
  ].join('\n'),
});

/** Shell command that sets the variable that all clients above read. */
export const exportKey = (key: string): string => `export SVC_API_KEY=${key}`;
