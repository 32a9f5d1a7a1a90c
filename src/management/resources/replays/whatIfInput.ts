import { hash } from 'node:crypto';
import { z } from 'zod';
import { creditsOf } from '../../../domain/account/planCredits.ts';
import { WINDOW_MINUTES, type WindowName } from '../../../domain/accountUsage/windowMinutes.ts';
import { decide } from '../../../domain/apiKey/decide.ts';
import type { ApiKey } from '../../../domain/apiKey/state.ts';
import { type AccountId, type ApiKeyId, instant } from '../../../domain/core/brands.ts';
import { Refusal } from '../../../domain/core/refusal.ts';
import { MAX_LIMITS } from '../../../domain/limits/bounds.ts';
import type { LimitRuleInput } from '../../../domain/limits/changeRules.ts';
import { listedPrices, listedTwice, priceListSchema } from '../../../domain/pricing/priceList.ts';
import { routingStrategySchema } from '../../../domain/settings/events.ts';
import { EVERY_KEY, type PlusAccount, type PlusWindow, type WhatIf } from '../../../replay/whatIf/whatIf.ts';
import { boundedArray, issueMessage, wireObject } from '../../http/wireObject.ts';
import { LimitInput, limitRuleInput } from '../limits/limitInput.ts';
import { settingsInput } from '../settings/settingsInput.ts';

const MAX_KEYS = 1_000;
const MAX_ACCOUNTS = 100;
const MAX_PLUS_ACCOUNTS = 20;
const MAX_PRICES = 1_000;
const MAX_WINDOW_MINUTES = 366 * 1_440;

const SettingsInput = wireObject(z.object(settingsInput).partial().shape, ['totp_configured']);

const KEY_ID = 'must be the id of an API key, or * for every other key';
// Of two alternatives, zod returns the issue of the one that a text is nearer to.
const KeyId = z.union([z.literal(EVERY_KEY), z.uuid(KEY_ID)], KEY_ID);
const LimitsInput = wireObject({
  keys: z
    .record(KeyId, boundedArray(LimitInput, MAX_LIMITS))
    .refine((keys) => Object.keys(keys).length <= MAX_KEYS, `must have at most ${MAX_KEYS} keys`)
    .describe('Limits as of `PATCH /api/api-keys/{id}`, by the id of their key; `*` stands for every other key'),
});

const WindowInput = wireObject({
  used_percent: z.int().min(0).max(100).optional().describe('When the period begins; default 0'),
  window_minutes: z
    .int()
    .min(1)
    .max(MAX_WINDOW_MINUTES)
    .optional()
    .describe('Default: 1440, and 10080 of the secondary'),
  credits: z
    .number()
    .positive()
    .max(1e9)
    .optional()
    .describe('Size of the window, as in the table of plan credits; default: that of the plan'),
});

const PlusAccountInput = wireObject({
  plan_type: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be the name of a plan, such as plus'),
  primary: WindowInput.optional(),
  secondary: WindowInput.optional(),
});

/** The fields of a what-if, as the API and the files of `svc replay` have them. */
export const whatIfFields = {
  strategy: routingStrategySchema(z).optional().describe('How an account is chosen; wins over `settings`'),
  settings: SettingsInput.optional().describe('Settings as of `PUT /api/settings`; absent ones stay as recorded'),
  limits: LimitsInput.optional(),
  prices: priceListSchema(z)
    .refine(({ models }) => models.length <= MAX_PRICES, `must have at most ${MAX_PRICES} models`)
    .optional()
    .describe('Prices as in `SVC_PRICES_FILE`'),
  without_accounts: boundedArray(z.string().min(1).max(200), MAX_ACCOUNTS).optional().describe('Ids of accounts'),
  plus_accounts: boundedArray(PlusAccountInput, MAX_PLUS_ACCOUNTS).optional().describe('Accounts that join the pool'),
};

export type WhatIfInput = z.output<z.ZodObject<typeof whatIfFields>>;

/** What is wrong with a what-if: the field, and a predicate of it. */
export interface WhatIfProblem {
  readonly param: string;
  readonly problem: string;
}

