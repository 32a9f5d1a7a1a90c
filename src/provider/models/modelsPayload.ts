import { hash } from 'node:crypto';
import type { ObserveModels } from '../../domain/modelCatalogue/decide.ts';
import { asObject, objectIn } from '../client/json.ts';

export type ReportedModels = ObserveModels['models'];

/** Far beyond what a provider has; a list that is longer is no list of models. */
const MAX_MODELS = 500;
const MAX_NAME_LENGTH = 200;
const MAX_ENTRY_CHARACTERS = 1_000_000;

/**
 * Reads the answer of `/codex/models` (docs/provider.md#models-payload). Entries are kept as they are, because clients
 * go by fields that we do not know.
 * @returns undefined when it is no list of models, or an empty one: no account is without any
 */
export function readModels(body: string): ReportedModels | undefined {
  const list = objectIn(body)?.models;
  if (!Array.isArray(list) || list.length > MAX_MODELS) return undefined;
  const models = new Map<string, ReportedModels[number]>();
  for (const value of list) {
    const model = asObject(value);
    const slug = model?.slug;
    if (typeof slug !== 'string' || slug.trim() === '' || slug.length > MAX_NAME_LENGTH) continue;
    const entry = JSON.stringify(model);
    if (!slug.isWellFormed() || entry.length > MAX_ENTRY_CHARACTERS || models.has(slug)) continue;
    models.set(slug, { slug, version: hash('sha256', entry).slice(0, 16), entry });
  }
  return models.size === 0 ? undefined : [...models.values()];
}
