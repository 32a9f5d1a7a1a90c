import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import { isFirst, isLast } from '../core/parts.ts';
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
      const before = isFirst(data.part) ? '' : (catalogue.entries.get(data.version) ?? '');
      const entries = new Map(catalogue.entries).set(data.version, before + data.entry);
      if (catalogue.firstSeen.has(data.slug)) return { ...catalogue, entries };
      return { ...catalogue, entries, firstSeen: new Map(catalogue.firstSeen).set(data.slug, time) };
    }
    case 'ModelsListed': {
      const before = isFirst(data.part) ? [] : (catalogue.plans.get(data.planType) ?? []);
      const plans = new Map(catalogue.plans).set(data.planType, [...before, ...data.to]);
      if (!isLast(data.part)) return { ...catalogue, plans };
      const listed = new Set([...plans.values()].flatMap((models) => models.map(({ version }) => version)));
      const entries = new Map([...catalogue.entries].filter(([version]) => listed.has(version)));
      return { ...catalogue, plans, entries };
    }
  }
}
