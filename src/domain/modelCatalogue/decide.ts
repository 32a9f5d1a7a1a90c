import type { Decider } from '../core/decider.ts';
import { type ListedModel, type ModelCatalogueEvent, ModelDescribed, ModelsListed } from './events.ts';
import { evolve, initialState, type ModelCatalogue } from './state.ts';

export interface ObserveModels {
  readonly type: 'ObserveModels';
  readonly planType: string;
  /** Each name once; `entry` is the provider's entry as JSON. */
  readonly models: readonly (ListedModel & { readonly entry: string })[];
}

/** Records only changes, because the list is polled every few minutes. */
export function decide({ planType, models }: ObserveModels, { plans, entries }: ModelCatalogue): ModelCatalogueEvent[] {
  const from = [...(plans.get(planType) ?? [])];
  const to = models.map(({ slug, version }) => ({ slug, version }));
  if (isSame(from, to)) return [];
  const described = new Map(models.map((model) => [model.version, model]));
  const unknown = [...described.values()].filter(({ version }) => !entries.has(version));
  return [
    ...unknown.map(({ slug, version, entry }) => ModelDescribed({ slug, version, entry })),
    ModelsListed({ planType, from, to }),
  ];
}

const isSame = (a: readonly ListedModel[], b: readonly ListedModel[]): boolean =>
  a.length === b.length &&
  a.every(({ slug, version }, index) => slug === b[index]?.slug && version === b[index].version);

export const modelCatalogue = { decide, evolve, initialState } satisfies Decider<
  ModelCatalogue,
  ObserveModels,
  ModelCatalogueEvent
>;
