import type { Instant } from '../../domain/core/brands.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

/** A model as the provider describes it, and as clients see it. */
export interface ModelEntry {
  readonly slug: string;
  /** The entry in `data`, for SDKs. */
  readonly listed: JsonObject;
  /** The provider's entry, for Codex; undefined when it lacks a required field: Codex would discard the whole list. */
  readonly described: JsonObject | undefined;
}

type Predicate = (value: unknown) => boolean;
const isText: Predicate = (value) => typeof value === 'string';
const isFlag: Predicate = (value) => typeof value === 'boolean';

/** Fields without which Codex discards the list (docs/clients.md#a-model-entry-has-eleven-mandatory-keys). */
const CODEX_REQUIRED_FIELDS: Readonly<Record<string, Predicate>> = {
  slug: isText,
  display_name: isText,
  supported_reasoning_levels: (value) =>
    Array.isArray(value) &&
    value.every((level) => isObject(level) && isText(level.effort) && isText(level.description)),
  shell_type: isText,
  visibility: isText,
  supported_in_api: isFlag,
  priority: Number.isInteger,
  base_instructions: isText,
  support_verbosity: isFlag,
  truncation_policy: (value) => isObject(value) && isText(value.mode) && Number.isInteger(value.limit),
  experimental_supported_tools: Array.isArray,
};

/** Fields of interest to users of an SDK. The others are for Codex only. */
const METADATA = [
  'display_name',
  'description',
  'context_window',
  'max_context_window',
  'input_modalities',
  'supported_reasoning_levels',
  'default_reasoning_level',
  'supports_reasoning_summaries',
  'support_verbosity',
  'default_verbosity',
  'supports_parallel_tool_calls',
  'supported_in_api',
  'prefer_websockets',
  'minimal_client_version',
  'visibility',
  'priority',
];

/** Parses an entry. @param entry the provider's, as JSON @param firstSeen when the provider first listed the model */
export function parseModelEntry(slug: string, entry: string, firstSeen: Instant): ModelEntry {
  const described = JSON.parse(entry) as JsonObject;
  const isComplete = Object.entries(CODEX_REQUIRED_FIELDS).every(([name, isMet]) => isMet(described[name]));
  const metadata = Object.fromEntries(
    METADATA.filter((name) => described[name] !== undefined).map((name) => [name, described[name]]),
  );
  const created = Math.floor(firstSeen / 1_000);
  const listed = { id: slug, object: 'model', created, owned_by: 'openai', metadata };
  return { slug, listed, described: isComplete ? described : undefined };
}
