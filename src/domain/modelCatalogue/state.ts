import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { ListedModel, ModelCatalogueEvent } from './events.ts';

/** The provider's models as last polled. */
export interface ModelCatalogue {
  readonly plans: ReadonlyMap<string, readonly ListedModel[]>;
  /** The provider's entries as JSON, by their version; only those that a plan lists. */
  readonly entries: ReadonlyMap<string, string>;
  /** When each model was first listed, including models that are no longer listed. */
  readonly firstSeen: ReadonlyMap<string, Instant>;
}

export const initialState: ModelCatalogue = { plans: new Map(), entries: new Map(), firstSeen: new Map() };

export function evolve(catalogue: ModelCatalogue, { type, data, time }: Recorded<ModelCatalogueEvent>): ModelCatalogue {
  switch (type) {
    case 'ModelDescribed': {
      const entries = new Map(catalogue.entries).set(data.version, data.entry);
      if (catalogue.firstSeen.has(data.slug)) return { ...catalogue, entries };
      return { ...catalogue, entries, firstSeen: new Map(catalogue.firstSeen).set(data.slug, time) };
    }
    case 'ModelsListed': {
      const plans = new Map(catalogue.plans).set(data.planType, data.to);
      const listed = new Set([...plans.values()].flatMap((models) => models.map(({ version }) => version)));
      const entries = new Map([...catalogue.entries].filter(([version]) => listed.has(version)));
      return { ...catalogue, plans, entries };
    }
  }
}
