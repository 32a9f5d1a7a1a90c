import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import { teamIdSchema } from '../core/schemas.ts';
import { limitRulesSchema, shownRules } from '../limits/limitRule.ts';

const subject = schema((z) => z.object({ teamId: teamIdSchema(z) }));

export const TeamCreated = event('TeamCreated', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string(), rules: limitRulesSchema(z) }),
  describe: ({ name, rules }) => `team "${name}" was created with ${shownRules(rules)}`,
});

export const TeamRenamed = event('TeamRenamed', {
  version: 1,
  data: (z) => subject(z).extend({ from: z.string(), to: z.string() }),
  describe: ({ from, to }) => `team "${from}" was renamed to "${to}"`,
});

export const TeamLimitsChanged = event('TeamLimitsChanged', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string(), from: limitRulesSchema(z), to: limitRulesSchema(z) }),
  describe: ({ name, from, to }) => `team "${name}" has ${shownRules(to)} (before: ${shownRules(from)})`,
});

export const TeamUsageReset = event('TeamUsageReset', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string() }),
  describe: ({ name }) => `the usage counters of team "${name}" were reset`,
});

export const TeamDeleted = event('TeamDeleted', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string() }),
  describe: ({ name }) => `team "${name}" was deleted`,
});

export type TeamEvent =
  | EventOf<typeof TeamCreated>
  | EventOf<typeof TeamRenamed>
  | EventOf<typeof TeamLimitsChanged>
  | EventOf<typeof TeamUsageReset>
  | EventOf<typeof TeamDeleted>;
