import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import { apiKeyIdSchema, instantSchema } from '../core/schemas.ts';
import { limitRulesSchema as rules, shownRules, upcastRule } from '../limits/limitRule.ts';

const models = schema((z) => z.array(z.string()).nullable());
/** Null: every region. */
const regions = schema((z) => z.array(z.string()).nullable());
const subject = schema((z) => z.object({ keyId: apiKeyIdSchema(z) }));
const sha256 = schema((z) => z.string().regex(/^[0-9a-f]{64}$/));

/** Turns the given lists of rules of version 1 into those of version 2. */
const upcastRules =
  (...fields: readonly string[]) =>
  (data: unknown): unknown => {
    const lists = data as Record<string, readonly object[]>;
    return { ...lists, ...Object.fromEntries(fields.map((field) => [field, lists[field]?.map(upcastRule)])) };
  };

export const ApiKeyCreated = event('ApiKeyCreated', {
  version: 3,
  data: (z) =>
    subject(z).extend({
      name: z.string(),
      hash: sha256(z),
      prefix: z.string(),
      allowedModels: models(z),
      expiresAt: instantSchema(z).nullable(),
      rules: rules(z),
      /** Since version 3: what its rules had counted in their current windows, in amounts, when it came from another program. */
      used: z.array(z.object({ ruleId: z.int().min(1), amount: z.int().min(0) })).optional(),
      /** To whom the key belongs. */
      owner: z.string().optional(),
      team: z.string().optional(),
      /** The regions in which its requests may be served; absent: all. */
      regions: z.array(z.string()).optional(),
    }),
  describe: ({ name, prefix, regions }) =>
    `API key "${name}" (${prefix}...) was created${regions ? `, to be served in ${regions.join(', ')} only` : ''}`,
  upcasters: [upcastRules('rules'), (data) => data],
});

export const ApiKeyRenamed = event('ApiKeyRenamed', {
  version: 1,
  data: (z) => subject(z).extend({ from: z.string(), to: z.string() }),
  describe: ({ from, to }) => `API key "${from}" was renamed to "${to}"`,
});

export const ApiKeyModelsChanged = event('ApiKeyModelsChanged', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string(), from: models(z), to: models(z) }),
  describe: ({ name, from, to }) => `API key "${name}" may use ${shownModels(to)} (before: ${shownModels(from)})`,
});

export const ApiKeyRegionsChanged = event('ApiKeyRegionsChanged', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string(), from: regions(z), to: regions(z) }),
  describe: ({ name, from, to }) =>
    `API key "${name}" is served in ${shownRegions(to)} (before: ${shownRegions(from)})`,
});

export const ApiKeyExpiryChanged = event('ApiKeyExpiryChanged', {
  version: 1,
  data: (z) =>
    subject(z).extend({ name: z.string(), from: instantSchema(z).nullable(), to: instantSchema(z).nullable() }),
  describe: ({ name, from, to }) => `API key "${name}" expires ${shownTime(to)} (before: ${shownTime(from)})`,
});

export const ApiKeyActivated = event('ApiKeyActivated', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string() }),
  describe: ({ name }) => `API key "${name}" was activated`,
});

export const ApiKeyDeactivated = event('ApiKeyDeactivated', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string() }),
  describe: ({ name }) => `API key "${name}" was deactivated`,
});

export const ApiKeyLimitsChanged = event('ApiKeyLimitsChanged', {
  version: 2,
  data: (z) => subject(z).extend({ name: z.string(), from: rules(z), to: rules(z) }),
  describe: ({ name, from, to }) => `API key "${name}" has ${shownRules(to)} (before: ${shownRules(from)})`,
  upcasters: [upcastRules('from', 'to')],
});

export const ApiKeyUsageReset = event('ApiKeyUsageReset', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string() }),
  describe: ({ name }) => `the usage counters of API key "${name}" were reset`,
});

export const ApiKeyRegenerated = event('ApiKeyRegenerated', {
  version: 1,
  data: (z) =>
    subject(z).extend({
      name: z.string(),
      from: z.object({ hash: sha256(z), prefix: z.string() }),
      to: z.object({ hash: sha256(z), prefix: z.string() }),
    }),
  describe: ({ name, to }) => `API key "${name}" got a new value (${to.prefix}...)`,
});

export const ApiKeyOwnerChanged = event('ApiKeyOwnerChanged', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string(), from: z.string().nullable(), to: z.string().nullable() }),
  describe: ({ name, from, to }) => `API key "${name}" belongs to ${shownOwner(to)} (before: ${shownOwner(from)})`,
});

export const ApiKeyTeamChanged = event('ApiKeyTeamChanged', {
  version: 1,
  data: (z) => subject(z).extend({ name: z.string(), from: z.string().nullable(), to: z.string().nullable() }),
  describe: ({ name, from, to }) => `API key "${name}" is in ${shownTeam(to)} (before: ${shownTeam(from)})`,
});

export const ApiKeyDeleted = event('ApiKeyDeleted', {
  version: 1,
  data: (z) =>
    subject(z).extend({
      name: z.string(),
      /** The data keys that the addresses and user agents of its requests are sealed under were destroyed. */
      forgetsCallers: z.literal(true).optional(),
    }),
  describe: ({ name, forgetsCallers }) =>
    `API key "${name}" was deleted${forgetsCallers ? ', and where its requests came from was forgotten' : ''}`,
});

const shownModels = (names: readonly string[] | null) => (names?.length ? names.join(', ') : 'all models');
const shownRegions = (names: readonly string[] | null) =>
  names === null ? 'every region' : `${names.join(', ')} only`;
const shownOwner = (owner: string | null) => (owner === null ? 'no owner' : `owner "${owner}"`);
const shownTeam = (team: string | null) => (team === null ? 'no team' : `team ${team}`);
const shownTime = (at: number | null) => (at === null ? 'never' : new Date(at).toISOString());
export type ApiKeyEvent =
  | EventOf<typeof ApiKeyCreated>
  | EventOf<typeof ApiKeyRenamed>
  | EventOf<typeof ApiKeyModelsChanged>
  | EventOf<typeof ApiKeyRegionsChanged>
  | EventOf<typeof ApiKeyExpiryChanged>
  | EventOf<typeof ApiKeyActivated>
  | EventOf<typeof ApiKeyDeactivated>
  | EventOf<typeof ApiKeyLimitsChanged>
  | EventOf<typeof ApiKeyUsageReset>
  | EventOf<typeof ApiKeyRegenerated>
  | EventOf<typeof ApiKeyOwnerChanged>
  | EventOf<typeof ApiKeyTeamChanged>
  | EventOf<typeof ApiKeyDeleted>;
