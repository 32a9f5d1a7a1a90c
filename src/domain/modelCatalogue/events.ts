import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';

/** A model by name, and the version of its description: a short hash of it. */
export const listedModelSchema = schema((z) => z.object({ slug: z.string().min(1), version: z.string().min(1) }));
export type ListedModel = Infer<typeof listedModelSchema>;

/** Recorded before the first list that refers to it; several plans may share a description. */
export const ModelDescribed = event('ModelDescribed', {
  version: 1,
  data: (z) =>
    listedModelSchema(z).extend({
      /** The provider's entry as JSON text, because the log cannot store every number and key unchanged. */
      entry: z.string(),
    }),
  describe: ({ slug }) => `the provider describes the model ${slug}`,
});

/** The models that accounts of a plan may use, in the provider's order. */
export const ModelsListed = event('ModelsListed', {
  version: 1,
  data: (z) =>
    z.object({ planType: z.string(), from: z.array(listedModelSchema(z)), to: z.array(listedModelSchema(z)) }),
  describe: ({ planType, to }) => `the plan ${planType} has the models ${to.map(({ slug }) => slug).join(', ')}`,
});

export type ModelCatalogueEvent = EventOf<typeof ModelDescribed> | EventOf<typeof ModelsListed>;
