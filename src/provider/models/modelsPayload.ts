import { hash } from 'node:crypto';
import { jsonBytes } from '../../domain/core/parts.ts';
import type { ObserveModels } from '../../domain/modelCatalogue/decide.ts';
import { asObject, objectIn } from '../client/json.ts';

/** The models of a plan as the provider reports them. */
export type ReportedModels = ObserveModels['models'];

/** Far more than the provider has; a longer list is rejected. */
const MAX_MODELS = 500;
/** Of a name and of a description, as an event stores them: one command records all parts of a description at once. */
const MAX_NAME_BYTES = 200;
const MAX_ENTRY_BYTES = 480_000;

/**
 * Reads the response of `/codex/models` (docs/provider.md#models-payload). Keeps the entries unchanged, because clients use
 * fields that svc does not know. A model that is too large to record is left out.
 * @returns undefined if the body contains no list of models or an empty one, since every account has some
 */
export function readModels(body: string): ReportedModels | undefined {
  const list = objectIn(body)?.models;
  if (!Array.isArray(list) || list.length > MAX_MODELS) return undefined;
  const models = new Map<string, ReportedModels[number]>();
  for (const value of list) {
    const model = asObject(value);
    const slug = model?.slug;
    if (typeof slug !== 'string' || slug.trim() === '' || storedBytes(slug) > MAX_NAME_BYTES) continue;
    const entry = JSON.stringify(model);
    if (!slug.isWellFormed() || storedBytes(entry) > MAX_ENTRY_BYTES || models.has(slug)) continue;
    models.set(slug, { slug, version: hash('sha256', entry).slice(0, 16), entry });
  }
  return models.size === 0 ? undefined : [...models.values()];
}

/** Length in UTF-8 as a string in JSON, where quotes and control characters take several bytes. */
const storedBytes = (text: string): number => jsonBytes(text) - 2;
