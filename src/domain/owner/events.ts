import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import { limitRulesSchema, shownRules } from '../limits/limitRule.ts';

const subject = schema((z) => z.object({ owner: z.string().min(1) }));

export const OwnerLimitsChanged = event('OwnerLimitsChanged', {
  version: 1,
  data: (z) => subject(z).extend({ from: limitRulesSchema(z), to: limitRulesSchema(z) }),
  describe: ({ owner, from, to }) => `owner "${owner}" has ${shownRules(to)} (before: ${shownRules(from)})`,
});

export const OwnerUsageReset = event('OwnerUsageReset', {
  version: 1,
  data: subject,
  describe: ({ owner }) => `the usage counters of owner "${owner}" were reset`,
});

export type OwnerEvent = EventOf<typeof OwnerLimitsChanged> | EventOf<typeof OwnerUsageReset>;
