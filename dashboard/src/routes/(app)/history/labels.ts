import type { Schemas } from '#lib/api/client.ts';
import { exact } from '#lib/format/numbers.ts';
import { type Limit, limitText } from '../api-keys/limits.ts';

/** Settings by the label that the settings page gives them, in its order. */
export const SETTING_LABELS: Readonly<Record<keyof Schemas['Settings'], string>> = {
  routing_strategy: 'Strategy',
  sticky_threads_enabled: 'Keep a conversation on one account',
  prefer_earlier_reset_accounts: 'Prefer accounts that reset earlier',
  api_key_auth_enabled: 'Require an API key',
  import_without_overwrite: 'Skip existing accounts on import',
  totp_configured: 'Two-factor authentication set up',
  totp_required_on_login: 'Require the code at every sign-in',
};

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The same by the names that events use, such as `routingStrategy`. */
export const EVENT_SETTING_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SETTING_LABELS).map(([name, label]) => [camelCase(name), label]),
);

/** Labels that differ from the split camel-case name. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  ...EVENT_SETTING_LABELS,
  isTotpConfigured: SETTING_LABELS.totp_configured,
  id: 'ID',
  hash: 'Key hash',
  allowedModels: 'Models',
  expiresAt: 'Expires',
  isActive: 'Active',
  createdAt: 'Created',
  nextRuleId: 'Next limit number',
  upstreamAccountId: 'Provider account ID',
  planType: 'Plan',
  hasReadableIdToken: 'ID token readable',
  importedAt: 'Imported',
  allowedAt: 'Added',
  observedAt: 'Reported',
  beganAt: 'Started',
  passwordId: 'Password ID',
  totpId: 'Two-factor ID',
  accountId: 'Account ID',
  claimId: 'Claim ID',
  usedPercent: 'Used',
  isTotpRequired: SETTING_LABELS.totp_required_on_login,
  email: 'E-mail address',
  invitedAt: 'Invited',
  acceptedAt: 'Invitation accepted',
  isDisabled: 'Disabled',
  removedAt: 'Removed',
  revokedAt: 'Revoked',
  lastUsedAt: 'Last used',
  ownerId: 'Owner',
  operatorId: 'Operator',
  tokenId: 'Token ID',
  totp: 'Two-factor authentication',
};

const VALUE_LABELS: Readonly<Record<string, string>> = {
  usage_weighted: 'by remaining usage',
  round_robin: 'round robin',
};

/** Enum values by label: `round_robin` is "round robin". */
export const valueLabel = (value: string): string => VALUE_LABELS[value] ?? value;

/** A path of field names: `['sample', 'primary', 'usedPercent']` is "Sample, primary, used", a limit rule "Limit 1". */
export function fieldLabel(names: readonly string[]): string {
  const labels = names.join(' ').startsWith('rules ') ? [`Limit ${names[1]}`, ...names.slice(2)] : names;
  return labels.map(nameLabel).map(joinable).join(', ') || 'Value';
}

const joinable = (label: string, index: number) =>
  index > 0 && /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;

/** `maxValue` is "Max value", the first item of a list "no. 1"; addresses and names of models stay unchanged. */
function nameLabel(name: string): string {
  if (/^\d+$/.test(name)) return `no. ${name}`;
  if (!/^[a-z][a-zA-Z]+$/.test(name)) return name;
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return FIELD_LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

export interface StoredLimit {
  readonly limitType: Limit['limit_type'];
  readonly limitWindow: Limit['limit_window'];
  readonly maxValue: number;
  readonly modelFilter?: string | null;
  /** Absent in earlier events: streams were finished. */
  readonly onExceeded?: Limit['on_exceeded'];
}

export const isStoredLimit = (value: object): value is StoredLimit => 'limitType' in value && 'maxValue' in value;

/** "1,300 tokens a day", "$200.00 a month on gpt-5.5, stops streams" */
export const storedLimitText = ({ limitType, limitWindow, maxValue, modelFilter, onExceeded }: StoredLimit): string =>
  limitText(
    {
      limit_type: limitType,
      limit_window: limitWindow,
      max_value: maxValue,
      model_filter: modelFilter ?? null,
      on_exceeded: onExceeded ?? 'finish',
    },
    exact,
  );
