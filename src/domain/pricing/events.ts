import { type EventOf, event } from '../core/event.ts';
import { shownPart } from '../core/parts.ts';
import { partSchema } from '../core/schemas.ts';
import { modelPriceSchema } from './prices.ts';

/** Costs are calculated with these prices from now on; requests refer to the version. */
export const PricesPublished = event('PricesPublished', {
  version: 2,
  data: (z) =>
    z.object({
      /** The previous version; null for the first. */
      from: z.string().nullable(),
      to: z.string().min(1),
      models: z.array(modelPriceSchema(z)),
      /** Set when `models` is only a part of the table; the parts follow each other in the stream. */
      part: partSchema(z).optional(),
    }),
  describe: ({ to, part }) => `costs are calculated with the prices of version ${to}${shownPart(part)}`,
  upcasters: [(data) => data],
});
export type PricesEvent = EventOf<typeof PricesPublished>;
