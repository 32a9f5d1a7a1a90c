import { type EventOf, event } from '../core/event.ts';
import { modelPriceSchema } from './prices.ts';

/** Costs are calculated with these prices from now on; requests refer to the version. */
export const PricesPublished = event('PricesPublished', {
  version: 1,
  data: (z) =>
    z.object({
      /** The previous version; null for the first. */
      from: z.string().nullable(),
      to: z.string().min(1),
      models: z.array(modelPriceSchema(z)),
    }),
  describe: ({ to }) => `costs are calculated with the prices of version ${to}`,
});
export type PricesEvent = EventOf<typeof PricesPublished>;