const WhatIfObject = wireObject(whatIfFields);

/** Validates a what-if, for example from files. */
export function parseWhatIf(input: unknown): { readonly whatIf: WhatIf } | { readonly problem: WhatIfProblem } {
  const result = WhatIfObject.safeParse(input, { error: issueMessage });
  if (result.success) return toWhatIf(result.data);
  const { path = [], message = 'is not valid' } = result.error.issues[0] ?? {};
  return { problem: { param: path.map(String).join('.'), problem: message } };
}

/** @returns the what-if, or what the schema cannot see */
export function toWhatIf(input: WhatIfInput): { readonly whatIf: WhatIf } | { readonly problem: WhatIfProblem } {
  const { strategy, settings, limits, prices, without_accounts, plus_accounts } = input;
  const duplicate = prices && listedTwice(prices.models);
  if (duplicate !== undefined) return { problem: { param: 'prices.models', problem: `list ${duplicate} twice` } };
  const keys: Record<string, readonly LimitRuleInput[]> = {};
  for (const [keyId, list] of Object.entries(limits?.keys ?? {})) {
    keys[keyId] = list.map(limitRuleInput);
    const problem = problemOfLimits(keyId, keys[keyId]);
    if (problem) return { problem };
  }
  const routingStrategy = strategy ?? settings?.routing_strategy ?? undefined;
  const preferEarlierResetAccounts = settings?.prefer_earlier_reset_accounts;
  const stickyThreadsEnabled = settings?.sticky_threads_enabled;
  const effective = { routingStrategy, preferEarlierResetAccounts, stickyThreadsEnabled };
  const hasSettings = Object.values(effective).some((value) => value !== undefined);
  const ineffective = INEFFECTIVE.filter((name) => settings?.[name] !== undefined && settings[name] !== null);
  return {
    whatIf: {
      ...(hasSettings && { settings: effective }),
      ...(limits && { limits: { keys } }),
      ...(prices && { prices: listedPrices(prices, (text) => hash('sha256', text)) }),
      ...(without_accounts && { withoutAccounts: [...new Set(without_accounts)] as AccountId[] }),
      ...(plus_accounts && { plusAccounts: plus_accounts.map(plusAccount) }),
      ...(ineffective.length > 0 && { ineffectiveSettings: ineffective }),
    },
  };
}

const INEFFECTIVE = ['import_without_overwrite', 'totp_required_on_login', 'api_key_auth_enabled'] as const;

/** A key of its own, so that the rules of its limits are checked by the function that changes them. */
const ANY_KEY: ApiKey = {
  id: '00000000-0000-4000-8000-000000000000' as ApiKeyId,
  name: 'key',
  hash: '',
  prefix: '',
  allowedModels: null,
  expiresAt: null,
  isActive: true,
  createdAt: instant(0),
  rules: [],
  nextRuleId: 1,
};

function problemOfLimits(keyId: string, limits: readonly LimitRuleInput[]): WhatIfProblem | undefined {
  try {
    decide({ type: 'ChangeApiKey', keyId: ANY_KEY.id, changes: { limits } }, ANY_KEY, {
      now: instant(0),
      windowsNow: instant(0),
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { param, problem } = error.details as { param?: string; problem?: string };
    return {
      param: `limits.keys.${keyId}.${(param ?? '').replace(/^limits\.?/, '')}`,
      problem: problem ?? 'is not valid',
    };
  }
}

function plusAccount(
  { plan_type: planType, primary, secondary }: z.output<typeof PlusAccountInput>,
  index: number,
): PlusAccount {
  const windowOf = (name: WindowName, input: z.output<typeof WindowInput> | undefined): PlusWindow => ({
    usedPercent: input?.used_percent ?? 0,
    windowMinutes: input?.window_minutes ?? WINDOW_MINUTES[name],
    credits: input?.credits ?? (creditsOf(planType)[name] || creditsOf('plus')[name]),
  });
  return {
    id: `plus-${index + 1}` as AccountId,
    planType,
    primary: windowOf('primary', primary),
    secondary: windowOf('secondary', secondary),
  };
}
