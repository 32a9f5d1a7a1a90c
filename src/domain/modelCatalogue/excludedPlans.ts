import type { ModelCatalogue } from './state.ts';

/** Bounds the memory, because model names come from clients. */
const MAX_ENTRIES = 1_000;

/** Cached by catalogue, which is replaced on each change: every request asks, and the lists are long. */
const cache = new WeakMap<ModelCatalogue, Map<string, ReadonlySet<string>>>();

const NONE: ReadonlySet<string> = new Set();

/**
 * The plans that are not offered a model although another plan is. None if no plan lists the model, because the provider
 * serves models that it does not list. A plan whose list is unknown is not excluded.
 */
export function excludedPlans(catalogue: ModelCatalogue, model: string): ReadonlySet<string> {
  if (catalogue.plans.size < 2) return NONE;
  let byModel = cache.get(catalogue);
  if (!byModel) {
    byModel = new Map();
    cache.set(catalogue, byModel);
  }
  const cached = byModel.get(model);
  if (cached) return cached;
  const found = search(catalogue, model);
  if (byModel.size < MAX_ENTRIES) byModel.set(model, found);
  return found;
}

function search({ plans }: ModelCatalogue, model: string): ReadonlySet<string> {
  const without = [...plans].filter(([, models]) => !models.some(({ slug }) => slug === model)).map(([plan]) => plan);
  return without.length === plans.size ? NONE : new Set(without);
}
