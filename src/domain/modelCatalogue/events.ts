import { type EventOf, event } from '../core/event.ts';
import { shownPart } from '../core/parts.ts';
import { type Infer, schema } from '../core/schema.ts';
import { partSchema } from '../core/schemas.ts';

/** A model by name, and the version of its description: a short hash of it. */
export const listedModelSchema = schema((z) => z.object({ slug: z.string().min(1), version: z.string().min(1) }));
export type ListedModel = Infer<typeof listedModelSchema>;

/** Recorded before the first list that refers to it; several plans may share a description. */
export const ModelDescribed = event('ModelDescribed', {
  version: 2,
  data: (z) =>
    listedModelSchema(z).extend({
      /** The provider's entry as JSON text, because the log cannot store every number and key unchanged. */
      entry: z.string(),
      /** Set when `entry` is only a part of the text; the parts follow each other in the stream. */
      part: partSchema(z).optional(),
    }),
  describe: ({ slug, part }) => `the provider describes the model ${slug}${shownPart(part)}`,
  upcasters: [(data) => data],
});

/** The models that accounts of a plan may use, in the provider's order. */
export const ModelsListed = event('ModelsListed', {
  version: 2,
  data: (z) =>
    z.object({
      planType: z.string(),
      from: z.array(listedModelSchema(z)),
      to: z.array(listedModelSchema(z)),
      /** Set when the lists are only a part of the change; the parts follow each other in the stream. */
      part: partSchema(z).optional(),
    }),
  describe: ({ planType, to, part }) =>
    `the plan ${planType} has the models ${to.map(({ slug }) => slug).join(', ')}${shownPart(part)}`,
  upcasters: [(data) => data],
});

export type ModelCatalogueEvent = EventOf<typeof ModelDescribed> | EventOf<typeof ModelsListed>;
