import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';

/** A model by its name, and which of its descriptions holds: a short hash of it. */
export const listedModelSchema = schema((z) => z.object({ slug: z.string().min(1), version: z.string().min(1) }));
export type ListedModel = Infer<typeof listedModelSchema>;

/** A description comes before the first list that names it; several plans may share one. */
export const ModelDescribed = event('ModelDescribed', {
  version: 1,
  data: (z) =>
    listedModelSchema(z).extend({
      /** The provider's entry as JSON: a text, because the log could not hold every number and name as they are. */
      entry: z.string(),
    }),
  describe: ({ slug }) => `the provider describes the model ${slug}`,
});

/** What accounts of a plan may use, in the provider's order. */
export const ModelsListed = event('ModelsListed', {
  version: 1,
  data: (z) =>
    z.object({ planType: z.string(), from: z.array(listedModelSchema(z)), to: z.array(listedModelSchema(z)) }),
  describe: ({ planType, to }) => `the plan ${planType} has the models ${to.map(({ slug }) => slug).join(', ')}`,
});

export type ModelCatalogueEvent = EventOf<typeof ModelDescribed> | EventOf<typeof ModelsListed>;
