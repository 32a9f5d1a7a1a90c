import type { Decider } from '../core/decider.ts';
import { jsonBytes, listInParts, partOf, textInParts } from '../core/parts.ts';
import { type ListedModel, type ModelCatalogueEvent, ModelDescribed, ModelsListed } from './events.ts';
import { evolve, initialState, type ModelCatalogue } from './state.ts';

export interface ObserveModels {
  readonly type: 'ObserveModels';
  readonly planType: string;
  /** Each name once; `entry` is the provider's entry as JSON. */
  readonly models: readonly (ListedModel & { readonly entry: string })[];
}

/** How much JSON one command may record: a store takes an append whole, and EventStoreDB refuses one of a mebibyte. */
const MAX_COMMAND_BYTES = 512_000;

/**
 * Records only changes, because the list is polled every few minutes. Where the descriptions are more than one command may
 * record, it records the first of them without the list: the command has to be repeated.
 */
export function decide({ planType, models }: ObserveModels, { plans, entries }: ModelCatalogue): ModelCatalogueEvent[] {
  const from = [...(plans.get(planType) ?? [])];
  const to = models.map(({ slug, version }) => ({ slug, version }));
  if (isSame(from, to)) return [];
  const described = new Map(models.map((model) => [model.version, model]));
  const unknown = [...described.values()].filter(({ version }) => !entries.has(version));
  const descriptions = unknown.map(describe);
  const fitting = firstThatFit(descriptions);
  if (fitting.length < descriptions.length) return fitting.flat();
  return [...descriptions.flat(), ...changeOfList(planType, from, to)];
}

function describe({ slug, version, entry }: ObserveModels['models'][0]): ModelCatalogueEvent[] {
  const texts = textInParts(entry);
  return texts.map((text, index) => {
    const part = partOf(index, texts);
    return ModelDescribed({ slug, version, entry: text, ...(part && { part }) });
  });
}

/** At least one, so that repeating the command comes to an end. */
function firstThatFit(descriptions: readonly ModelCatalogueEvent[][]): ModelCatalogueEvent[][] {
  let bytes = 0;
  const end = descriptions.findIndex((events, index) => {
    bytes += jsonBytes(events);
    return index > 0 && bytes > MAX_COMMAND_BYTES;
  });
  return end === -1 ? [...descriptions] : descriptions.slice(0, end);
}

/** Part by part, both lists are cut where the longer one has to be. */
function changeOfList(
  planType: string,
  from: readonly ListedModel[],
  to: readonly ListedModel[],
): ModelCatalogueEvent[] {
  const pairs = Array.from(
    { length: Math.max(from.length, to.length) },
    (_, index) => [from[index], to[index]] as const,
  );
  const parts = listInParts(pairs);
  return parts.map((pairsOfPart, index) => {
    const part = partOf(index, parts);
    return ModelsListed({
      planType,
      from: pairsOfPart.flatMap(([before]) => before ?? []),
      to: pairsOfPart.flatMap(([, after]) => after ?? []),
      ...(part && { part }),
    });
  });
}

const isSame = (a: readonly ListedModel[], b: readonly ListedModel[]): boolean =>
  a.length === b.length &&
  a.every(({ slug, version }, index) => slug === b[index]?.slug && version === b[index].version);

export const modelCatalogue = { decide, evolve, initialState } satisfies Decider<
  ModelCatalogue,
  ObserveModels,
  ModelCatalogueEvent
>;
