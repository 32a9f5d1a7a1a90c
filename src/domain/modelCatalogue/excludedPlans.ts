import type { ModelCatalogue } from './state.ts';

/** Names come from clients: a client that invents them must not fill the memory. */
const MAX_ENTRIES = 1_000;

/** By the catalogue, which is another one after each change: every request asks, and the lists are long. */
const known = new WeakMap<ModelCatalogue, Map<string, ReadonlySet<string>>>();

const NONE: ReadonlySet<string> = new Set();

/**
 * The plans whose accounts are not offered a model that accounts of another plan are. None, when no list names it: the
 * provider knows models that it lists to nobody. A plan that was never asked for its list may have it.
 */
export function excludedPlans(catalogue: ModelCatalogue, model: string): ReadonlySet<string> {
  if (catalogue.plans.size < 2) return NONE;
  let byModel = known.get(catalogue);
  if (!byModel) {
    byModel = new Map();
    known.set(catalogue, byModel);
  }
  const kept = byModel.get(model);
  if (kept) return kept;
  const found = search(catalogue, model);
  if (byModel.size < MAX_ENTRIES) byModel.set(model, found);
  return found;
}

function search({ plans }: ModelCatalogue, model: string): ReadonlySet<string> {
  const without = [...plans].filter(([, models]) => !models.some(({ slug }) => slug === model)).map(([plan]) => plan);
  return without.length === plans.size ? NONE : new Set(without);
}
