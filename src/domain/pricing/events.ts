import { type EventOf, event } from '../core/event.ts';
import { modelPriceSchema } from './prices.ts';

/** Costs are counted with these prices from now on; requests name the version. */
export const PricesPublished = event('PricesPublished', {
  version: 1,
  data: (z) =>
    z.object({
      /** The version before; null for the first. */
      from: z.string().nullable(),
      to: z.string().min(1),
      models: z.array(modelPriceSchema(z)),
    }),
  describe: ({ to }) => `costs are calculated with the prices of version ${to}`,
});
export type PricesEvent = EventOf<typeof PricesPublished>;
