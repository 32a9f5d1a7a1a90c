import { json } from './http.ts';
import type { ResponseScript } from './responseScript.ts';

/** An entry with every key that Codex demands (docs/clients.md#a-model-entry-has-eleven-mandatory-keys). */
export const model = (slug: string, overrides: Record<string, unknown> = {}) => ({
  slug,
  display_name: slug,
  description: `Simulated ${slug}`,
  context_window: 272_000,
  input_modalities: ['text', 'image'],
  default_reasoning_level: 'medium',
  supported_reasoning_levels: ['low', 'medium', 'high'].map((effort) => ({ effort, description: `${effort} effort` })),
  supports_reasoning_summaries: true,
  shell_type: 'shell_command',
  visibility: 'list',
  supported_in_api: true,
  priority: 1,
  base_instructions: 'You are a simulated assistant.',
  support_verbosity: true,
  default_verbosity: 'low',
  supports_parallel_tool_calls: true,
  prefer_websockets: false,
  minimal_client_version: '0.1.0',
  truncation_policy: { mode: 'tokens', limit: 10_000 },
  experimental_supported_tools: [],
  available_in_plans: ['free', 'plus', 'pro', 'team', 'business', 'enterprise', 'edu'],
  ...overrides,
});

export type Model = ReturnType<typeof model>;

/** The response to `GET /codex/models`. */
export const modelList = (
  models: readonly Record<string, unknown>[] = [model('gpt-6.1-sol'), model('gpt-5.5', { priority: 2 })],
): ResponseScript => json(200, { models }, { name: 'modelList' });
